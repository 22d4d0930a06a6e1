"""`gradient_norms` for JAX."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from flax import nnx
from jax import Array

from d2l_support.inspection.gauges import Gauge
from d2l_support.inspection.gradients import (
    Gradients,
    build_gradients,
    require_loss,
)
from d2l_support.inspection.jax.arrays import (
    add_up,
    fetch_numbers,
    find_nan,
    measure_array,
    split_complex,
)
from d2l_support.inspection.jax.keeping import keep_state
from d2l_support.inspection.jax.watching import Watch


def gradient_norms(
    model: nnx.Module,
    *inputs: Any,
    kwargs: Mapping[str, Any] | None = None,
    loss: Callable[[Any], Array] | None = None,
) -> Gradients | Watch[Gradients]:
    """The size of both kinds of gradient in one backward pass.

    The gradient of an *activation* is what flows back through the network;
    that of a *parameter* (an `nnx.Param`) is what the optimizer uses.

    With inputs it makes the pass itself, eagerly, and leaves no trace. Without,
    it watches eager passes of your own: `with d2l.gradient_norms(net) as seen:
    nnx.grad(step)(net)`, then seen.report on the last one.

    Args:
        model: Any module that can be called; it stays in its mode.
        *inputs: What to call it with.
        kwargs: Named arguments to call it with.
        loss: Makes one number of the output, such as jnp.sum.

    Raises:
        ValueError: There are inputs and no loss, or it gives no such number.

    Source: section Gradients on their way back.
    """
    watch = Watch(model, GAUGE)
    if not inputs and kwargs is None:
        return watch
    require_loss(loss, "(out ** 2).mean()")
    with keep_state(model, inputs, kwargs):
        return watch.run(inputs, kwargs, loss)


@jax.jit
def measure_norm(x: Array) -> Array:
    """The Euclidean norm and the mean absolute value.

    Args:
        x: Floats of any shape, or complex numbers.

    Returns:
        Shape (2,). Squares do not overflow: the largest value goes first.
    """
    size = x.size
    x = jnp.abs(split_complex(x))
    nan = find_nan(x) > 0
    largest = x.max()
    finite = jnp.isfinite(largest) & (largest > 0)
    x = x / jnp.where(finite, largest, 1)
    numbers = jnp.stack([jnp.sqrt(add_up(x * x)), add_up(x) / size])
    return jnp.where(nan, jnp.nan, jnp.where(finite, numbers, 1) * largest)


GAUGE = Gauge(
    measure=partial(measure_array, measure_norm),
    fetch=fetch_numbers,
    build=build_gradients,
    gradients=True,
)
