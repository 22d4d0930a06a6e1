"""Saving and resuming keys and NNX streams: randomness as a value.

JAX has no stream of its own. What has to be saved are the keys that you hold
and the NNX streams, each of which is a key and a count of keys given out.
"""

import os
from functools import partial

import flax
import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx

from d2l_support.state.file import RandomStateError
from d2l_support.state.forms import Words
from d2l_support.state.random_state import (
    load_streams,
    read_streams,
    restore_streams,
    save_streams,
)
from d2l_support.state.shared_slots import list_named_slots, list_shared_slots
from d2l_support.state.slots import Slot, Streams

ACCEPTED = (
    "typed JAX keys from jax.random.key",
    "flax.nnx.Rngs",
    "flax.nnx.RngStream",
    "flax.nnx.Module",
)


def save_random_state(path: str | os.PathLike[str], /, **named: object) -> None:
    """Writes the random streams of this process to a file, whole or not at all.

    Saved are Python's `random`, NumPy's legacy global, and the keys and
    streams that you name: JAX has no other place where it keeps any.

    Args:
        path: The file to write; it is JSON, and reading it runs nothing.
        **named: Sources of your own: typed JAX keys of any shape, NNX's
            streams, NumPy's or Python's generators; an NNX module stands for
            the streams inside it.

    Raises:
        TypeError: One of them is none of these.
        RandomStateError: A module has no stream inside.
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
        **named: For each name that was saved, a source of the same kind. NNX
            streams and generators are set in place. A key is a value: take
            the saved one from the result, `load_random_state(...)["key"]`.

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
    return Streams(
        "jax",
        {"jax": jax.__version__, "flax": flax.__version__},
        _count_devices(),
        list_shared_slots(),
        list_named_slots(named, _describe_source, ACCEPTED),
    )


def _count_devices() -> int:
    """How many devices there are, those of the CPU included."""
    others = 0 if jax.default_backend() == "cpu" else jax.device_count()
    return others + jax.device_count("cpu")


def _describe_source(source: object) -> Slot | None:
    """The slot of a key or of the NNX streams in an object; None for others."""
    if isinstance(source, nnx.Rngs | nnx.RngStream | nnx.Module):
        return _describe_rngs(source)
    if isinstance(source, jax.Array) and _holds_keys(source):
        return _describe_key(source)
    return None


def _describe_key(key: jax.Array) -> Slot:
    """The slot of keys, which are values: writing returns new ones."""
    return Slot(
        f"keys ({_name_array(key)})",
        {"words": _measure_words(key)},
        lambda: {"words": _read_words(key)},
        lambda state: _make_like(key, state["words"]),
    )


def _holds_keys(array: jax.Array) -> bool:
    """Whether the array is of typed keys."""
    return jnp.issubdtype(array.dtype, jax.dtypes.prng_key)


def _name_array(array: jax.Array) -> str:
    """The generator that keys belong to, or "uint32", and the shape."""
    kind = jax.random.key_impl(array) if _holds_keys(array) else array.dtype
    return f"{kind}, shape {array.shape}"


def _read_words(array: jax.Array) -> np.ndarray:
    """The words of keys, or of counts."""
    words = jax.random.key_data(array) if _holds_keys(array) else array
    return np.asarray(words)


def _measure_words(array: jax.Array) -> Words:
    """The form of the words of keys, or of counts."""
    return Words("<u4", _read_words(array).shape)


def _make_like(array: jax.Array, words: np.ndarray) -> jax.Array:
    """New keys of the same generator, or new counts, from their words."""
    if _holds_keys(array):
        impl = jax.random.key_impl(array)
        return jax.random.wrap_key_data(jnp.asarray(words), impl=impl)
    return jnp.asarray(words)


def _describe_rngs(source: object) -> Slot:
    """The slot of all NNX streams in an object, set in place."""
    streams = _find_streams(source)
    if not streams:
        raise RandomStateError(
            f"found a {type(source).__name__} without random streams, expected "
            "one that draws, such as one with a Dropout. Leave it out."
        )
    names = (
        f"{path.removesuffix('key').rstrip('/')} ({_name_array(each)})".lstrip()
        for path, each in streams.items()
        if _holds_keys(each)
    )
    form = {path: _measure_words(each) for path, each in streams.items()}
    return Slot(
        f"NNX streams {', '.join(names)}",
        form,
        lambda: {path: _read_words(each) for path, each in streams.items()},
        partial(_write_rngs, source),
    )


def _find_streams(source: object) -> dict[str, jax.Array]:
    """The keys and counts of all NNX streams in an object, by path."""
    flat = nnx.to_flat_state(nnx.state(source, nnx.RngState))
    return {join_path(path): each.get_value() for path, each in flat}


def _write_rngs(source: object, state: dict[str, np.ndarray]) -> object:
    """The object with these keys and counts in its NNX streams."""
    streams = nnx.state(source, nnx.RngState)
    for path, each in nnx.to_flat_state(streams):
        each.set_value(_make_like(each.get_value(), state[join_path(path)]))
    nnx.update(source, streams)
    return source


def join_path(path: tuple[object, ...]) -> str:
    """The path of a variable in an NNX object, as one name."""
    return "/".join(map(str, path))
