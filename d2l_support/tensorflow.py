"""What this book's TensorFlow notebooks import: `tensorflow as d2l`.

Three things have no public reader and are read from inside the pinned
releases: the seeds that TensorFlow hands to its operations, Keras's global
generator, and whether TensorFlow's global generator exists.
"""

import keras
import tensorflow as tf
from keras.src.backend.common import global_state
from tensorflow.python.eager import context
from tensorflow.python.framework import config
from tensorflow.python.ops import stateful_random_ops

from d2l_support.checkpoint import load_checkpoint, save_checkpoint
from d2l_support.environment import (
    build_environment,
    count_cores,
    list_changed,
    list_variables,
    read_threads,
)
from d2l_support.inspection.tensorflow import count_macs as count_macs
from d2l_support.inspection.tensorflow import find_divergence as find_divergence
from d2l_support.inspection.tensorflow import find_nonfinite as find_nonfinite
from d2l_support.inspection.tensorflow import gradient_norms as gradient_norms
from d2l_support.inspection.tensorflow import record_activations as record_activations
from d2l_support.inspection.tensorflow import record_trace as record_trace
from d2l_support.inspection.traces import load_trace as load_trace
from d2l_support.inventory import Inventory
from d2l_support.state_file import RandomStateError
from d2l_support.streams import (
    Stream,
    check_seed,
    list_global,
    list_named,
    list_shared,
    remember_seed,
    seed_shared,
)
from d2l_support.tensorflow_loaders import (
    ReplayingLoader,
    StatefulLoader,
    read_iterator,
    restore_iterator,
)
from d2l_support.tensorflow_resume import (
    list_items,
    prove_resume,
    read_model,
    read_optimizer,
    read_schedule,
    restore_model,
    restore_optimizer,
    restore_schedule,
)
from d2l_support.tensorflow_state import (
    load_random_state,
    read_random_state,
    restore_random_state,
    save_random_state,
)
from d2l_support.training import Item

__all__ = [
    "Item",
    "RandomStateError",
    "ReplayingLoader",
    "StatefulLoader",
    "describe_environment",
    "list_items",
    "load_checkpoint",
    "load_random_state",
    "prove_resume",
    "random_inventory",
    "read_iterator",
    "read_model",
    "read_optimizer",
    "read_random_state",
    "read_schedule",
    "restore_iterator",
    "restore_model",
    "restore_optimizer",
    "restore_random_state",
    "restore_schedule",
    "save_checkpoint",
    "save_random_state",
    "set_seed",
]

VARIABLES = (
    "TF_CUDNN_DETERMINISTIC",
    "TF_DETERMINISTIC_OPS",
    "TF_ENABLE_ONEDNN_OPTS",
    "TF_NUM_INTRAOP_THREADS",
    "TF_XLA_FLAGS",
    "XLA_FLAGS",
)
ACCEPTED = ("tf.random.Generator", "keras.random.SeedGenerator")


def set_seed(seed: int) -> None:
    """Seeds `random`, NumPy's legacy global, TensorFlow's and Keras's.

    Args:
        seed: An integer from 0 to 2**32 - 1.

    Raises:
        TypeError, ValueError: The seed is no such integer.

    State touched: those streams, but no generator object: neither
    `tf.random.get_global_generator()` nor those inside layers that exist.
    Source: section Seeds and randomness.
    """
    seed = check_seed(seed)
    tf.keras.utils.set_random_seed(seed)
    seed_shared(seed)  # to the same states once more, for the ledger
    remember_seed("TensorFlow operations", seed, _read_operation_state())
    remember_seed("Keras global", seed, _read_keras_state())


def random_inventory(**named: object) -> Inventory:
    """The random streams of this process; looking changes none of them.

    Args:
        **named: Generators of your own, under the names to show:
            TensorFlow's, Keras's, NumPy's or Python's.

    Raises:
        TypeError: One of them is none of these.

    Source: section Seeds and randomness.
    """
    own = (
        list_global(
            "TensorFlow operations",
            "TensorFlow",
            _read_operation_state(),
            "hands each tf.random call its seed; a call with a seed of its "
            "own or inside a tf.function draws without moving it.",
        ),
        list_global("Keras global", "Keras", _read_keras_state()),
        _list_global_generator(),
    )
    private = list_named(named, _describe_generator, ACCEPTED)
    return Inventory("tensorflow", (*list_shared(), *own, *private))


def _read_operation_state() -> bytes:
    """The state of the stream that gives each random operation its seed."""
    source = getattr(context.context(), "_rng", None)  # set by the first seed
    return b"" if source is None else repr(source.getstate()).encode()


def _read_keras_state() -> bytes:
    """The state of the generator behind `keras.random`, empty before use."""
    generator = global_state.get_global_attribute("global_seed_generator")
    return b"" if generator is None else generator.state.numpy().tobytes()


def _list_global_generator() -> Stream:
    """The row of the global generator, which is not made just to be shown."""
    exists = stateful_random_ops.global_generator is not None
    note = "tf.random.get_global_generator() " + (
        "keeps its state when set_seed is called."
        if exists
        else "is not made yet; it will start at random."
    )
    name = "TensorFlow generator"
    return Stream(name, "TensorFlow", None, None, False, note)


def _describe_generator(name: str, generator: object) -> Stream | None:
    """The row of a tf.random.Generator or a Keras SeedGenerator."""
    if isinstance(generator, tf.random.Generator):
        note = "tf.random.Generator object: set it with reset_from_seed."
        return Stream(name, "TensorFlow", None, None, False, note)
    if isinstance(generator, keras.random.SeedGenerator):
        moved = bool(generator.state.numpy()[1])  # counts the draws
        note = "keras.random.SeedGenerator object: seed it where you make it."
        return Stream(name, "Keras", None, moved, False, note)
    return None


def describe_environment() -> dict[str, object]:
    """What a result of this process depends on besides code and seeds.

    Returns:
        A dictionary for `json.dumps`: framework, versions, platform, device,
        threads of one operation, instruction set, and the flags that are set.

    Source: section Deterministic arithmetic and its price.
    """
    return build_environment(
        "tensorflow",
        versions={"tensorflow": tf.__version__, "keras": keras.__version__},
        device=_name_device(),
        threads=_count_threads(),
        flags=list_variables(VARIABLES) | list_changed(_read_switches()),
    )


def _count_threads() -> int:
    """The threads that one operation may use; by default one for each core."""
    return (
        tf.config.threading.get_intra_op_parallelism_threads()
        or read_threads("TF_NUM_INTRAOP_THREADS")
        or count_cores()
    )


def _name_device() -> str:
    """The name of the first GPU, or "cpu"."""
    gpus = tf.config.list_physical_devices("GPU")
    if not gpus:
        return "cpu"
    details = tf.config.experimental.get_device_details(gpus[0])
    return details.get("device_name", gpus[0].name)


def _read_switches() -> dict[str, tuple[object, object]]:
    """By name, the present value and the default of what changes bits."""
    tf32 = tf.config.experimental.tensor_float_32_execution_enabled()
    return {
        "tf.config.experimental.enable_op_determinism": (
            config.is_op_determinism_enabled(),
            False,
        ),
        "tf.config.experimental.enable_tensor_float_32_execution": (
            tf32,
            True,
        ),
        "tf.config.optimizer.set_jit": (tf.config.optimizer.get_jit(), ""),
        "keras.config.set_floatx": (keras.config.floatx(), "float32"),
    }
