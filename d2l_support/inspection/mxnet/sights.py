"""What is noted of one array, and of one call of a block."""

from dataclasses import dataclass
from typing import Any, NamedTuple

from d2l_support.inspection.mxnet.arrays import Array
from d2l_support.inspection.mxnet.blocks import Names
from d2l_support.inspection.runs import Slot, Value

Argument = tuple[int, str, int]  # position, path, index of a sight
Weight = tuple[Names, Array]


@dataclass(slots=True)
class Sight:
    """One array, looked at.

    Attributes:
        shape: Its shape.
        dtype: The name of its dtype, or of a class for what is no array.
        found: A tuple of small arrays on its device; once settled, a list of
            what they hold, or bytes. Or a text: why there is nothing.
    """

    shape: tuple[int, ...]
    dtype: str
    found: Any

    def to_value(self) -> Value:
        """The sight in plain numbers; it must be settled."""
        if isinstance(self.found, str):
            return Value(self.shape, self.dtype, skipped=self.found)
        if isinstance(self.found, bytes):
            return Value(self.shape, self.dtype, data=self.found)
        return Value(self.shape, self.dtype, tuple(self.found))


class Called(NamedTuple):
    """One call of a block, noted when it ended."""

    place: int
    inputs: tuple[Argument, ...] | None
    outputs: tuple[Slot, ...]


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


def is_equal(one: Sight, other: Sight) -> bool:
    """Whether two settled sights show the same; NaN equals NaN."""
    if isinstance(one.found, bytes):
        return one == other
    return repr(one) == repr(other)
