"""`count_macs` for TensorFlow."""

from collections.abc import Mapping
from typing import Any

import keras

from d2l_support.inspection.coverage import list_names
from d2l_support.inspection.macs import Macs, build_macs
from d2l_support.inspection.runs import Call, Run
from d2l_support.inspection.tensorflow.counting import Operations, Tally
from d2l_support.inspection.tensorflow.gauges import Gauge
from d2l_support.inspection.tensorflow.keeping import keep_state
from d2l_support.inspection.tensorflow.watching import Watch


def count_macs(
    model: keras.Layer, *inputs: Any, kwargs: Mapping[str, Any] | None = None
) -> Macs | Watch[Macs]:
    """The multiply-accumulates of one pass, from the operations that run.

    Matrix products, convolutions and einsums count for the layer whose code
    runs them, the model's own code included. A bias adds, but does not
    multiply; nor do products element by element count.

    With inputs it makes the pass itself and leaves no trace; without, it
    watches eager passes of your own, and reports the last one.

    Args:
        model: Any Keras model or layer that has been built.
        *inputs: What to call it with.
        kwargs: Named arguments to call it with.

    Returns:
        The report, with `total` and `flops`, which is twice that; without
        inputs, a watch.

    Source: section Hooks: looking without touching, exercise 2.
    """
    watch = CountingWatch(model)
    if not inputs and kwargs is None:
        return watch
    with keep_state(model, inputs, kwargs):
        return watch.run(inputs, kwargs)


class CountingWatch(Watch[Macs]):
    """A watch that counts the operations of each call."""

    def __init__(self, model: keras.Layer):
        self._operations = Operations(self._ran)
        self._open: list[Tally] = []
        self._closed: list[Tally] = []
        gauge = Gauge(measure=lambda x: (), fetch=list, build=self._build_macs)
        super().__init__(model, gauge)

    def __enter__(self) -> "CountingWatch":
        super().__enter__()
        self._operations.attach()
        return self

    def __exit__(self, *error: Any) -> None:
        self._operations.detach()
        super().__exit__(*error)

    def entered(self, layer: keras.Operation, args: tuple, kwargs: Mapping) -> None:
        """A layer is called."""
        super().entered(layer, args, kwargs)
        if not self._now.calls and not self._open:
            self._closed = []
        self._open.append(Tally())

    def left(self, layer: keras.Operation, output: object) -> None:
        """A layer has returned."""
        self._closed.append(self._open.pop())
        super().left(layer, output)

    def failed(self, layer: keras.Operation, error: BaseException) -> None:
        """A layer has raised."""
        if self._open:
            self._closed.append(self._open.pop())
        super().failed(layer, error)

    def _ran(self, *operation: Any) -> None:
        """An operation has run."""
        if self._open:
            self._open[-1].add(*operation)

    def _build_macs(self, run: Run) -> Macs:
        """The report, from the tallies in the order of the calls."""
        keys = (call.key for call in run.calls)
        tallies = dict(zip(keys, self._closed, strict=False))

        def count(call: Call, run: Run) -> int | str:
            tally = tallies[call.key]
            if tally.unknown:
                return f"it runs {list_names([*tally.unknown])}"
            return tally.macs if call.outputs else 0

        return build_macs(run, count)
