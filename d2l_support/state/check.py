"""What is checked of a saved state before the first stream is touched."""

import warnings
from collections.abc import Mapping

import numpy as np

from d2l_support.state.file import RandomStateError, check_version
from d2l_support.state.forms import FormError, decode_state, show
from d2l_support.state.slots import Slot, Streams

PARTS = ("format", "version", "framework", "versions", "devices")
GROUPS = ("process", "named")


class RandomStateWarning(UserWarning):
    """A state was put back, but in another release than it was saved in."""


def check_content(content: object, streams: Streams, where: object) -> None:
    """Refuses states of another framework, or for other streams.

    Raises:
        RandomStateError: The message says what was found and expected.
    """
    check_version(content, where)
    _check_parts(content, where)
    if content["framework"] != streams.framework:
        raise RandomStateError(
            f"{where}: found the random state of {show(content['framework'])}, "
            f"expected that of {streams.framework!r}. Load it where it was saved."
        )
    if content["devices"] != streams.devices:
        raise RandomStateError(
            f"{where}: found states for {content['devices']} device(s), expected "
            f"{streams.devices}, as in this process. Load it in a process that "
            f"has {content['devices']}, counting the CPU."
        )
    if set(content["process"]) != set(streams.process):
        raise _damaged(where, "it has other streams than this process")
    _check_names(content["named"], streams.named, where)


def _check_parts(content: dict[str, object], where: object) -> None:
    """Refuses unless there are all parts, each of its type."""
    if set(content) != {*PARTS, *GROUPS}:
        raise _damaged(where, "it has other parts than a random state has")
    framework, devices = content["framework"], content["devices"]
    if not isinstance(framework, str):
        raise _damaged(where, f"its framework is {show(framework)}")
    if type(devices) is not int or devices < 1:
        raise _damaged(where, f"its number of devices is {show(devices)}")
    for part in ("versions", *GROUPS):
        if not isinstance(content[part], dict):
            raise _damaged(where, f"its {part} part is {show(content[part])}")
    if not all(isinstance(text, str) for text in content["versions"].values()):
        raise _damaged(where, "one of its versions is no text")


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


def decode_group(
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


def warn_of_versions(
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
