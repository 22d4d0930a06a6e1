"""`record_activations` for JAX."""

from collections.abc import Mapping
from functools import partial
from math import isnan
from typing import Any

import jax
import jax.numpy as jnp
from flax import nnx
from jax import Array

from d2l_support.inspection.activations import Activations, build_activations
from d2l_support.inspection.jax.arrays import (
    add_up,
    fetch_numbers,
    find_nan,
    measure_array,
)
from d2l_support.inspection.jax.gauges import Gauge
from d2l_support.inspection.jax.keeping import keep_state
from d2l_support.inspection.jax.watching import Watch


def record_activations(
    model: nnx.Module, *inputs: Any, kwargs: Mapping[str, Any] | None = None
) -> Activations | Watch[Activations]:
    """The spread of every module's output in one pass.

    With inputs it runs the model on them once, eagerly, and leaves no trace:
    random streams and running averages are as before. Without inputs it is for
    an eager pass of your own: `with d2l.record_activations(net) as seen:
    net(X)`, then seen.report. Inside `nnx.jit` there are no values to record.

    Args:
        model: Any module that can be called; it stays in its mode.
        *inputs: The model's positional arguments.
        kwargs: Its named arguments.

    Returns:
        The report; without inputs, a watch.

    Raises:
        TypeError, ValueError: The model is none, or inside a transform.

    Source: section Hooks: looking without touching.
    """
    watch = Watch(model, GAUGE)
    if not inputs and kwargs is None:
        return watch
    with keep_state(model, inputs, kwargs) as rewind:
        report = watch.run(inputs, kwargs)
        if any(row.overflowed for row in report.rows):
            rewind()
            report = Watch(model, WIDE_GAUGE).run(inputs, kwargs)
    return report


def measure_spread(x: Array, wide: bool = False) -> Array:
    """Mean, sum of squared distances, extremes, share of zeros, size.

    Args:
        x: Floats of any shape.
        wide: Whether to compute in float64, where the values are float32.

    Returns:
        Shape (6,), float32 or float64.
    """
    if wide or x.dtype == jnp.float64:
        x = x.astype(jnp.float64)
    else:
        x = x.astype(jnp.float32)
    mean = add_up(x) / x.size
    # The mean goes first, so that no digits cancel when squares are added.
    squares = add_up(jnp.square(x - mean))
    zeros = add_up((x == 0).astype(jnp.int32)).astype(x.dtype) / x.size
    size = jnp.asarray(x.size, x.dtype)
    extremes = jnp.where(find_nan(x) > 0, jnp.nan, jnp.stack([x.min(), x.max()]))
    return jnp.stack([mean, squares, *extremes, zeros, size])


NARROW = jax.jit(measure_spread)
WIDE = jax.jit(partial(measure_spread, wide=True))


def measure_real(x: Any) -> Array | str:
    """The spread of an array of real numbers, or why there is none."""
    if jnp.iscomplexobj(x):
        return f"{x.dtype}: complex numbers have no order"
    return measure_array(NARROW, x)


def measure_wide(x: Any) -> Array | str:
    """The same in float64."""
    with jax.enable_x64(True):
        return f"{x.dtype}: complex" if jnp.iscomplexobj(x) else measure_array(WIDE, x)


def fetch_spread(rows: list[Array]) -> list[list[float | None]]:
    """Mean, standard deviation, extremes and share of zeros of each."""
    with jax.enable_x64(any(row.dtype == jnp.float64 for row in rows)):
        return [describe_spread(*numbers) for numbers in fetch_numbers(rows)]


def describe_spread(
    mean: float, squares: float, low: float, high: float, zeros: float, size: float
) -> list[float | None]:
    """The numbers of a report, from those that were measured."""
    std = (squares / (size - 1)) ** 0.5 if size > 1 else None
    return [mean, std, low, high, None if isnan(low) else zeros]


GAUGE = Gauge(measure_real, fetch_spread, build_activations)
WIDE_GAUGE = Gauge(measure_wide, fetch_spread, build_activations)
