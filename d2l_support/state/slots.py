"""Slots: random streams as a saved state sees them.

A *slot* is one stream: which generator it is, what its state is made of, how
to read it and how to put it back. `shared_slots` has those of Python and
NumPy; each framework adds its own.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from d2l_support.state.forms import Form


def accept_state(state: dict) -> str | None:
    """No objection."""


@dataclass(frozen=True)
class Slot:
    """One random stream, as a saved state sees it.

    Attributes:
        kind: Which generator it is; the one in the file has to be the same.
        form: What its state is made of.
        read: Returns its state, as `form` says; None if it is not made yet.
        write: Puts a state into it and returns the stream.
        check: Says what is wrong with a state of the right form, or None.
        optional: Whether the stream may be not made yet.
    """

    kind: str
    form: Form
    read: Callable[[], dict | None]
    write: Callable[[dict | None], object]
    check: Callable[[dict], str | None] = accept_state
    optional: bool = False


@dataclass(frozen=True)
class Streams:
    """All streams of a process that can be saved.

    Attributes:
        framework: The framework's key.
        versions: The framework's packages and their releases.
        devices: How many devices have streams of their own, the CPU included.
        process: The slots of the streams that the process has in any case.
        named: The slots of the streams that the reader hands in, by name.
    """

    framework: str
    versions: Mapping[str, str]
    devices: int
    process: Mapping[str, Slot]
    named: Mapping[str, Slot]
