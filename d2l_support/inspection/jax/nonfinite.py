"""`find_nonfinite` for JAX: what its quick look and its close look ask.

The quick look takes the least and the greatest element of each array, in which
an infinity shows, and asks for a NaN, which may hide the infinities beside it.
"""

from collections.abc import Callable, Collection, Mapping
from functools import partial
from math import inf
from typing import Any

import jax
import jax.numpy as jnp
from flax import nnx
from jax import Array

from d2l_support.inspection.gauges import Gauge
from d2l_support.inspection.jax.arrays import (
    fetch_numbers,
    find_nan,
    measure_array,
    split_complex,
)
from d2l_support.inspection.jax.keeping import keep_state
from d2l_support.inspection.jax.watching import Watch
from d2l_support.inspection.looks import Looks
from d2l_support.inspection.nonfinite import Nonfinite


def find_nonfinite(
    model: nnx.Module,
    *inputs: Any,
    kwargs: Mapping[str, Any] | None = None,
    loss: Callable[[Any], Array] | None = None,
    allow_neginf: Collection[str] = (),
    backward: bool = True,
) -> Nonfinite | Watch[Nonfinite]:
    """The first NaN or infinity of a pass, and the module that made it.

    Without inputs it watches eager passes of your own, up to the first bad one:
    `with d2l.find_nonfinite(net) as seen:`, then seen.report. That one names
    no places in the arrays, since your pass is not run again. Inside `nnx.jit`
    nothing can be seen; there, set jax_debug_nans or use checkify.

    Args:
        model: Any module that can be called; it stays in its mode.
        *inputs: What to call it with; that pass leaves no trace.
        kwargs: Named arguments to call it with.
        loss: Makes one number of the output, to check the gradients as well.
        allow_neginf: Modules, arguments or buffers where -inf is meant, such
            as "mask"; "*" stands for any characters.
        backward: Whether a watch checks the gradients of your passes.

    Source: section Find the first non-finite value.
    """
    if not inputs and kwargs is None:
        return Watch(model, LOOKS.make_quick_gauge(allow_neginf, True, backward))
    with keep_state(model, inputs, kwargs) as rewind:
        return LOOKS.take(
            lambda gauge: Watch(model, gauge).run(inputs, kwargs, loss),
            rewind,
            allow_neginf,
            loss is not None,
        )


@jax.jit
def measure_extremes(x: Array) -> Array:
    """The least and the greatest element, and 1 for a NaN; shape (3,)."""
    x = split_complex(x)
    return jnp.stack([x.min(), x.max(), find_nan(x)])


def fetch_extremes(rows: list[Array]) -> list[tuple[int, int, int, int]]:
    """For each array, whether there is a NaN, a +inf, a -inf; and no place."""
    return [
        (int(nan), int(high == inf), int(low == -inf), -1)
        for low, high, nan in fetch_numbers(rows)
    ]


@jax.jit
def count_nonfinite(x: Array) -> Array:
    """How many NaN, +inf and -inf there are, and the place of the first.

    Args:
        x: Floats of any shape; the parts of complex numbers count each.

    Returns:
        Shape (4,), integers; the place is the number of the element in C order.
    """
    size, x = x.size, split_complex(x)
    nan, positive, negative = jnp.isnan(x), x == inf, x == -inf
    bad = (nan | positive | negative).reshape(-1, size).any(0)
    counts = [kind.sum(dtype=jnp.int32) for kind in (nan, positive, negative)]
    return jnp.stack([*counts, bad.argmax().astype(jnp.int32)])


LOOKS = Looks(
    quick=partial(
        Gauge, measure=partial(measure_array, measure_extremes), fetch=fetch_extremes
    ),
    close=partial(
        Gauge, measure=partial(measure_array, count_nonfinite), fetch=fetch_numbers
    ),
    unreached="in no Variable",
)
