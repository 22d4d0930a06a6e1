"""A watch over a model: which calls make a pass, and what is reported of it."""

import warnings
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any
from weakref import ref

from flax import nnx

from d2l_support.inspection import watching
from d2l_support.inspection.coverage import Coverage
from d2l_support.inspection.gauges import Gauge, Report
from d2l_support.inspection.jax import wrapping
from d2l_support.inspection.jax.arrays import read_array
from d2l_support.inspection.jax.collecting import Pass
from d2l_support.inspection.jax.keeping import differentiate
from d2l_support.inspection.jax.modules import UNCALLED, Places, check_model
from d2l_support.inspection.places import Weight
from d2l_support.inspection.sights import Argument


@dataclass(slots=True)
class Open:
    """A call that has not ended yet."""

    inputs: tuple[Argument, ...] | None
    tapped: list[nnx.Variable]


class Watch(watching.Watch[Report]):
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
        super().__init__(check_model(model), gauge)
        self._places = Places(model)
        self._weights = self._places.list_weights() if gauge.weights else []
        self._parameters = (
            self._places.name_variables(model, 0) if gauge.gradients else []
        )
        self.tag = ""

    def _reset(self) -> None:
        super()._reset()
        self._open: list[Open] = []

    def _run_model(
        self,
        inputs: tuple[Any, ...],
        kwargs: Mapping[str, Any],
        loss: Callable[[Any], Any] | None,
    ) -> None:
        if loss is None:
            self._model(*inputs, **kwargs)
        else:
            differentiate(self._model, inputs, kwargs, loss)

    def _attach(self) -> None:
        self.tag = wrapping.choose_tag()
        wrapping.attach(self, self._places.modules)

    def _detach(self) -> None:
        wrapping.detach(self, self._places.modules)
        self.tag = ""

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        super().__exit__(kind, error, trace)
        if error is None and not self._kept.calls:
            warnings.warn(UNCALLED, stacklevel=2)

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
        self._note_exception(error, place)
        now.leave(place, ended.inputs, None)

    def _cover(self, called: Collection[int]) -> Coverage:
        return self._places.cover(called, self._kept.traced)

    def _list_unwritten(self, kept: Pass) -> list[Weight]:
        """The parameters and buffers that are as they were in a pass."""
        pairs = zip(self._weights, kept.weight_states, strict=True)
        return [weight for weight, state in pairs if read_array(weight[1]) is state()]

    def _make_pass(self) -> Pass:
        """An empty pass."""
        states = [ref(read_array(x)) for _, x in self._weights]
        gauge = self._gauge
        return Pass(self.passes, gauge.measure, gauge.gradients, states)
