"""Saving and resuming PyTorch's random streams."""

import os
from collections.abc import Callable
from functools import partial
from struct import unpack_from

import numpy as np
import torch

from d2l_support.state.forms import Words
from d2l_support.state.random_state import (
    load_streams,
    read_streams,
    restore_streams,
    save_streams,
)
from d2l_support.state.shared_slots import TWISTER, list_named_slots, list_shared_slots
from d2l_support.state.slots import Slot, Streams

ACCEPTED = ("torch.Generator",)
# Where the pinned release keeps the parts of a CPU generator's state.
LEFT, NEXT, WORDS, NORMAL = 8, 16, 24, 24 + 8 * TWISTER + 8


def save_random_state(path: str | os.PathLike[str], /, **named: object) -> None:
    """Writes the random streams of this process to a file, whole or not at all.

    Saved are Python's `random`, NumPy's legacy global, torch's generators of
    the CPU and of every CUDA device, and the streams that you name. Streams
    inside loader workers live in other processes and are not reached.

    Args:
        path: The file to write; it is JSON, and reading it runs nothing.
        **named: Generators of your own: torch's, NumPy's or Python's.

    Raises:
        TypeError: One of them is none of these.
        OSError: The file cannot be written; an older one stays as it was.

    Source: section Saving and resuming random state.
    """
    save_streams(path, _list_streams(named))


def load_random_state(
    path: str | os.PathLike[str], /, **named: object
) -> dict[str, object]:
    """The named streams, once all streams are where they were when saved.

    Args:
        path: A file that `save_random_state` wrote.
        **named: For each name that was saved, a generator of the same kind;
            it is set in place.

    Raises:
        FileNotFoundError: There is no such file.
        RandomStateError: The file is damaged or does not fit this process;
            no stream has been touched.

    State touched: all streams that the file holds.
    Source: section Saving and resuming random state.
    """
    return load_streams(path, _list_streams(named))


def read_random_state(**named: object) -> dict[str, object]:
    """What `save_random_state` would write, as data for a checkpoint."""
    return read_streams(_list_streams(named))


def restore_random_state(
    content: dict[str, object], **named: object
) -> dict[str, object]:
    """The named streams, put back to what `read_random_state` returned."""
    return restore_streams(content, _list_streams(named), "random state")


def _list_streams(named: dict[str, object]) -> Streams:
    """The streams of this process and those that were handed in."""
    devices = torch.cuda.device_count()
    default = {"PyTorch cpu": _describe_generator(torch.default_generator)}
    for index in range(devices):
        default[f"PyTorch cuda:{index}"] = _describe_cuda(index)
    return Streams(
        "pytorch",
        {"torch": torch.__version__},
        1 + devices,
        list_shared_slots() | default,
        list_named_slots(named, _describe_generator, ACCEPTED),
    )


def _describe_cuda(index: int) -> Slot:
    """The slot of a CUDA device's generator; starts CUDA if need be."""
    return _make_slot(
        f"torch.Generator on cuda:{index}",
        partial(torch.cuda.get_rng_state, index),
        partial(torch.cuda.set_rng_state, device=index),
        None,
    )


def _describe_generator(stream: object) -> Slot | None:
    """The slot of a torch.Generator; None for other things."""
    if not isinstance(stream, torch.Generator):
        return None
    kind = f"torch.Generator on {stream.device}"
    return _make_slot(kind, stream.get_state, stream.set_state, stream)


def _make_slot(
    kind: str,
    get: Callable[[], torch.Tensor],
    put: Callable[[torch.Tensor], object],
    stream: object,
) -> Slot:
    """The slot of a generator whose state torch gives as bytes.

    Args:
        kind: Which generator it is, and where.
        get: Returns its state.
        put: Sets its state.
        stream: What to return when the state is put back.
    """

    def write(state: dict[str, np.ndarray]) -> object:
        put(torch.from_numpy(state["bytes"]))
        return stream

    form = {"bytes": Words("|u1", tuple(get().shape))}
    check = _check_cpu if kind.endswith("cpu") else _check_counter
    return Slot(kind, form, lambda: {"bytes": get().numpy()}, write, check)


def _check_cpu(state: dict[str, np.ndarray]) -> str | None:
    """What is wrong with the state of a generator on the CPU, or None.

    torch itself refuses some nonsense, and cuts or accepts the rest: a table
    position that does not go with what is left of the table, for example.
    """
    given = torch.from_numpy(state["bytes"])
    trial = torch.Generator()
    try:
        trial.set_state(given)
    except RuntimeError as error:
        return f"torch says: {error}"
    if not torch.equal(trial.get_state(), given):
        return "torch would not keep it as it is"
    raw = state["bytes"].tobytes()
    (left,), (following,) = unpack_from("<i", raw, LEFT), unpack_from("<Q", raw, NEXT)
    if (left, following) != (1, 0) and left + following != TWISTER + 1:
        return f"{left} words are left after position {following}"
    if not np.frombuffer(raw, "<u8", TWISTER, WORDS).any():
        return "its words are all zero"
    if not np.isfinite(unpack_from("<d", raw, NORMAL)):
        return "its stored normal is not finite"
    return None


def _check_counter(state: dict[str, np.ndarray]) -> str | None:
    """What is wrong with the state of a generator on a GPU, or None."""
    offset = int.from_bytes(state["bytes"][8:].tobytes(), "little")
    if offset % 4 or offset >= 2**63:
        return f"its offset is {offset}, expected a multiple of 4"
    return None
