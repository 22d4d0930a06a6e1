"""`find_nonfinite` for MXNet: what its quick look and its close look ask.

The quick look takes the sum of each array, scaled down so far that finite
numbers cannot overflow it. It is NaN or infinite if and only if one of them
is. (Asking `isfinite` of each element costs several times as much, and so
does MXNet's maximum.) Which of the three it is, the sum does not tell: some of
MXNet's sums turn infinity into NaN. Where that matters, infinities are
replaced by large numbers first.
"""

from collections.abc import Callable, Collection, Mapping
from functools import partial
from math import inf
from typing import Any

import mxnet as mx
from mxnet.gluon import Block

from d2l_support.inspection.gauges import Gauge
from d2l_support.inspection.looks import Looks
from d2l_support.inspection.mxnet.arrays import Array, fetch_numbers, measure_floats
from d2l_support.inspection.mxnet.keeping import keep_state
from d2l_support.inspection.mxnet.summing import Sums
from d2l_support.inspection.mxnet.watching import Watch
from d2l_support.inspection.nonfinite import Nonfinite


def find_nonfinite(
    model: Block,
    *inputs: Any,
    kwargs: Mapping[str, Any] | None = None,
    loss: Callable[[Any], Array] | None = None,
    allow_neginf: Collection[str] = (),
    backward: bool = True,
) -> Nonfinite | Watch[Nonfinite]:
    """The first NaN or infinity of a pass, and the block that made it.

    Without inputs it watches passes of your own, up to the first bad one:
    `with d2l.find_nonfinite(net) as seen:`, then seen.report. That one names
    no places in the arrays, since your pass is not run again.

    What a block swallows is found at its door: with oneDNN, MXNet's ReLU
    turns NaN into 0, so its argument is checked too.

    Args:
        model: Any block that is not hybridized and has been called before.
        *inputs: What to call it with; that pass leaves no trace.
        kwargs: Named arguments to call it with.
        loss: Makes one number of the output, to check the gradients as well.
        allow_neginf: Blocks, arguments or parameters where -inf is meant, such
            as "mask"; "*" stands for any characters.
        backward: Whether a watch checks the gradients of your passes.

    Raises:
        TypeError, ValueError: As `record_activations`.

    Source: section Find the first non-finite value.
    """
    if not inputs and kwargs is None:
        return Watch(model, LOOKS.make_quick_gauge(allow_neginf, True, backward))
    with keep_state(model, inputs, kwargs, loss is not None) as rewind:
        return LOOKS.take(
            lambda gauge: Watch(model, gauge).run(inputs, kwargs, loss),
            rewind,
            allow_neginf,
            loss is not None,
        )


def make_quick_gauge(inputs: bool, **rest: Any) -> Gauge[Nonfinite]:
    """The gauge that only takes one sum of each array.

    Args:
        inputs: Whether the kinds must be told apart. Arguments are looked at
            in any case.
        **rest: What else a gauge has.
    """
    sums = Sums(kinds=inputs)
    measure = partial(measure_floats, sums.measure)
    return Gauge(measure, sums.fetch, inputs=True, **rest)


def count_nonfinite(x: Array) -> tuple[Array, ...]:
    """Three counts, and the place of the first in C order.

    Args:
        x: Floats of any shape.
    """
    nan, positive, negative = mx.np.isnan(x), x == inf, x == -inf
    first = mx.np.logical_or(mx.np.logical_or(nan, positive), negative).argmax()
    return nan.sum(), positive.sum(), negative.sum(), first


LOOKS = Looks(
    quick=make_quick_gauge,
    close=partial(
        Gauge, measure=partial(measure_floats, count_nonfinite), fetch=fetch_numbers
    ),
    unreached="no parameter",
)
