"""`record_activations` for MXNet."""

from collections.abc import Mapping
from functools import partial
from math import isnan
from typing import Any

import mxnet as mx
from mxnet.gluon import Block

from d2l_support.inspection.activations import Activations, build_activations
from d2l_support.inspection.gauges import Gauge
from d2l_support.inspection.mxnet.arrays import (
    Array,
    fetch_numbers,
    find_extreme,
    measure_floats,
)
from d2l_support.inspection.mxnet.keeping import keep_state
from d2l_support.inspection.mxnet.watching import Watch


def record_activations(
    model: Block, *inputs: Any, kwargs: Mapping[str, Any] | None = None
) -> Activations | Watch[Activations]:
    """The spread of every block's output in one pass.

    With inputs it runs the model on them once, and leaves no trace. Without
    inputs it is for a pass of your own: `with d2l.record_activations(net) as
    seen: net(X)`, then seen.report.

    Args:
        model: Any block that is not hybridized and has been called before.
            Its pass is in the mode around this call: that of prediction, or
            under `autograd.train_mode()` that of training.
        *inputs: The model's positional arguments.
        kwargs: Its named arguments; few blocks of Gluon take any.

    Returns:
        The report; without inputs, a watch.

    Raises:
        TypeError, ValueError: The model is no such block, or its pass would
            draw from MXNet's stream, which cannot be put back.

    Source: section Hooks: looking without touching.
    """
    watch = Watch(model, make_gauge("float32"))
    if not inputs and kwargs is None:
        return watch
    with keep_state(model, inputs, kwargs) as rewind:
        report = watch.run(inputs, kwargs)
        if any(row.overflowed for row in report.rows):
            rewind()
            report = Watch(model, make_gauge("float64")).run(inputs, kwargs)
    return report


def make_gauge(dtype: str) -> Gauge[Activations]:
    """The gauge whose arithmetic is in float32 or float64, as told."""
    measure = partial(measure_floats, partial(measure_spread, dtype))
    return Gauge(measure, fetch_spreads, build_activations)


def measure_spread(dtype: str, x: Array) -> tuple[Any, ...]:
    """Mean, sum of squares around it, extremes, count of zeros, size.

    Args:
        dtype: What to calculate in, at least.
        x: Floats of any shape, at least one.
    """
    if dtype == "float64":
        x = x.astype(dtype)
    mean = x.mean()
    # The mean goes first, so that no digits cancel when squares are added.
    far = x - mean
    # Legacy comparison gives floats, which MXNet adds up much faster.
    zeros = (x.as_nd_ndarray() == 0).as_np_ndarray().sum()
    low, high = find_extreme(x, mx.np.minimum), find_extreme(x, mx.np.maximum)
    return mean, (far * far).sum(), low, high, zeros, x.size


def fetch_spreads(rows: list[tuple[Any, ...]]) -> list[list[float | None]]:
    """Mean, standard deviation, extremes and share of zeros of each."""
    fetched = fetch_numbers([row[:-1] for row in rows])
    pairs = zip(fetched, (row[-1] for row in rows), strict=True)
    return [describe_spread(*numbers, size) for numbers, size in pairs]


def describe_spread(
    mean: float, squares: float, low: float, high: float, zeros: float, size: int
) -> list[float | None]:
    """The numbers of a report, from those that were measured."""
    std = (squares / (size - 1)) ** 0.5 if size > 1 else None
    return [mean, std, low, high, None if isnan(low) else zeros / size]
