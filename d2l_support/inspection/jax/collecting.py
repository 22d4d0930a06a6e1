"""What is collected in one pass: small arrays and names, never an activation.

While the pass runs, weak references tell whether an array was seen before.
Arrays cannot be written to, so the same array is the same value.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any
from weakref import ref

import jax
from flax import nnx

from d2l_support.inspection import passes
from d2l_support.inspection.jax.arrays import (
    TRACED,
    is_array,
    read_array,
    read_values,
)
from d2l_support.inspection.jax.tapping import replace_leaves, try_tap
from d2l_support.inspection.leaves import walk_leaves
from d2l_support.inspection.places import Names, Weight
from d2l_support.inspection.sights import Argument, Called, Sight, see_object

ENCLOSED = "inside an object that JAX cannot take apart, so no gradient is caught"


class Pass(passes.Pass):
    """What one pass showed so far.

    Attributes:
        traced: The modules that were called where there are only tracers.
        weight_states: The parameters and buffers at the start, as weak
            references.
    """

    changed = "replaced since that pass"

    def __init__(
        self,
        number: int,
        measure: Callable[[Any], Any],
        gradients: bool,
        weight_states: list[Callable[[], object]],
    ):
        super().__init__(number, measure)
        self.weight_states, self._follows_gradients = weight_states, gradients
        self.traced: set[int] = set()
        self._known: dict[int, tuple[ref, int]] = {}
        self._tapped: set[int] = set()
        self._parameters: dict[int, tuple[nnx.Variable, Any, Any]] = {}

    def look_at_arguments(
        self, args: tuple, kwargs: Mapping[str, object]
    ) -> tuple[Argument, ...]:
        """Looks at arguments, each under its position or its name."""
        return tuple(
            (key, path, self._observe(leaf))
            for key, thing in (*enumerate(args), *kwargs.items())
            for path, leaf in list_leaves(thing)
        )

    def leave(
        self, place: int, inputs: tuple[Argument, ...] | None, output: Any
    ) -> Any:
        """A module returns: looks at its output.

        Returns:
            The output, with taps in it where gradients are to be caught.
        """
        leaves = list_leaves(output)
        slots = tuple((path, self._observe(leaf)) for path, leaf in leaves)
        if any(self.sights[at].found is TRACED for _, at in slots):
            self.traced.add(place)
            return output
        self.calls.append(Called(place, inputs, slots))
        if not self._follows_gradients:
            return output
        tapped: dict[int, Any] = {}
        for (_, leaf), (_, at) in zip(leaves, slots, strict=True):
            self._tap(read_array(leaf), at, tapped)
        return self._replace(output, tapped) if tapped else output

    def tap_parameters(self, variables: Iterable[Weight]) -> list[nnx.Variable]:
        """Lets gradients of parameters be seen, from now to `untap_parameters`.

        Args:
            variables: The parameters of a model, or of its copy in `nnx.grad`.

        Returns:
            Those that were tapped.
        """
        named = [(names, variable) for names, variable in variables]
        named = [(n, v) for n, v in named if is_differentiated(v.get_raw_value())]
        new = [(n, v) for n, v in named if not self._is_tapped(v)]
        raws = [variable.get_raw_value() for _, variable in new]
        names = [names for names, _ in new]
        taps = try_tap(partial(self._arrive_at_parameters, names), raws)
        for (_, variable), raw, tapped in zip(new, raws, taps, strict=True):
            self._parameters[id(variable)] = variable, raw, tapped
        for _, variable in named:
            variable.set_raw_value(self._parameters[id(variable)][2])
        self.awaits = self.awaits or taps is not raws
        return [variable for _, variable in named]

    def _is_tapped(self, variable: nnx.Variable) -> bool:
        """Whether a parameter of this copy of the model was tapped before."""
        known = self._parameters.get(id(variable))
        return known is not None and known[1] is variable.get_raw_value()

    def untap_parameters(self, variables: Iterable[nnx.Variable]) -> None:
        """Puts the parameters back, unless the model has set them since."""
        for variable in variables:
            _, raw, tapped = self._parameters[id(variable)]
            if variable.get_raw_value() is tapped:
                variable.set_raw_value(raw)

    def see(self, x: Any) -> Sight:
        """Measures an array; says so of what is none."""
        if not is_array(x):
            return see_object(x)
        values = read_values(x)
        found = TRACED if values is None else self._measure(values)
        return Sight(tuple(x.shape), x.dtype, found)

    def see_weight(self, x: Any) -> Sight:
        """Measures a parameter or buffer."""
        return self.see(read_array(x))

    def skip(self, x: Any, reason: str) -> Sight:
        """Notes of a parameter or buffer why there are no numbers."""
        x = read_array(x)
        return Sight(tuple(x.shape), x.dtype, reason)

    def let_go(self) -> None:
        """Forgets every activation."""
        self._known, self._parameters = {}, {}

    def _observe(self, x: Any) -> int:
        """The index of the sight of an array, which is new or known.

        Args:
            x: An array, a tracer, or an object that is neither.
        """
        x = read_array(x)
        known = self._known.get(id(x))
        if known is not None and known[0]() is x:
            return known[1]
        self.sights.append(self.see(x))
        self._remember(x, len(self.sights) - 1)
        return len(self.sights) - 1

    def _tap(self, x: Any, index: int, tapped: dict[int, Any]) -> None:
        """Lets the gradient of an output be seen, if it has one.

        Args:
            x: The output, a value that was seen.
            index: The index of its sight.
            tapped: Where to put the tapped array, by the id of the output.
        """
        if not isinstance(x, jax.core.Tracer) or index in self._tapped:
            return
        new = try_tap(partial(self._arrive, index), x)
        if new is not x:
            tapped[id(x)] = new
            self._tapped.add(index)
            self._remember(new, index)
            self.awaits = True

    def _remember(self, x: Any, index: int) -> None:
        """Keeps a weak reference to an array, where there can be one."""
        if isinstance(x, jax.Array):
            self._known[id(x)] = ref(x), index

    def _replace(self, output: Any, tapped: Mapping[int, Any]) -> Any:
        """The output with taps in it; notes where one could not be put in."""
        replaced = replace_leaves(output, tapped)
        there = {id(leaf) for _, leaf in list_leaves(replaced)}
        for x in tapped.values():
            if id(x) not in there:
                lost = Sight(tuple(x.shape), x.dtype, ENCLOSED)
                self.gradients.append((self._known[id(x)][1], lost))
        return replaced

    def _arrive(self, index: int, gradient: Any) -> None:
        """A gradient arrives at an output that was seen before."""
        self.gradients.append((index, self.see(gradient)))

    def _arrive_at_parameters(self, names: list[Names], gradients: list[Any]) -> None:
        """The gradients of the parameters arrive, those of the last layers first."""
        for each, gradient in reversed(list(zip(names, gradients, strict=True))):
            self.weight_gradients[each] = self.see(gradient)


def list_leaves(thing: object) -> list[tuple[str, Any]]:
    """The arrays in an argument or an output, and how each is reached."""
    if isinstance(thing, jax.Array):
        return [("", thing)]
    return list(walk_leaves(thing, is_array))


def is_differentiated(x: object) -> bool:
    """Whether an array is being differentiated in an eager pass."""
    return isinstance(x, jax.core.Tracer) and read_values(x) is not None
