"""`record_activations` for TensorFlow."""

from collections.abc import Callable, Mapping
from functools import cache, partial
from math import isnan, prod
from typing import Any

import keras
import tensorflow as tf
from tensorflow.python.ops import gen_math_ops as ops
from tensorflow.python.ops.gen_nn_ops import l2_loss

from d2l_support.inspection.activations import Activations, build_activations
from d2l_support.inspection.tensorflow.gauges import Gauge
from d2l_support.inspection.tensorflow.keeping import keep_state
from d2l_support.inspection.tensorflow.tensors import (
    fetch_numbers,
    measure_floats,
    read_dtype,
)
from d2l_support.inspection.tensorflow.watching import Watch

COMPLEX = (tf.complex64, tf.complex128)


def record_activations(
    model: keras.Layer, *inputs: Any, kwargs: Mapping[str, Any] | None = None
) -> Activations | Watch[Activations]:
    """The spread of every layer's output in one pass.

    With inputs it calls the model on them once, and leaves no trace: random
    streams and variables are as before. Without inputs it is for a pass of
    your own: `with d2l.record_activations(net) as seen: net(X)`, then
    seen.report. Your pass has to be eager, see `Watch`.

    Args:
        model: Any Keras model or layer that has been built.
        *inputs: The model's positional arguments.
        kwargs: Its named arguments, such as {"training": True}.

    Returns:
        The report; without inputs, a watch.

    Raises:
        TypeError, ValueError: The model is none, is a graph, or is not built.

    Source: section Hooks: looking without touching.
    """
    watch = Watch(model, make_gauge(tf.float32))
    if not inputs and kwargs is None:
        return watch
    with keep_state(model, inputs, kwargs) as rewind:
        report = watch.run(inputs, kwargs)
        if any(row.overflowed for row in report.rows):
            rewind()
            report = Watch(model, make_gauge(tf.float64)).run(inputs, kwargs)
    return report


def make_gauge(dtype: tf.DType) -> Gauge[Activations]:
    """The gauge whose arithmetic is in float32 or float64, as told."""
    axes = cache(tf.range)  # by the number of dimensions
    measure = partial(measure_floats, partial(measure_spread, dtype=dtype, axes=axes))

    def measure_real(x: Any) -> Any:
        if x.dtype in COMPLEX:
            return f"{read_dtype(x).name}: complex numbers have no order"
        return measure(x)

    return Gauge(measure_real, fetch_spread, build_activations)


def measure_spread(
    x: tf.Tensor, dtype: tf.DType, axes: Callable[[int], tf.Tensor]
) -> tuple[Any, ...]:
    """Mean, half the squared distance from it, extremes, non-zeros, size.

    Args:
        x: Floats of any shape.
        dtype: The least dtype of the arithmetic.
        axes: Gives the numbers of so many dimensions.
    """
    if x.dtype is not dtype and x.dtype is not tf.float64:
        x = ops.cast(x, dtype)
    shape = x._shape_tuple()
    every = axes(len(shape))
    mean = ops.mean(x, every)
    # The mean goes first, so that no digits cancel when squares are added.
    distance = l2_loss(ops.sub(x, mean))
    nonzero = l2_loss(ops.sign(x))  # faster than counting them
    extremes = ops._min(x, every), ops._max(x, every)
    return mean, distance, *extremes, nonzero, prod(shape)


def fetch_spread(rows: list[tuple[Any, ...]]) -> list[list[float | None]]:
    """Mean, standard deviation, extremes and share of zeros of each."""
    fetched = fetch_numbers([row[:-1] for row in rows])
    pairs = zip(fetched, (row[-1] for row in rows), strict=True)
    return [describe_spread(*numbers, size) for numbers, size in pairs]


def describe_spread(
    mean: float, distance: float, low: float, high: float, nonzero: float, size: int
) -> list[float | None]:
    """The numbers of a report, from those that were measured."""
    std = (2 * distance / (size - 1)) ** 0.5 if size > 1 else None
    zeros = None if isnan(nonzero) else 1 - min(round(2 * nonzero), size) / size
    return [mean, std, low, high, zeros]
