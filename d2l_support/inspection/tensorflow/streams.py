"""The random streams that a pass may draw from, as they were and put back.

The seeds of Keras's own layers are variables of the layers and not here.
"""

import random
from typing import NamedTuple

import numpy as np
import tensorflow as tf
from keras.src.backend.common import global_state
from tensorflow.python.eager import context
from tensorflow.python.ops import stateful_random_ops

from d2l_support.streams import fingerprint, read_numpy_state, read_python_state

KERAS_GLOBAL = "global_seed_generator"


class States(NamedTuple):
    """The states of all streams of the process."""

    python: tuple
    numpy: dict
    operations: tuple | None
    keras: tf.Tensor | None
    generator: tf.Tensor | None


def read_streams() -> States:
    """The states of the streams now."""
    source = getattr(context.context(), "_rng", None)  # set by the first seed
    generator = global_state.get_global_attribute(KERAS_GLOBAL)
    made = stateful_random_ops.global_generator
    return States(
        random.getstate(),
        np.random.get_state(),
        source and source.getstate(),
        None if generator is None else generator.state.value.read_value(),
        None if made is None else made.state.read_value(),
    )


def set_streams(states: States) -> None:
    """Puts the streams back; those that did not exist then are gone again.

    An operation such as `tf.random.normal` draws a seed, and its kernel goes
    on from there if the same seed comes again. So where seeds were drawn, the
    kernels are made to forget, as `tf.random.set_seed` does.
    """
    random.setstate(states.python)
    np.random.set_state(states.numpy)
    inner = context.context()
    source = getattr(inner, "_rng", None)
    if source is not None and states.operations not in (None, source.getstate()):
        source.setstate(states.operations)
        inner.clear_kernel_cache()
    generator = global_state.get_global_attribute(KERAS_GLOBAL)
    if states.keras is None:
        global_state.set_global_attribute(KERAS_GLOBAL, None)
    elif generator is not None:
        generator.state.value.assign(states.keras)
    made = stateful_random_ops.global_generator
    if states.generator is None:
        tf.random.set_global_generator(None)
    elif made is not None:
        made.reset(states.generator)


def digest_streams() -> dict[str, str]:
    """By name, the digest of each stream of the process."""
    states = read_streams()
    found = {"Python random": read_python_state(), "NumPy global": read_numpy_state()}
    if states.operations is not None:
        found["TensorFlow operations"] = repr(states.operations).encode()
    if states.keras is not None:
        found["Keras global"] = states.keras.numpy().tobytes()
    if states.generator is not None:
        found["TensorFlow generator"] = states.generator.numpy().tobytes()
    return {name: fingerprint(state) for name, state in found.items()}
