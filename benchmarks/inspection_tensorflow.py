"""The models and the ways of looking that `benchmarks.inspection` compares."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext

import keras
import tensorflow as tf
from keras import layers

from d2l_support import tensorflow as d2l

tf.config.threading.set_intra_op_parallelism_threads(1)
tf.config.threading.set_inter_op_parallelism_threads(1)

Check = Callable[[tf.Tensor], None]
LAYER_CALL = keras.Layer.__call__


class Residual(keras.Layer):
    """x + Dense(ReLU(Dense(x)))."""

    def __init__(self, width: int, **named: object):
        super().__init__(**named)
        self.first = layers.Dense(width, "relu")
        self.second = layers.Dense(width)

    def call(self, x: tf.Tensor) -> tf.Tensor:
        """The input and what the two layers make of it."""
        return x + self.second(self.first(x))


def build_stack(width: int, blocks: int, batch: int) -> tuple[keras.Model, tf.Tensor]:
    """A residual stack, and a batch of inputs of shape (batch, 20)."""
    keras.utils.set_random_seed(0)
    body = (Residual(width, name=f"block{i}") for i in range(blocks))
    parts = keras.Input((20,)), layers.Dense(width), *body, layers.Dense(10)
    return keras.Sequential(parts), tf.random.normal((batch, 20))


def check_by_hand(output: tf.Tensor) -> None:
    """Asks whether an output is finite."""
    if not tf.reduce_all(tf.math.is_finite(output)):
        print("not finite")


def record_by_hand(output: tf.Tensor) -> None:
    """Takes the five numbers of `record_activations`, one by one."""
    zeros = tf.reduce_mean(tf.cast(output == 0, tf.float32))
    mean, std = tf.reduce_mean(output), tf.math.reduce_std(output)
    numbers = mean, std, tf.reduce_min(output), tf.reduce_max(output), zeros
    record = [float(number) for number in numbers]
    del record


def wrap_calls(check: Check) -> Callable[[keras.Model], object]:
    """A context manager in which the output of every layer is checked."""

    def call(layer: keras.Layer, *args: object, **kwargs: object) -> object:
        output = LAYER_CALL(layer, *args, **kwargs)
        check(output)
        return output

    @contextmanager
    def wrapped(model: keras.Model) -> Iterator[None]:
        keras.Layer.__call__ = call
        yield
        keras.Layer.__call__ = LAYER_CALL

    return wrapped


@contextmanager
def check_all_operations(model: keras.Model) -> Iterator[None]:
    """TensorFlow's own check of every operation."""
    tf.debugging.enable_check_numerics()
    yield
    tf.debugging.disable_check_numerics()


def run_forward(model: keras.Model, x: tf.Tensor) -> None:
    """The work that is timed."""
    model(x)


def run_step(model: keras.Model, x: tf.Tensor) -> None:
    """A forward and a backward pass."""
    with tf.GradientTape() as tape:
        value = tf.reduce_mean(model(x) ** 2)
    tape.gradient(value, model.trainable_variables)


SUBJECTS = {
    "residual stack, width 64, batch 256": lambda: build_stack(64, 8, 256),
    "wide stack, width 4096, batch 512": lambda: build_stack(4096, 1, 512),
}
PASSES = {
    "plain": nullcontext,
    "check by hand": wrap_calls(check_by_hand),
    "record by hand": wrap_calls(record_by_hand),
    "with find_nonfinite(net)": lambda model: d2l.find_nonfinite(model, backward=False),
    "with record_activations(net)": d2l.record_activations,
    "with enable_check_numerics()": check_all_operations,
}
CALLS = {
    "find_nonfinite(net, X)": d2l.find_nonfinite,
    "record_activations(net, X)": d2l.record_activations,
}
STEPS = {
    "plain": nullcontext,
    "check by hand": wrap_calls(check_by_hand),
    "with find_nonfinite(net)": d2l.find_nonfinite,
    "with gradient_norms(net)": d2l.gradient_norms,
    "with enable_check_numerics()": check_all_operations,
}
