"""Saving the random streams of a process, and putting them back.

A *slot* is one stream as a saved state sees it: which generator it is, what
its state is made of, how to read it and how to put it back. `slots` has those
of Python and NumPy; each framework module adds its own. Putting back is all
or nothing: every state is checked before the first stream is touched.
"""

import os
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from d2l_support.atomic import write_atomically
from d2l_support.forms import Form, FormError, decode_state, encode_state, show
from d2l_support.state_file import (
    FORMAT,
    VERSION,
    RandomStateError,
    check_version,
    encode_file,
    read_state_file,
)

PARTS = ("format", "version", "framework", "versions", "devices")
GROUPS = ("process", "named")


class RandomStateWarning(UserWarning):
    """A state was put back, but in another release than it was saved in."""


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


def read_streams(streams: Streams) -> dict[str, object]:
    """The states of all streams, as JSON can hold them; none is touched.

    Raises:
        RandomStateError: A stream has no state that can be read.
    """
    groups = {"process": streams.process, "named": streams.named}
    return {
        "format": FORMAT,
        "version": VERSION,
        "framework": streams.framework,
        "versions": {"numpy": np.__version__, **streams.versions},
        "devices": streams.devices,
    } | {
        group: {name: _read_slot(slot) for name, slot in slots.items()}
        for group, slots in groups.items()
    }


def save_streams(path: str | os.PathLike[str], streams: Streams) -> None:
    """Writes the states of all streams to a file, whole or not at all."""
    write_atomically(path, encode_file(read_streams(streams)))


def load_streams(path: str | os.PathLike[str], streams: Streams) -> dict[str, object]:
    """The named streams, once the file's states have been put back."""
    return restore_streams(read_state_file(path), streams, path)


def restore_streams(
    content: object, streams: Streams, where: object
) -> dict[str, object]:
    """The named streams, once the states have been put back.

    Args:
        content: What `read_streams` returned, here or in another process.
        streams: The streams of this process.
        where: Where the content comes from, for messages.

    Raises:
        RandomStateError: It does not fit; then no stream has been touched.
    """
    _check_content(content, streams, where)
    states = {
        group: _decode_group(content[group], slots, where)
        for group, slots in (
            ("process", streams.process),
            ("named", streams.named),
        )
    }
    _warn_of_versions(content["versions"], streams.versions, where)
    for name, slot in streams.process.items():
        slot.write(states["process"][name])
    named = streams.named.items()
    return {name: slot.write(states["named"][name]) for name, slot in named}


def _read_slot(slot: Slot) -> dict[str, object]:
    """What the file holds of one stream."""
    state = slot.read()
    encoded = None if state is None else encode_state(slot.form, state)
    return {"kind": slot.kind, "state": encoded}


def _check_content(content: object, streams: Streams, where: object) -> None:
    """Refuses states of another framework, or for other streams."""
    check_version(content, where)
    found = content.get("framework")
    if isinstance(found, str) and found != streams.framework:
        raise RandomStateError(
            f"{where}: found the random state of {show(found)}, expected that "
            f"of {streams.framework!r}. Load it where it was saved."
        )
    if set(content) != {*PARTS, *GROUPS} or not isinstance(found, str):
        raise _damaged(where, "it has other parts than a random state has")
    devices = content["devices"]
    if type(devices) is not int or devices < 1:
        raise _damaged(where, f"its number of devices is {show(devices)}")
    if devices != streams.devices:
        raise RandomStateError(
            f"{where}: found states for {devices} device(s), expected "
            f"{streams.devices}, as in this process. Load it in a process that "
            f"has {devices}, counting the CPU."
        )
    for part in ("versions", *GROUPS):
        if not isinstance(content[part], dict):
            raise _damaged(where, f"its {part} part is {show(content[part])}")
    if not all(isinstance(text, str) for text in content["versions"].values()):
        raise _damaged(where, "one of its versions is no text")
    if set(content["process"]) != set(streams.process):
        raise _damaged(where, "it has other streams than this process")
    _check_names(content["named"], streams.named, where)


def _check_names(
    found: Mapping[str, object], named: Mapping[str, Slot], where: object
) -> None:
    """Refuses unless the file has just the names that were handed in."""
    if missing := sorted(set(found) - set(named)):
        example = ", ".join(f"{name}=..." for name in missing)
        raise RandomStateError(
            f"{where}: found states for {', '.join(missing)}, expected that "
            f"those streams are handed in. Call it with {example} as well."
        )
    if stray := sorted(set(named) - set(found)):
        raise RandomStateError(
            f"{where}: found no state for {', '.join(stray)}, expected one for "
            f"each stream that is handed in. Leave out {', '.join(stray)}, or "
            "save again with it."
        )


def _decode_group(
    found: Mapping[str, object], slots: Mapping[str, Slot], where: object
) -> dict[str, dict | None]:
    """The checked states of one group of streams, by name."""
    return {
        name: _decode_slot(found[name], slot, f"stream {name!r}", where)
        for name, slot in slots.items()
    }


def _decode_slot(found: object, slot: Slot, stream: str, where: object) -> dict | None:
    """The checked state of one stream."""
    if not isinstance(found, dict) or set(found) != {"kind", "state"}:
        raise _damaged(where, f"{stream} is {show(found)}")
    kind = found["kind"]
    if not isinstance(kind, str):
        raise _damaged(where, f"the kind of {stream} is {show(kind)}")
    if kind != slot.kind:
        raise RandomStateError(
            f"{where}: found for {stream} the state of {show(kind, 200)}, expected "
            f"that of {slot.kind!r}. Use a generator of the saved kind."
        )
    if found["state"] is None and slot.optional:
        return None
    try:
        state = decode_state(slot.form, found["state"])
    except FormError as error:
        raise _damaged(where, f"{stream}: {error}") from None
    if objection := slot.check(state):
        raise _damaged(where, f"{stream}: {objection}")
    return state


def _damaged(where: object, what: str) -> RandomStateError:
    """The error for content that no process of ours has written."""
    return RandomStateError(
        f"{where}: found nonsense, expected what save_random_state wrote: "
        f"{what}. Take another copy, or an older state."
    )


def _warn_of_versions(
    saved: Mapping[str, str], versions: Mapping[str, str], where: object
) -> None:
    """Warns where the state was saved in other releases than these."""
    present = {"numpy": np.__version__, **versions}
    changes = [
        f"{name} {saved.get(name, 'none')} there and {present.get(name, 'none')} here"
        for name in sorted({*saved, *present})
        if saved.get(name) != present.get(name)
    ]
    if changes:
        warnings.warn(
            f"{where}: found {', '.join(changes)}, expected the same releases. "
            "The states are put back; the same state may draw other numbers.",
            RandomStateWarning,
            stacklevel=5,
        )
