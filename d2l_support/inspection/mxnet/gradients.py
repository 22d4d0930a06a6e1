"""`gradient_norms` for MXNet."""

from collections.abc import Callable, Mapping
from functools import partial
from math import inf
from typing import Any

import mxnet as mx
from mxnet.gluon import Block

from d2l_support.inspection.gauges import Gauge
from d2l_support.inspection.gradients import (
    Gradients,
    build_gradients,
    require_loss,
)
from d2l_support.inspection.mxnet.arrays import (
    Array,
    fetch_numbers,
    find_extreme,
    measure_floats,
)
from d2l_support.inspection.mxnet.keeping import keep_state
from d2l_support.inspection.mxnet.marking import BLANK
from d2l_support.inspection.mxnet.watching import Watch


def gradient_norms(
    model: Block,
    *inputs: Any,
    kwargs: Mapping[str, Any] | None = None,
    loss: Callable[[Any], Array] | None = None,
) -> Gradients | Watch[Gradients]:
    """The size of both kinds of gradient in one backward pass.

    The gradient of an *activation* is what flows back through the network;
    that of a *parameter* is what the optimizer uses.

    With inputs it makes the pass itself and leaves no trace: `param.grad()` is
    as before. Without, it watches passes of your own: `with
    d2l.gradient_norms(net) as seen:`, then seen.report on the last one. A pass
    by `autograd.grad` writes no gradients anywhere, and is not seen.

    Args:
        model: Any block that is not hybridized and has been called before.
            Its pass is recorded in the mode around this call, training or not.
        *inputs: What to call it with.
        kwargs: Named arguments to call it with.
        loss: Makes one number of the output, such as mx.np.sum.

    Raises:
        TypeError, ValueError: As `record_activations`; or there are inputs and
            no loss, or it gives no such number.

    Source: section Gradients on their way back.
    """
    watch = Watch(model, GAUGE)
    if not inputs and kwargs is None:
        return watch
    require_loss(loss, "(out ** 2).mean()")
    with keep_state(model, inputs, kwargs, backward=True):
        return watch.run(inputs, kwargs, loss)


def measure_norm(x: Array) -> tuple[Any, ...]:
    """The greatest magnitude, and two sums of the rest beside it; the size.

    With the greatest one taken out, no square overflows or vanishes.

    Args:
        x: Floats of any shape, at least one.
    """
    size, x = x.size, mx.np.abs(x)
    top = find_extreme(x, mx.np.maximum)
    share = x / top
    return top, (share * share).sum(), share.sum(), size


def fetch_norms(rows: list[tuple[Any, ...]]) -> list[tuple[float, float] | str]:
    """The Euclidean norm and the mean absolute value of each."""
    fetched = fetch_numbers([row[:-1] for row in rows])
    pairs = zip(fetched, (row[-1] for row in rows), strict=True)
    return [describe_norm(*numbers, size) for numbers, size in pairs]


def describe_norm(
    top: float, squares: float, total: float, size: int
) -> tuple[float, float] | str:
    """The numbers of a report, or that no gradient was written at all."""
    if top == BLANK and squares == total == size:
        return "none arrived"
    if top in (0, inf):  # what it was divided by
        return top, top
    return top * squares**0.5, top * total / size


GAUGE = Gauge(
    measure=partial(measure_floats, measure_norm),
    fetch=fetch_norms,
    build=build_gradients,
    gradients=True,
)
