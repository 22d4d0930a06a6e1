"""What is collected in one pass: small tensors and names.

Activations are immutable in TensorFlow, so one that was seen is known again by
being the same object; weak references tell. Only those that a tape records,
and whose gradients are wanted, are held until the backward pass has given
these, or the pass has ended.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple
from weakref import ref

import tensorflow as tf
from tensorflow.python.eager import record
from tensorflow.python.framework.ops import EagerTensor
from tensorflow.python.ops.gen_resource_variable_ops import read_variable_op

from d2l_support.inspection.leaves import walk_leaves
from d2l_support.inspection.runs import Slot, Value
from d2l_support.inspection.tensorflow.tensors import (
    is_tensor,
    read_dtype,
    read_shape,
)

Argument = tuple[int | str, str, int]  # position or name, path, index of a sight
Names = tuple[str, ...]
Weight = tuple[Names, Any]
Measure = Callable[[Any], Any]
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
    dtype: tf.DType | str
    found: Any

    def to_value(self) -> Value:
        """The sight in plain numbers; it must be settled."""
        shape = tuple(map(int, self.shape))
        dtype = self.dtype if isinstance(self.dtype, str) else self.dtype.name
        if isinstance(self.found, str):
            return Value(shape, dtype, skipped=self.found)
        if isinstance(self.found, bytes):
            return Value(shape, dtype, data=self.found)
        return Value(shape, dtype, tuple(self.found))


class Called(NamedTuple):
    """One call of a layer, noted when it ended."""

    place: int
    phase: str
    inputs: tuple[Argument, ...] | None
    outputs: tuple[Slot, ...]


class Pass:
    """What one pass showed so far.

    Attributes:
        number: 1 for the first pass of a watch.
        calls: The calls that have ended.
        sights: The tensors, each once.
        gradients: By arrival, the index of a sight and that of its gradient.
        weights: Parameters and buffers, by their names.
        weight_gradients: The gradients of parameters, by their names.
        left: Whether the model itself has returned.
        awaits: Whether a backward pass is to come then.
        raised: Where an exception ended the pass.
    """

    def __init__(
        self, number: int, measure: Measure, gradients: bool, measure_weights: Measure
    ):
        self.number, self.raised = number, ""
        self.left = self.awaits = False
        self.calls: list[Called] = []
        self.sights: list[Sight] = []
        self.gradients: list[tuple[int, Sight]] = []
        self.weights: dict[Names, Sight] = {}
        self.weight_gradients: dict[Names, Sight] = {}
        self._measure, self._follows_gradients = measure, gradients
        self._measure_weights = measure_weights
        self._open: dict[int, list[tuple[Argument, ...]]] = {}
        self._known: dict[int, tuple[ref, int]] = {}
        self._held: dict[int, tf.Tensor] = {}

    def is_over(self) -> bool:
        """Whether the next call of a layer begins another pass."""
        if len(self.sights) > LIMIT:
            return True
        came_back = self.gradients or self.weight_gradients
        return self.left and bool(came_back or not self.awaits)

    def enter(self, place: int, args: tuple, kwargs: Mapping[str, object]) -> None:
        """A layer is called: looks at its arguments."""
        given = tuple(
            (key, path, index)
            for key, thing in (*enumerate(args), *kwargs.items())
            for path, index in self._look(thing)
        )
        self._open.setdefault(place, []).append(given)

    def leave(self, place: int, phase: str, output: object) -> None:
        """A layer returns, or raises: looks at its output.

        Args:
            place: The layer's id.
            phase: "forward" or "recompute".
            output: What it returned; None if it raised.
        """
        stack = self._open.get(place)
        inputs = stack.pop() if stack else None
        self.calls.append(Called(place, phase, inputs, self._look(output)))

    def await_gradients(self, output: object) -> None:
        """The model has returned: whether a tape has recorded what it did."""
        tensors = [
            x for _, x in walk_leaves(output, is_tensor) if type(x) is EagerTensor
        ]
        self.awaits = record.should_record_backprop(tensors)

    def list_held(self) -> list[tuple[int, tf.Tensor]]:
        """The activations that wait for their gradients, the last one first."""
        return sorted(self._held.items(), key=lambda pair: -pair[0])

    def take_gradients(self, found: Iterable[tuple[int, Any]]) -> None:
        """Looks at the gradients of activations, in order of arrival."""
        for index, gradient in found:
            if gradient is not None and self._held.pop(index, None) is not None:
                self.gradients.append((index, self._see(gradient)))

    def take_weight_gradient(self, names: Names, gradient: Any) -> None:
        """Looks at the gradient of a parameter."""
        self.weight_gradients[names] = self._see(gradient)

    def look_at_weights(self, weights: Iterable[Weight]) -> None:
        """Looks at parameters and buffers, unless that was done."""
        for names, x in weights:
            if names not in self.weights:
                with record.stop_recording():
                    x = read_variable_op(x.value.handle, x.value.dtype)
                found = self._measure_weights(x)
                self.weights[names] = Sight(read_shape(x), x.dtype, found)

    def skip_weights(self, weights: Iterable[Weight], reason: str) -> None:
        """Notes those that were not looked at."""
        for names, x in weights:
            skipped = Sight(read_shape(x), read_dtype(x), reason)
            self.weights.setdefault(names, skipped)

    def note_missing(self, parameters: Iterable[Weight]) -> None:
        """Notes the parameters to which no gradient came, if any came at all."""
        if self.gradients or self.weight_gradients:
            for names, x in parameters:
                missing = Sight(read_shape(x), read_dtype(x), "none arrived")
                self.weight_gradients.setdefault(names, missing)

    def settle(self, fetch: Callable[[list[Any]], list[Any]]) -> list[Any]:
        """Turns small tensors into what they hold.

        Returns:
            What those hold that were not settled before.
        """
        sights = [*self.sights, *(sight for _, sight in self.gradients)]
        sights += [*self.weights.values(), *self.weight_gradients.values()]
        measured = [sight for sight in sights if isinstance(sight.found, tuple)]
        found = fetch([sight.found for sight in measured]) if measured else []
        for sight, holds in zip(measured, found, strict=True):
            sight.found = holds if isinstance(holds, bytes) else list(holds)
        return found

    def let_go(self) -> None:
        """Forgets every activation."""
        self._known, self._open, self._held = {}, {}, {}

    def _look(self, thing: object) -> tuple[Slot, ...]:
        """Looks at each tensor in an argument or an output."""
        if type(thing) is EagerTensor:
            return (("", self._observe(thing)),)
        leaves = walk_leaves(thing, is_tensor)
        return tuple((path, self._observe(leaf)) for path, leaf in leaves)

    def _observe(self, x: object) -> int:
        """The index of the sight of a tensor, which is new or known."""
        known = self._known.get(id(x))
        if known is not None and known[0]() is x:
            return known[1]
        index, sight = len(self.sights), self._see(x)
        self.sights.append(sight)
        if type(x) is EagerTensor:
            self._known[id(x)] = ref(x), index
            measured = self._follows_gradients and not isinstance(sight.found, str)
            if measured and record.should_record_backprop([x]):
                self._held[index] = x
        return index

    def _see(self, x: object) -> Sight:
        """Measures a tensor; says so of what is none."""
        if type(x) is EagerTensor:
            return Sight(read_shape(x), x.dtype, self._measure(x))
        if is_tensor(x):
            return Sight(read_shape(x), read_dtype(x), self._measure(x))
        kind = type(x).__name__
        return Sight((), kind, f"an object of the class {kind}, not looked into")
