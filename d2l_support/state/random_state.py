"""Saving the random streams of a process, and putting them back.

Putting back is all or nothing: every state is checked before the first stream
is touched.
"""

import os

import numpy as np

from d2l_support.atomic import write_atomically
from d2l_support.state.check import check_content, decode_group, warn_of_versions
from d2l_support.state.file import FORMAT, VERSION, encode_file, read_state_file
from d2l_support.state.forms import encode_state
from d2l_support.state.slots import Slot, Streams


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
    check_content(content, streams, where)
    states = {
        group: decode_group(content[group], slots, where)
        for group, slots in (
            ("process", streams.process),
            ("named", streams.named),
        )
    }
    warn_of_versions(content["versions"], streams.versions, where)
    for name, slot in streams.process.items():
        slot.write(states["process"][name])
    named = streams.named.items()
    return {name: slot.write(states["named"][name]) for name, slot in named}


def _read_slot(slot: Slot) -> dict[str, object]:
    """What the file holds of one stream."""
    state = slot.read()
    encoded = None if state is None else encode_state(slot.form, state)
    return {"kind": slot.kind, "state": encoded}
