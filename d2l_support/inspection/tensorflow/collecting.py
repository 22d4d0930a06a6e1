"""What is collected in one pass: small tensors and names.

Activations are immutable in TensorFlow, so one that was seen is known again by
being the same object; weak references tell. Only those that a tape records,
and whose gradients are wanted, are held until the backward pass has given
these, or the pass has ended.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any
from weakref import ref

import tensorflow as tf
from tensorflow.python.eager import record
from tensorflow.python.framework.ops import EagerTensor
from tensorflow.python.ops.gen_resource_variable_ops import read_variable_op

from d2l_support.inspection import passes
from d2l_support.inspection.leaves import walk_leaves
from d2l_support.inspection.places import Names
from d2l_support.inspection.runs import Slot
from d2l_support.inspection.sights import Argument, Called, Sight, see_object
from d2l_support.inspection.tensorflow.tensors import (
    is_tensor,
    read_dtype,
    read_shape,
)

Measure = Callable[[Any], Any]


class Pass(passes.Pass):
    """What one pass showed so far."""

    def __init__(
        self, number: int, measure: Measure, gradients: bool, measure_weights: Measure
    ):
        super().__init__(number, measure)
        self._follows_gradients, self._measure_weights = gradients, measure_weights
        self._open: dict[int, list[tuple[Argument, ...]]] = {}
        self._known: dict[int, tuple[ref, int]] = {}
        self._held: dict[int, tf.Tensor] = {}

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
        self.calls.append(Called(place, inputs, self._look(output), phase))

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
                self.gradients.append((index, self.see(gradient)))

    def take_weight_gradient(self, names: Names, gradient: Any) -> None:
        """Looks at the gradient of a parameter."""
        self.weight_gradients[names] = self.see(gradient)

    def see(self, x: object) -> Sight:
        """Measures a tensor; says so of what is none."""
        if type(x) is EagerTensor:
            return Sight(read_shape(x), x.dtype, self._measure(x))
        if is_tensor(x):
            return Sight(read_shape(x), read_dtype(x), self._measure(x))
        return see_object(x)

    def see_weight(self, x: Any) -> Sight:
        """Measures a parameter or buffer, unknown to any tape."""
        with record.stop_recording():
            x = read_variable_op(x.value.handle, x.value.dtype)
        return Sight(read_shape(x), x.dtype, self._measure_weights(x))

    def skip(self, x: Any, reason: str) -> Sight:
        """Notes of a parameter or buffer why there are no numbers."""
        return Sight(read_shape(x), read_dtype(x), reason)

    def name_dtype(self, dtype: tf.DType | str) -> str:
        """The name of a dtype: "float32"."""
        return dtype if isinstance(dtype, str) else dtype.name

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
        index, sight = len(self.sights), self.see(x)
        self.sights.append(sight)
        if type(x) is EagerTensor:
            self._known[id(x)] = ref(x), index
            measured = self._follows_gradients and not isinstance(sight.found, str)
            if measured and record.should_record_backprop([x]):
                self._held[index] = x
        return index
