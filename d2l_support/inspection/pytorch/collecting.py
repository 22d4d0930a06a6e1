"""What is collected in one pass: small tensors and names, never an activation.

While the pass runs, weak references tell whether a tensor was seen before.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any
from weakref import ref

from torch import Tensor

from d2l_support.inspection import passes
from d2l_support.inspection.leaves import walk_leaves
from d2l_support.inspection.places import Names
from d2l_support.inspection.pytorch.tensors import is_tensor, name_dtype, read_shape
from d2l_support.inspection.runs import Slot
from d2l_support.inspection.sights import Argument, Called, Sight, see_object


class Pass(passes.Pass):
    """What one pass showed so far.

    Attributes:
        weight_states: What state each parameter and buffer was in at the start.
    """

    changed = "written to since that pass"

    def __init__(
        self,
        number: int,
        measure: Callable[[Tensor], Any],
        gradients: bool,
        weight_states: list[object],
    ):
        super().__init__(number, measure)
        self.weight_states, self._follows_gradients = weight_states, gradients
        self._open: dict[int, list[tuple[Argument, ...]]] = {}
        self._known: dict[int, tuple[ref, object, int]] = {}
        self._handles: list[Any] = []

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
        self.calls.append(Called(place, inputs, self._look(output), phase))

    def look_at_gradient(self, names: Names, parameter: Tensor) -> None:
        """Looks at the gradient of a parameter that was just added to."""
        if parameter.grad is not None:
            self.weight_gradients[names] = self.see(parameter.grad)

    def see(self, x: object) -> Sight:
        """Measures a tensor; says so of what is none."""
        if isinstance(x, Tensor):
            return Sight(read_shape(x), x.dtype, self._measure(x))
        return see_object(x)

    def skip(self, x: Tensor, reason: str) -> Sight:
        """Notes of a parameter or buffer why there are no numbers."""
        return Sight(x.shape, x.dtype, reason)

    def let_go(self) -> None:
        """Forgets every activation, and takes the hooks off them."""
        for handle in self._handles:
            handle.remove()
        self._handles, self._known, self._open = [], {}, {}

    def name_dtype(self, dtype: Any) -> str:
        """The name of a dtype: "float32"."""
        return name_dtype(dtype)

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
        index, sight = len(self.sights), self.see(x)
        self.sights.append(sight)
        if isinstance(x, Tensor):
            self._known[id(x)] = (ref(x), state, index)
            measured = not isinstance(sight.found, str)
            if self._follows_gradients and measured and x.requires_grad:
                self._handles.append(x.register_hook(partial(self._arrive, index)))
        return index

    def _arrive(self, index: int, gradient: Tensor) -> None:
        """A gradient arrives at a tensor that was seen before."""
        self.gradients.append((index, self.see(gradient)))


def read_state(x: object) -> object:
    """What changes when a tensor is written to; unknown in inference mode."""
    try:
        return x._version
    except (AttributeError, RuntimeError):
        return object()
