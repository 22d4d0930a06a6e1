"""Saving what can be saved of MXNet's random streams.

MXNet's own generators, one for each device, have no call that reads their
state. What remains is to agree on a new start: both the process that saves
and the one that loads seed MXNet with the same number at that point.
"""

import os

import mxnet as mx

from d2l_support.state.file import RandomStateError
from d2l_support.state.forms import Whole
from d2l_support.state.random_state import (
    load_streams,
    read_streams,
    restore_streams,
    save_streams,
)
from d2l_support.state.shared_slots import list_named_slots, list_shared_slots
from d2l_support.state.slots import Slot, Streams
from d2l_support.streams import check_seed, remember_seed

ACCEPTED = ("and nothing of MXNet, which has no generator objects",)


def save_random_state(
    path: str | os.PathLike[str],
    /,
    *,
    reseed: int | None = None,
    **named: object,
) -> None:
    """Writes the random streams of this process to a file, whole or not at all.

    Saved are Python's `random`, NumPy's legacy global and those you name.
    MXNet's own state cannot be read, so MXNet is seeded with `reseed` now,
    and again at loading. The price: this process no longer draws what it
    would have drawn unsaved, and a number used twice repeats its draws.

    Args:
        path: The file to write; it is JSON, and reading it runs nothing.
        reseed: MXNet's seed from here on, from 0 to 2**32 - 1.
        **named: Generators of your own: NumPy's or Python's.

    Raises:
        RandomStateError: `reseed` is missing.
        TypeError, ValueError: It is no such integer; a stream is not known.
        OSError: The file cannot be written; nothing has been seeded.

    State touched: MXNet's streams.
    Source: section Saving and resuming random state.
    """
    save_streams(path, _list_streams(named, _check_reseed(reseed)))
    _seed_mxnet(reseed)


def load_random_state(
    path: str | os.PathLike[str], /, **named: object
) -> dict[str, object]:
    """The named streams, once all streams are where they were when saved.

    MXNet is seeded with the number that `save_random_state` was given.

    Args:
        path: A file that `save_random_state` wrote.
        **named: For each name that was saved, a generator of the same kind;
            it is set in place.

    Raises:
        FileNotFoundError: There is no such file.
        RandomStateError: The file is damaged or does not fit this process;
            no stream has been touched.

    State touched: all streams that the file holds, and MXNet's.
    Source: section Saving and resuming random state.
    """
    return load_streams(path, _list_streams(named))


def read_random_state(
    *, reseed: int | None = None, **named: object
) -> dict[str, object]:
    """What `save_random_state` would write, as data for a checkpoint.

    State touched: MXNet's streams, seeded with `reseed`.
    """
    content = read_streams(_list_streams(named, _check_reseed(reseed)))
    _seed_mxnet(reseed)
    return content


def restore_random_state(
    content: dict[str, object], **named: object
) -> dict[str, object]:
    """The named streams, put back to what `read_random_state` returned."""
    return restore_streams(content, _list_streams(named), "random state")


def _list_streams(named: dict[str, object], reseed: int | None = None) -> Streams:
    """The streams of this process and those that were handed in."""
    own = Slot(
        "MXNet, seeded anew",
        {"seed": Whole(2**32 - 1)},
        lambda: {"seed": reseed},
        lambda state: _seed_mxnet(state["seed"]),
    )
    return Streams(
        "mxnet",
        {"mxnet": mx.__version__},
        1 + mx.device.num_gpus(),
        list_shared_slots() | {"MXNet": own},
        list_named_slots(named, lambda stream: None, ACCEPTED),
    )


def _check_reseed(reseed: int | None) -> int:
    """The seed, or a word on why there has to be one."""
    if reseed is None:
        raise RandomStateError(
            "found no reseed, expected one, because MXNet has no call that "
            "reads the state of its generators. Call it with reseed=1, say: "
            "MXNet is seeded with it now, and again when the state is loaded."
        )
    return check_seed(reseed)


def _seed_mxnet(seed: int) -> None:
    """Seeds MXNet on every device and notes it for the inventory."""
    mx.np.random.seed(seed)
    for name in name_streams():
        remember_seed(name, seed, None)


def name_streams() -> list[str]:
    """One name for each device, since each has a generator."""
    gpus = range(mx.device.num_gpus())
    return ["MXNet cpu", *(f"MXNet gpu({index})" for index in gpus)]
