"""What a pass notes: arrays that were looked at, and calls that ended."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import jax

from d2l_support.inspection.jax.arrays import is_array, read_values
from d2l_support.inspection.leaves import walk_leaves
from d2l_support.inspection.runs import Slot, Value

Argument = tuple[int | str, str, int]  # position or name, path, index of a sight
Names = tuple[str, ...]
Weight = tuple[Names, Any]


@dataclass(slots=True)
class Sight:
    """One array, looked at.

    Attributes:
        shape: Its shape.
        dtype: Its dtype, or the name of the class of what is no array.
        found: A small array on its device; once settled, a list of what it
            holds, or bytes. Or a text: why there is nothing.
    """

    shape: tuple[int, ...]
    dtype: object
    found: Any

    def to_value(self) -> Value:
        """The sight in plain numbers; it must be settled."""
        dtype = str(self.dtype)
        if isinstance(self.found, str):
            return Value(self.shape, dtype, skipped=self.found)
        if isinstance(self.found, bytes):
            return Value(self.shape, dtype, data=self.found)
        return Value(self.shape, dtype, tuple(self.found))


class Called(NamedTuple):
    """One call of a module, noted when it ended."""

    place: int
    inputs: tuple[Argument, ...] | None
    outputs: tuple[Slot, ...]


def list_leaves(thing: object) -> list[tuple[str, Any]]:
    """The arrays in an argument or an output, and how each is reached."""
    if isinstance(thing, jax.Array):
        return [("", thing)]
    return list(walk_leaves(thing, is_array))


def is_differentiated(x: object) -> bool:
    """Whether an array is being differentiated in an eager pass."""
    return isinstance(x, jax.core.Tracer) and read_values(x) is not None
