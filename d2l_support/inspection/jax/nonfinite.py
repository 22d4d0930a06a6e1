"""`find_nonfinite` for JAX: a quick look at everything, then a close one.

The quick look takes the least and the greatest element of each array, in which
an infinity shows, and asks for a NaN, which may hide the infinities beside it.
Only if something is not finite, a second pass from
the same state takes the close look, which counts each kind and finds the
places. So a sound model pays for the quick look alone, and nothing of the quick
look is taken for a fact.
"""

import dataclasses
from collections.abc import Callable, Collection, Mapping
from functools import partial
from math import inf
from typing import Any

import jax
import jax.numpy as jnp
from flax import nnx
from jax import Array

from d2l_support.inspection.jax.arrays import (
    fetch_numbers,
    find_nan,
    measure_array,
    split_complex,
)
from d2l_support.inspection.jax.gauges import Gauge
from d2l_support.inspection.jax.keeping import keep_state
from d2l_support.inspection.jax.watching import Watch
from d2l_support.inspection.nonfinite import Nonfinite, build_nonfinite
from d2l_support.inspection.runs import Run

UNSEEN = (
    "A second pass from the same state was finite, so nothing is counted: the "
    "model draws or remembers something that is in no Variable."
)
Build = Callable[[Run], Nonfinite]


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
    if isinstance(allow_neginf, str):
        allow_neginf = (allow_neginf,)
    build = partial(build_nonfinite, allow_neginf=tuple(allow_neginf))
    if not inputs and kwargs is None:
        return Watch(model, make_quick_gauge(build, inputs=True, gradients=backward))
    with keep_state(model, inputs, kwargs) as rewind:
        looks = {"inputs": bool(allow_neginf), "gradients": loss is not None}
        quick = make_quick_gauge(build, **looks)
        report = Watch(model, quick).run(inputs, kwargs, loss)
        if not report.found:
            return report
        rewind()
        close = make_close_gauge(build, gradients=loss is not None)
        counted = Watch(model, close).run(inputs, kwargs, loss)
    if counted.found:
        return counted
    return dataclasses.replace(report, explanation=(*report.explanation, UNSEEN))


def make_quick_gauge(build: Build, inputs: bool, gradients: bool) -> Gauge[Nonfinite]:
    """The gauge that only takes the extremes of each array."""
    return Gauge(
        measure=partial(measure_array, measure_extremes),
        fetch=fetch_extremes,
        build=build,
        inputs=inputs,
        gradients=gradients,
        weights=True,
        alarms=lambda found: any(nan or pos or neg for nan, pos, neg, _ in found),
        stops=lambda report: report.found,
        summary=summarise,
    )


def make_close_gauge(build: Build, gradients: bool) -> Gauge[Nonfinite]:
    """The gauge that counts what is not finite, and finds the first."""
    return Gauge(
        measure=partial(measure_array, count_nonfinite),
        fetch=fetch_numbers,
        build=build,
        inputs=True,
        gradients=gradients,
        weights=True,
        summary=summarise,
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


def summarise(report: Nonfinite) -> str:
    """What an exception should tell of the values before it."""
    return " ".join(report.explanation)
