"""What a pass notes: tensors that were looked at, and calls that ended."""

from dataclasses import dataclass
from typing import Any, NamedTuple

from d2l_support.inspection.runs import FORWARD, Slot

Argument = tuple[int | str, str, int]  # position or name, path, index of a sight


@dataclass(slots=True)
class Sight:
    """One tensor, looked at.

    Attributes:
        shape: Its shape.
        dtype: Its dtype; the name of a class for what is no tensor.
        found: Small tensors on its device; once settled, a list of what they
            hold, or bytes. Or a text: why there is nothing.
    """

    shape: tuple[int, ...]
    dtype: Any
    found: Any


class Called(NamedTuple):
    """One call of a module, noted when it ended."""

    place: int
    inputs: tuple[Argument, ...] | None
    outputs: tuple[Slot, ...]
    phase: str = FORWARD


def see_object(x: object) -> Sight:
    """The sight of what is no tensor."""
    kind = type(x).__name__
    return Sight((), kind, f"an object of the class {kind}, not looked into")
