"""What is collected in one pass: small tensors and names, never an activation.

While the pass runs, weak references tell whether a tensor was seen before.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple
from weakref import ref

import torch
from torch import Tensor

from d2l_support.inspection.leaves import walk_leaves
from d2l_support.inspection.pytorch.tensors import is_tensor, name_dtype, read_shape
from d2l_support.inspection.runs import Slot, Value

Argument = tuple[int | str, str, int]  # position or name, path, index of a sight
Names = tuple[str, ...]
Weight = tuple[Names, Tensor]
LIMIT = 100_000  # a pass that sees more tensors than this is ended


@dataclass(slots=True)
class Sight:
    """One tensor, looked at.

    Attributes:
        shape: Its shape.
        dtype: Its dtype; the name of a class for what is no tensor.
        found: A tuple of small tensors on its device; once settled, a list
            of what they hold, or bytes. Or a text: why there is nothing.
    """

    shape: tuple[int, ...]
    dtype: torch.dtype | str
    found: Any

    def to_value(self) -> Value:
        """The sight in plain numbers; it must be settled."""
        shape, dtype = tuple(map(int, self.shape)), name_dtype(self.dtype)
        if isinstance(self.found, str):
            return Value(shape, dtype, skipped=self.found)
        if isinstance(self.found, bytes):
            return Value(shape, dtype, data=self.found)
        return Value(shape, dtype, tuple(self.found))


class Called(NamedTuple):
    """One call of a module, noted when it ended."""

    place: int
    phase: str
    inputs: tuple[Argument, ...] | None
    outputs: tuple[Slot, ...]


class Pass:
    """What one pass showed so far.

    Attributes:
        number: 1 for the first pass of a watch.
        calls: The calls that have ended.
        sights: The tensors, each once for each state it was in.
        gradients: By arrival, the index of a sight and that of its gradient.
        weights: Parameters and buffers, by their names.
        weight_gradients: The gradients of parameters, by their names.
        left: Whether the model itself has returned.
        awaits: Whether a backward pass is to come then.
        raised: Where an exception ended the pass.
        weight_states: What state each parameter and buffer was in at the start.
    """

    def __init__(
        self,
        number: int,
        measure: Callable[[Tensor], Any],
        gradients: bool,
        weight_states: list[object],
    ):
        self.number, self.raised = number, ""
        self.weight_states = weight_states
        self.left = self.awaits = False
        self.calls: list[Called] = []
        self.sights: list[Sight] = []
        self.gradients: list[tuple[int, Sight]] = []
        self.weights: dict[Names, Sight] = {}
        self.weight_gradients: dict[Names, Sight] = {}
        self._measure, self._follows_gradients = measure, gradients
        self._open: dict[int, list[tuple[Argument, ...]]] = {}
        self._known: dict[int, tuple[ref, object, int]] = {}
        self._handles: list[Any] = []

    def is_over(self) -> bool:
        """Whether the next call of a module begins another pass."""
        if len(self.sights) > LIMIT:
            return True
        came_back = self.gradients or self.weight_gradients
        return self.left and bool(came_back or not self.awaits)

    def enter(self, place: int, args: tuple, kwargs: Mapping[str, object]) -> None:
        """A module is called: looks at its arguments, before it changes them."""
        if len(args) == 1 and type(args[0]) is Tensor and not kwargs:
            given = ((0, "", self._observe(args[0])),)  # as below, but faster
        else:
            given = self._look_at_arguments((*enumerate(args), *kwargs.items()))
        self._open.setdefault(place, []).append(given)

    def leave(self, place: int, phase: str, kwargs: Mapping, output: object) -> None:
        """A module returns: looks at its output.

        Args:
            place: The module's id.
            phase: "forward" or "recompute".
            kwargs: The arguments that `enter` was not told of.
            output: What the module returned; None if it raised.
        """
        stack = self._open.get(place)
        inputs = stack.pop() if stack else None
        if inputs is not None and kwargs:
            inputs += self._look_at_arguments(tuple(kwargs.items()))
        self.calls.append(Called(place, phase, inputs, self._look(output)))

    def look_at_weights(self, weights: Iterable[Weight]) -> None:
        """Looks at parameters and buffers, unless that was done."""
        for names, x in weights:
            if names not in self.weights:
                self.weights[names] = self._see(x)

    def skip_weights(self, weights: Iterable[Weight]) -> None:
        """Notes those that were not looked at because they have changed."""
        for names, x in weights:
            changed = Sight(x.shape, x.dtype, "written to since that pass")
            self.weights.setdefault(names, changed)

    def look_at_gradient(self, names: Names, parameter: Tensor) -> None:
        """Looks at the gradient of a parameter that was just added to."""
        if parameter.grad is not None:
            self.weight_gradients[names] = self._see(parameter.grad)

    def note_missing(self, parameters: Iterable[Weight]) -> None:
        """Notes the parameters to which no gradient came, if any came at all."""
        if self.gradients or self.weight_gradients:
            for names, x in parameters:
                missing = Sight(x.shape, x.dtype, "none arrived")
                self.weight_gradients.setdefault(names, missing)

    def settle(self, fetch: Callable[[list[Any]], list[Any]]) -> list[Any]:
        """Turns small tensors into what they hold, and lets go of all else.

        Returns:
            What all the measured tensors of the pass hold.
        """
        for handle in self._handles:
            handle.remove()
        self._handles, self._known, self._open = [], {}, {}
        sights = [*self.sights, *(sight for _, sight in self.gradients)]
        sights += [*self.weights.values(), *self.weight_gradients.values()]
        measured = [sight for sight in sights if isinstance(sight.found, tuple)]
        found = fetch([sight.found for sight in measured])
        for sight, holds in zip(measured, found, strict=True):
            sight.found = holds if isinstance(holds, bytes) else list(holds)
        return found

    def _look_at_arguments(
        self, given: Iterable[tuple[int | str, object]]
    ) -> tuple[Argument, ...]:
        """Looks at arguments, each under its position or its name."""
        return tuple(
            (key, path, index)
            for key, thing in given
            for path, index in self._look(thing)
        )

    def _look(self, thing: object) -> tuple[Slot, ...]:
        """Looks at each tensor in an argument or an output."""
        if type(thing) is Tensor:
            return (("", self._observe(thing)),)
        leaves = walk_leaves(thing, is_tensor)
        return tuple((path, self._observe(leaf)) for path, leaf in leaves)

    def _observe(self, x: object) -> int:
        """The index of the sight of a tensor, which is new or known."""
        known, state = self._known.get(id(x)), read_state(x)
        if known is not None and known[0]() is x and known[1] == state:
            return known[2]
        index, sight = len(self.sights), self._see(x)
        self.sights.append(sight)
        if isinstance(x, Tensor):
            self._known[id(x)] = (ref(x), state, index)
            measured = not isinstance(sight.found, str)
            if self._follows_gradients and measured and x.requires_grad:
                self._handles.append(x.register_hook(partial(self._arrive, index)))
        return index

    def _arrive(self, index: int, gradient: Tensor) -> None:
        """A gradient arrives at a tensor that was seen before."""
        self.gradients.append((index, self._see(gradient)))

    def _see(self, x: object) -> Sight:
        """Measures a tensor; says so of what is none."""
        if isinstance(x, Tensor):
            return Sight(read_shape(x), x.dtype, self._measure(x))
        kind = type(x).__name__
        return Sight((), kind, f"an object of the class {kind}, not looked into")


def read_state(x: object) -> object:
    """What changes when a tensor is written to; unknown in inference mode."""
    try:
        return x._version
    except (AttributeError, RuntimeError):
        return object()
