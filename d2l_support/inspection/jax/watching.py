"""A watch over a model: which calls make a pass, and what is reported of it."""

import sys
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Generic, Self, TypeVar
from weakref import ref

from flax import nnx

from d2l_support.inspection.gauges import Gauge
from d2l_support.inspection.jax import wrapping
from d2l_support.inspection.jax.arrays import read_array
from d2l_support.inspection.jax.collecting import Pass
from d2l_support.inspection.jax.keeping import differentiate
from d2l_support.inspection.jax.modules import UNCALLED, Places, check_model
from d2l_support.inspection.jax.runs import build_run
from d2l_support.inspection.jax.sights import Argument, Weight

Report = TypeVar("Report")


@dataclass(slots=True)
class Open:
    """A call that has not ended yet."""

    inputs: tuple[Argument, ...] | None
    tapped: list[nnx.Variable]


class Watch(Generic[Report]):
    """Watches a model's modules from `with` until the end of the block.

    A pass ends where the next one begins, or with the block. Nothing is copied
    to the host before that, and then all at once. Where gradients are followed,
    it takes in the backward pass of an eager `nnx.grad`, so that two calls may
    share one.

    What `nnx.jit` runs cannot be watched; a warning and the report say so.

    Attributes:
        passes: How many passes were seen.
        tag: The attribute that holds a module's number, inside the block.

    State touched: until the block ends, the `__call__` of the model's classes
    and one attribute of its modules. It makes `nnx.jit` trace once more.
    """

    def __init__(self, model: nnx.Module, gauge: Gauge[Report]):
        self._model, self._gauge = check_model(model), gauge
        self._places = Places(model)
        self._weights = self._places.list_weights() if gauge.weights else []
        self._parameters = (
            self._places.name_variables(model, 0) if gauge.gradients else []
        )
        self.tag = ""
        self._reset()

    def _reset(self) -> None:
        """Forgets all passes."""
        self.passes = 0
        self._open: list[Open] = []
        self._now: Pass | None = None
        self._kept: Pass | None = None
        self._stopped = False
        self._raised = (0, "")  # the id of an exception, and where it was raised

    def __repr__(self) -> str:
        kind = type(self._model).__name__
        return f"<a watch over {kind}: use it in `with ... as seen:`, then seen.report>"

    @property
    def report(self) -> Report:
        """On the last pass, or on the first one that stopped the watch.

        Reading it ends the pass under way.

        Raises:
            RuntimeError: The watch was never on.
        """
        self._settle()
        if self._kept is None:
            raise RuntimeError(
                "found no pass to report on, expected one inside the block. "
                "Write: with d2l.record_activations(net) as seen: net(X)"
            )
        return self._build()

    def _build(self) -> Report:
        """The report on the pass that was kept."""
        return self._gauge.build(build_run(self._places, self._kept))

    def run(
        self,
        inputs: tuple[Any, ...],
        kwargs: Mapping[str, Any] | None,
        loss: Callable[[Any], Any] | None = None,
    ) -> Report:
        """Runs the model once, and back from its loss if there is one.

        Returns:
            The report on that pass.
        """
        with self:
            if loss is None:
                self._model(*inputs, **(kwargs or {}))
            else:
                differentiate(self._model, inputs, kwargs, loss)
        return self.report

    def __enter__(self) -> Self:
        if self.tag:
            raise RuntimeError(
                "found a watch that is on already, expected one that is off. "
                "Make another one for the block inside."
            )
        self._reset()
        self._outer = id(sys.exc_info()[1])
        self.tag = wrapping.choose_tag()
        wrapping.attach(self, self._places.modules)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        wrapping.detach(self, self._places.modules)
        self.tag = ""
        where = self._raised[1] if self._raised[0] == id(error) else ""
        self._settle(final=True)
        if error is None and not self._kept.calls:
            warnings.warn(UNCALLED, stacklevel=2)
        if error is not None:
            self._kept.raised = where or "an exception outside its modules"
            told = self._gauge.summary(self._build())
            error.add_note(f"d2l_support: {self._kept.raised}. {told}".rstrip())

    def enter(self, module: nnx.Module, place: int, args: tuple, kwargs: dict) -> None:
        """A module is called; the wrapper tells so."""
        now = self._now
        if now is None or now.left:
            now = self._take_pass()
        inputs, tapped = None, []
        if now is not None and self._gauge.gradients and not self._open:
            named = self._places.name_variables(module, place)
            tapped = now.tap_parameters(named)
        if now is not None and self._gauge.inputs:
            inputs = now.look_at_arguments(args, kwargs)
        self._open.append(Open(inputs, tapped))

    def leave(self, module: nnx.Module, place: int, output: Any) -> Any:
        """A module returns; the wrapper hands on what comes back."""
        ended, now = self._open.pop(), self._now
        if now is None or self._stopped:
            return output
        now.untap_parameters(ended.tapped)
        output = now.leave(place, ended.inputs, output)
        if place == 0:
            now.left = True
        return output

    def fail(self, module: nnx.Module, place: int, error: BaseException) -> None:
        """A module raises; the innermost one is remembered."""
        ended, now = self._open.pop(), self._now
        if now is None:
            return
        now.untap_parameters(ended.tapped)
        if id(error) not in (self._outer, self._raised[0]):
            after = f"after {len(now.calls)} calls of modules had ended"
            told = f"raised in {self._places.label(place)}, {after}"
            self._raised = (id(error), told)
        now.leave(place, ended.inputs, None)

    def _take_pass(self) -> Pass | None:
        """The pass under way, or a new one; None once the watch has stopped."""
        if self._stopped:
            return None
        now = self._now
        if now is None or now.is_over():
            self._settle()
            if self._stopped:
                return None
            self.passes += 1
            now = self._now = self._make_pass()
        return now

    def _settle(self, final: bool = False) -> None:
        """Ends the pass that is under way, if there is one.

        At the end of the watch, and with a pass that stops it, parameters and
        buffers are looked at. Those that were replaced after a bad pass, by an
        optimizer perhaps, would tell nothing about it.
        """
        if self._now is None and not final:
            return
        kept = self._kept = self._now or self._kept or self._make_pass()
        self._now = None
        if self._gauge.gradients:
            kept.note_missing(self._parameters)
        if final:
            kept.look_at_weights(self._list_unwritten(kept))
        found = kept.settle(self._gauge.fetch)
        alarms = self._gauge.alarms
        if not self._stopped and alarms and alarms(found):
            self._stopped = self._gauge.stops(self._build())
        if self._stopped:
            kept.look_at_weights(self._list_unwritten(kept))
            kept.skip_weights(self._weights)
        elif final:
            kept.look_at_weights(self._weights)
        if self._stopped or final:
            kept.settle(self._gauge.fetch)

    def _list_unwritten(self, kept: Pass) -> list[Weight]:
        """The parameters and buffers that are as they were in a pass."""
        pairs = zip(self._weights, kept.weight_states, strict=True)
        return [weight for weight, state in pairs if read_array(weight[1]) is state()]

    def _make_pass(self) -> Pass:
        """An empty pass."""
        states = [ref(read_array(x)) for _, x in self._weights]
        gauge = self._gauge
        return Pass(self.passes, gauge.measure, gauge.gradients, states)
