"""What is collected in one pass: small arrays and names, never an activation.

While the pass runs, weak references tell whether an array was seen before.
MXNet does not tell whether one was written to meanwhile, so an array is
measured again where code that is not Gluon's own could have done that. If
the numbers are equal in the end, it counts as one value.
"""

from collections.abc import Callable
from typing import Any, NamedTuple
from weakref import ref

from d2l_support.inspection import passes
from d2l_support.inspection.leaves import walk_leaves
from d2l_support.inspection.mxnet.arrays import Array, is_array, name_dtype
from d2l_support.inspection.mxnet.marking import Mark
from d2l_support.inspection.places import Weight
from d2l_support.inspection.sights import Argument, Called, Sight, see_object


class Opened(NamedTuple):
    """A call that has not ended.

    Attributes:
        place: The block's id.
        sealed: Whether the block's own code is Gluon's, which writes to none
            of the arrays that it is given.
        inputs: Its arguments, if they were looked at.
    """

    place: int
    sealed: bool
    inputs: tuple[Argument, ...] | None


class Pass(passes.Pass):
    """What one pass showed so far.

    Attributes:
        same: By the index of a sight, that of an earlier one of the same
            array; once settled, only where the numbers are equal.
        marks: Where gradients are to arrive.
        returned: Whether a backward pass has run since this one began.
    """

    def __init__(self, number: int, measure: Callable[[Array], Any]):
        super().__init__(number, measure)
        self.returned = False
        self.same: dict[int, int] = {}
        self.marks: list[Mark] = []
        self._open: list[Opened] = []
        self._known: dict[int, tuple[ref, int]] = {}

    def enter(self, place: int, sealed: bool, args: tuple | None) -> None:
        """A block is called: looks at its arguments, before it changes them.

        Args:
            place: The block's id.
            sealed: Whether its own code is Gluon's.
            args: The arguments; None if they are not to be looked at.
        """
        around = self._open[-1].sealed if self._open else False
        given = None
        if args is not None:
            given = tuple(
                (position, path, index)
                for position, thing in enumerate(args)
                for path, index, _ in self._look(thing, around)
            )
        self._open.append(Opened(place, sealed, given))

    def leave(self, place: int, output: object, gradients: bool) -> None:
        """A block returns: looks at its output.

        Args:
            place: The block's id.
            output: What it returned.
            gradients: Whether to mark the arrays in it.
        """
        while self._open and self._open[-1].place != place:
            self._open.pop()  # it raised, and somebody took care of that
        opened = self._open.pop() if self._open else Opened(place, False, None)
        looked = self._look(output, opened.sealed)
        outputs = tuple((path, index) for path, index, _ in looked)
        self.calls.append(Called(place, opened.inputs, outputs))
        if gradients:
            for _, index, leaf in looked:
                self._follow(index, leaf)

    def come_back(self, arrived: list[Weight], retained: bool) -> None:
        """A backward pass has run: looks at the gradients that it brought.

        An activation's gradient rests on those of activations that came
        later, so they are listed from the last to the first.

        Args:
            arrived: The gradients of parameters, by their names.
            retained: Whether another backward pass may follow.
        """
        for names, gradient in arrived:
            self.weight_gradients[names] = self.see(gradient)
        for mark in reversed(self.marks):
            self.gradients.append((mark.index, self.see(mark.buffer)))
        if not retained:
            self._remove_marks()

    def settle(self, fetch: Callable[[list[Any]], list[Any]]) -> list[Any]:
        """Turns small arrays into what they hold; arrays with equal ones join.

        Returns:
            What those hold that were not settled before.
        """
        found = super().settle(fetch)
        self._join_equal()
        return found

    def let_go(self) -> None:
        """Forgets every activation."""
        self._remove_marks()
        self._known, self._open = {}, []

    def give_up(self) -> None:
        """Forgets what cannot be brought home any more, after an exception."""
        gradients = [sight for _, sight in self.gradients]
        more = [*self.weights.values(), *self.weight_gradients.values()]
        for sight in (*self.sights, *gradients, *more):
            if isinstance(sight.found, tuple):
                sight.found = "lost in the exception"

    def see(self, x: object) -> Sight:
        """Measures an array; says so of what is none."""
        if isinstance(x, Array):
            return Sight(tuple(x.shape), name_dtype(x), self._measure(x))
        return see_object(x)

    def skip(self, x: Array, reason: str) -> Sight:
        """Notes of a parameter why there are no numbers."""
        return Sight(tuple(x.shape), name_dtype(x), reason)

    def find_value(self, index: int) -> int:
        """The index of the value that a sight shows, in a settled pass."""
        return self.same.get(index, index)

    def _look(self, thing: object, sealed: bool) -> list[tuple[str, int, object]]:
        """The path, the sight and the leaf for each array in a nested value.

        Args:
            thing: An argument or an output.
            sealed: Whether the code that ran since it was last seen was
                Gluon's own.
        """
        leaves = walk_leaves(thing, is_array)
        return [(path, self._observe(leaf, sealed), leaf) for path, leaf in leaves]

    def _observe(self, x: object, sealed: bool) -> int:
        """The index of the sight of an array, which is new or known."""
        known = self._known.get(id(x))
        if known is not None and known[0]() is x:
            if sealed:
                return known[1]
            self.same[len(self.sights)] = known[1]
        index = len(self.sights)
        self.sights.append(self.see(x))
        if type(x).__weakrefoffset__:  # legacy arrays have no weak references
            self._known[id(x)] = (ref(x), index)
        return index

    def _follow(self, index: int, leaf: object) -> None:
        """Marks an array, so that its gradient will be kept."""
        measured = isinstance(self.sights[index].found, tuple)
        if measured and (mark := Mark.make(index, leaf)):
            self.marks.append(mark)

    def _remove_marks(self) -> None:
        """Awaits no more gradients."""
        for mark in self.marks:
            mark.remove()
        self.marks = []

    def _join_equal(self) -> None:
        """Makes one value of each array that was measured twice, but not changed."""
        for later, earlier in list(self.same.items()):
            earlier = self.same.get(earlier, earlier)
            one, other = self.sights[earlier], self.sights[later]
            if is_equal(one, other):
                self.same[later] = earlier
            else:
                del self.same[later]


def is_equal(one: Sight, other: Sight) -> bool:
    """Whether two settled sights show the same; NaN equals NaN."""
    if isinstance(one.found, bytes):
        return one == other
    return repr(one) == repr(other)
