"""The random streams of a process: who seeded them, which have moved on.

A *stream* is a generator: a state, and a rule that turns it into the next
number and the next state. This module knows the streams that every Python
process has (`random` and NumPy's legacy global) and keeps a ledger of what
`set_seed` did. The framework modules add their own streams to it.
"""

import hashlib
import random
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

KINDS = (np.random.Generator, np.random.RandomState, random.Random)
KIND_NAMES = (
    "numpy.random.Generator",
    "numpy.random.RandomState",
    "random.Random",
)

# Stream name -> (seed, fingerprint of the state right after seeding).
_ledger: dict[str, tuple[int, str | None]] = {}


@dataclass(frozen=True)
class Stream:
    """One random stream, as an inventory shows it.

    Attributes:
        name: What the inventory calls the stream.
        library: The library whose generator it is.
        seeded_by: The seed that `set_seed` gave it in this process, or None.
        moved: True when its state differs from the one right after seeding,
            False when it is the same, None when that cannot be known.
        reached: Whether `set_seed` seeds this stream.
        note: What a reader should know about it, or nothing.
    """

    name: str
    library: str
    seeded_by: int | None
    moved: bool | None
    reached: bool
    note: str = ""


def check_seed(seed: int) -> int:
    """The seed as a plain int.

    Args:
        seed: An integer from 0 to 2**32 - 1; NumPy's integers will do.

    Raises:
        TypeError: It is not an integer.
        ValueError: It is out of range.
    """
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer):
        kind = type(seed).__name__
        raise TypeError(f"seed is {seed!r} ({kind}): give an int, such as 0.")
    if not 0 <= seed < 2**32:
        raise ValueError(
            f"seed is {seed}: give an int from 0 to 2**32 - 1 = {2**32 - 1}; "
            "NumPy's legacy global takes 32 bits and no sign."
        )
    return int(seed)


def fingerprint(state: bytes) -> str:
    """The SHA-256 digest of a state, as 64 hexadecimal digits."""
    return hashlib.sha256(state).hexdigest()


def remember_seed(name: str, seed: int, state: bytes | None) -> None:
    """Notes in the ledger that a stream was seeded and has this state now.

    Args:
        name: The stream's name in an inventory.
        seed: The seed it was given.
        state: Its state right after seeding; None where it cannot be read.
    """
    start = None if state is None else fingerprint(state)
    _ledger[name] = (seed, start)


def list_global(
    name: str,
    library: str,
    state: bytes | None,
    note: str = "",
) -> Stream:
    """The row of a stream that `set_seed` reaches, from its present state."""
    seed, start = _ledger.get(name, (None, None))
    known = start is not None and state is not None
    moved = fingerprint(state) != start if known else None
    return Stream(name, library, seed, moved, True, note)


def read_python_state() -> bytes:
    """The state of Python's `random`; reading does not change it."""
    return repr(random.getstate()).encode()


def read_numpy_state() -> bytes:
    """The state of NumPy's legacy global; reading does not change it."""
    algorithm, key, *position = np.random.get_state()
    return key.tobytes() + repr((algorithm, position)).encode()


def list_shared() -> tuple[Stream, ...]:
    """The rows of the two streams that every Python process has."""
    return (
        list_global("Python random", "Python", read_python_state()),
        list_global("NumPy global", "NumPy", read_numpy_state()),
    )


def seed_shared(seed: int) -> tuple[Stream, ...]:
    """The rows of `random` and NumPy's legacy global, just seeded.

    State touched: both streams, and the ledger.
    """
    random.seed(seed)
    np.random.seed(seed)
    remember_seed("Python random", seed, read_python_state())
    remember_seed("NumPy global", seed, read_numpy_state())
    return list_shared()


def list_named(
    named: dict[str, object],
    describe: Callable[[str, object], Stream | None],
    accepted: tuple[str, ...],
) -> tuple[Stream, ...]:
    """The rows of generators that the reader holds, in the order given.

    Args:
        named: The generators by the names to show.
        describe: Makes the row of one of the framework's own generators;
            returns None for anything else.
        accepted: The kinds that `describe` knows, or why there are none.

    Raises:
        TypeError: One of them is no generator that is known here.
    """
    rows = []
    for name, generator in named.items():
        row = describe_private(name, generator) or describe(name, generator)
        if row is None:
            kinds = ", ".join((*KIND_NAMES, *accepted))
            raise TypeError(
                f"random_inventory({name}=...): found an object of type "
                f"{name_type(generator)}, expected one of {kinds}."
            )
        rows.append(row)
    return tuple(rows)


def describe_private(name: str, generator: object) -> Stream | None:
    """The row of a NumPy or Python generator object; None for other things."""
    for kind, kind_name in zip(KINDS, KIND_NAMES, strict=True):
        if isinstance(generator, kind):
            library = "Python" if kind is random.Random else "NumPy"
            note = f"{kind_name} object: seed it where you make it."
            return Stream(name, library, None, None, False, note)
    return None


def name_type(thing: object) -> str:
    """The full name of a thing's type, for messages."""
    kind = type(thing)
    if kind.__module__ == "builtins":
        return kind.__qualname__
    return f"{kind.__module__}.{kind.__qualname__}"
