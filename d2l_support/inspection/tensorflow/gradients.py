"""`gradient_norms` for TensorFlow."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import keras
import tensorflow as tf
from tensorflow.python.ops import gen_math_ops as ops
from tensorflow.python.ops.gen_nn_ops import l2_loss

from d2l_support.inspection.gradients import (
    Gradients,
    build_gradients,
    require_loss,
)
from d2l_support.inspection.tensorflow.gauges import Gauge
from d2l_support.inspection.tensorflow.keeping import keep_state
from d2l_support.inspection.tensorflow.tensors import (
    fetch_numbers,
    measure_floats,
    widen,
)
from d2l_support.inspection.tensorflow.watching import Watch


def gradient_norms(
    model: keras.Layer,
    *inputs: Any,
    kwargs: Mapping[str, Any] | None = None,
    loss: Callable[[Any], tf.Tensor] | None = None,
) -> Gradients | Watch[Gradients]:
    """The size of both kinds of gradient in one backward pass.

    The gradient of an *activation* is what flows back through the network;
    that of a *parameter* is what the optimizer uses.

    With inputs it makes the pass itself and leaves no trace. Without, it
    watches passes of your own, `with d2l.gradient_norms(net) as seen:`, and
    reports on the last one: TensorFlow has no backward hooks, so your call of
    `tape.gradient` is asked for the activations' gradients too, and holds the
    activations until then. Of parameters it shows those that you ask for.

    Args:
        model: Any Keras model or layer that has been built.
        *inputs: What to call it with.
        kwargs: Named arguments to call it with.
        loss: Makes one number of the output, such as tf.reduce_sum.

    Raises:
        ValueError: There are inputs and no loss, or it gives no such number.

    Source: section Gradients on their way back.
    """
    watch = Watch(model, GAUGE)
    if not inputs and kwargs is None:
        return watch
    require_loss(loss, "tf.reduce_mean(out**2)")
    with keep_state(model, inputs, kwargs):
        return watch.run(inputs, kwargs, loss)


def measure_norm(x: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    """Half the sum of squares, and the mean absolute value, in float64.

    Args:
        x: Floats of any shape; pairs of them where they are complex.
    """
    wide = widen(x)
    return l2_loss(wide), ops.mean(ops._abs(wide), tf.range(len(x.shape)))


def fetch_norms(rows: list[tuple[tf.Tensor, tf.Tensor]]) -> list[list[float]]:
    """The norm and the mean of each."""
    return [[(2 * half) ** 0.5, mean] for half, mean in fetch_numbers(rows)]


GAUGE = Gauge(
    measure=partial(measure_floats, measure_norm),
    fetch=fetch_norms,
    build=build_gradients,
    gradients=True,
)
