"""Saving and resuming the random streams of TensorFlow and Keras.

Two streams have no public reader or setter and are reached inside the pinned
releases: the one that hands each TensorFlow operation its seed, and Keras's
global generator. A draw with a seed of its own (`tf.random.normal(...,
seed=7)`) or inside a `tf.function` counts its calls within the running
kernel, where nothing can read it: it starts again after loading.
"""

import os

import keras
import numpy as np
import tensorflow as tf
from keras.src.backend import random_seed_dtype
from keras.src.backend.common import global_state
from tensorflow.python.eager import context
from tensorflow.python.ops import stateful_random_ops

from d2l_support.state.file import RandomStateError
from d2l_support.state.forms import Whole, Words
from d2l_support.state.random_state import (
    load_streams,
    read_streams,
    restore_streams,
    save_streams,
)
from d2l_support.state.shared_slots import (
    PYTHON,
    check_python,
    join_python,
    list_named_slots,
    list_shared_slots,
    split_python,
)
from d2l_support.state.slots import Slot, Streams

ACCEPTED = (
    "tf.random.Generator",
    "keras.random.SeedGenerator",
    "keras.Layer",
    "keras.Model",
)
KERAS_GLOBAL = "global_seed_generator"
KERAS_KIND = "keras.random.SeedGenerator"
SEED_STATE = "seed_generator_state"  # what a SeedGenerator calls its variable
PHILOX_WORDS = 3


def save_random_state(path: str | os.PathLike[str], /, **named: object) -> None:
    """Writes the random streams of this process to a file, whole or not at all.

    Saved are Python's `random`, NumPy's legacy global, the streams of
    TensorFlow and Keras, and those that you name. Not saved are draws with a
    seed of their own or in a `tf.function`: they start again after loading.

    Args:
        path: The file to write; it is JSON, and reading it runs nothing.
        **named: Generators of your own: TensorFlow's, Keras's, NumPy's or
            Python's; a layer or model stands for the generators inside it.

    Raises:
        TypeError: One of them is none of these.
        RandomStateError: TensorFlow was never seeded.
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
    own = {
        "TensorFlow operations": _describe_operations(),
        "TensorFlow generator": _describe_global_generator(),
        "Keras global": _describe_keras_global(),
    }
    return Streams(
        "tensorflow",
        {"tensorflow": tf.__version__, "keras": keras.__version__},
        1 + len(tf.config.list_physical_devices("GPU")),
        list_shared_slots() | own,
        list_named_slots(named, _describe_stream, ACCEPTED),
    )


def _describe_operations() -> Slot:
    """The slot of the stream that gives each operation its seed."""
    return Slot(
        "TensorFlow operations",
        {"seed": Whole(2**63 - 1, low=-(2**63)), **PYTHON},
        _read_operations,
        _write_operations,
        check_python,
    )


def _read_operations() -> dict[str, object]:
    """The global seed and the position of the stream behind it."""
    seed = context.global_seed()
    if seed is None:
        raise RandomStateError(
            "found TensorFlow without a seed, so that its next draws cannot be "
            "saved, expected a seeded process. Call set_seed first."
        )
    source = context.context()._rng
    return {"seed": int(seed), **split_python(source.getstate())}


def _write_operations(state: dict[str, object]) -> None:
    """Seeds TensorFlow, which makes its kernels forget, then moves on."""
    tf.random.set_seed(state["seed"])
    context.context()._rng.setstate(join_python(state))


def _describe_global_generator() -> Slot:
    """The slot of the global generator, which may not be made yet."""
    generator = stateful_random_ops.global_generator
    size = PHILOX_WORDS if generator is None else generator.state.shape[0]
    return Slot(
        "tf.random.Generator",
        {"algorithm": Whole(3, low=1), "state": Words("<i8", (size,))},
        _read_global_generator,
        _write_global_generator,
        optional=True,
    )


def _read_global_generator() -> dict[str, object] | None:
    """The global generator's algorithm and state; None if it is not made."""
    generator = stateful_random_ops.global_generator
    if generator is None:
        return None
    state = generator.state.numpy()
    return {"algorithm": generator.algorithm, "state": state}


def _write_global_generator(state: dict[str, object] | None) -> None:
    """Sets the global generator in place, or makes it, or takes it away."""
    generator = stateful_random_ops.global_generator
    if state is None:
        tf.random.set_global_generator(None)
    elif generator is not None and generator.algorithm == state["algorithm"]:
        generator.reset(state["state"])
    else:
        tf.random.set_global_generator(
            tf.random.Generator.from_state(state["state"], state["algorithm"])
        )


def _describe_keras_global() -> Slot:
    """The slot of the generator behind `keras.random`, not made before use."""
    return Slot(
        KERAS_KIND,
        {"state": Words(_seed_dtype(), (2,))},
        _read_keras_global,
        _write_keras_global,
        optional=True,
    )


def _read_keras_global() -> dict[str, np.ndarray] | None:
    """The state of Keras's global generator; None if it is not made."""
    generator = global_state.get_global_attribute(KERAS_GLOBAL)
    return None if generator is None else {"state": generator.state.numpy()}


def _write_keras_global(state: dict[str, np.ndarray] | None) -> None:
    """Sets Keras's global generator in place, or makes it, or takes it away."""
    generator = global_state.get_global_attribute(KERAS_GLOBAL)
    if state is not None:
        generator = generator or keras.random.SeedGenerator(0)
        generator.state.assign(state["state"])
    global_state.set_global_attribute(KERAS_GLOBAL, state and generator)


def _describe_stream(stream: object) -> Slot | None:
    """The slot of a generator object or of a layer; None for other things."""
    if isinstance(stream, tf.random.Generator):
        kind = f"tf.random.Generator (algorithm {stream.algorithm})"
        return _make_slot(kind, stream, [stream.state])
    if isinstance(stream, keras.random.SeedGenerator):
        return _make_slot(KERAS_KIND, stream, [stream.state])
    if isinstance(stream, keras.Layer):
        states = [v for v in stream.variables if v.name == SEED_STATE]
        kind = f"keras.Layer with {len(states)} seed generators"
        return _make_slot(kind, stream, states)
    return None


def _make_slot(kind: str, stream: object, variables: list) -> Slot:
    """The slot of a stream whose state is in some variables of one shape."""
    if not variables:
        raise RandomStateError(
            f"found {stream.name}, which has no seed generator, expected a "
            "layer that draws, such as Dropout. Leave it out."
        )

    def read() -> dict[str, np.ndarray]:
        return {"states": np.stack([each.numpy() for each in variables])}

    def write(state: dict[str, np.ndarray]) -> object:
        for each, row in zip(variables, state["states"], strict=True):
            each.assign(row)
        return stream

    found = read()["states"]
    dtype = found.dtype.newbyteorder("<").str
    return Slot(kind, {"states": Words(dtype, found.shape)}, read, write)


def _seed_dtype() -> str:
    """The type of the two numbers in a SeedGenerator, with byte order."""
    return np.dtype(random_seed_dtype()).newbyteorder("<").str
