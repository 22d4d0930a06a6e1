"""`find_nonfinite` for MXNet: a quick look at everything, then a close one.

The quick look takes the sum of each array, scaled down so far that finite
numbers cannot overflow it. It is NaN or infinite if and only if one of them
is. (Asking `isfinite` of each element costs several times as much, and so
does MXNet's maximum.) Which of the three it is, the sum does not tell: some of
MXNet's sums turn infinity into NaN. Where that matters, infinities are
replaced by large numbers first. If something is not finite, a second pass from the same
state takes the close look, which counts each kind and finds the places.
"""

import dataclasses
from collections.abc import Callable, Collection, Mapping
from functools import partial
from math import inf
from typing import Any

import mxnet as mx
from mxnet.gluon import Block

from d2l_support.inspection.gauges import Gauge
from d2l_support.inspection.mxnet.arrays import Array, fetch_numbers, measure_floats
from d2l_support.inspection.mxnet.keeping import keep_state
from d2l_support.inspection.mxnet.summing import Sums
from d2l_support.inspection.mxnet.watching import Watch
from d2l_support.inspection.nonfinite import Nonfinite, build_nonfinite
from d2l_support.inspection.runs import Run

UNSEEN = (
    "A second pass from the same state was finite, so nothing is counted: the "
    "model draws or remembers something that is no parameter."
)
Build = Callable[[Run], Nonfinite]


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
    if isinstance(allow_neginf, str):
        allow_neginf = (allow_neginf,)
    build = partial(build_nonfinite, allow_neginf=tuple(allow_neginf))
    if not inputs and kwargs is None:
        return Watch(model, make_quick_gauge(build, True, backward))
    with keep_state(model, inputs, kwargs, loss is not None) as rewind:
        quick = make_quick_gauge(build, bool(allow_neginf), loss is not None)
        report = Watch(model, quick).run(inputs, kwargs, loss)
        if not report.found:
            return report
        rewind()
        close = make_close_gauge(build, loss is not None)
        counted = Watch(model, close).run(inputs, kwargs, loss)
    if counted.found:
        return counted
    return dataclasses.replace(report, explanation=(*report.explanation, UNSEEN))


def make_quick_gauge(build: Build, kinds: bool, gradients: bool) -> Gauge[Nonfinite]:
    """The gauge that only takes one sum of each array."""
    sums = Sums(kinds)
    return Gauge(
        measure=partial(measure_floats, sums.measure),
        fetch=sums.fetch,
        build=build,
        inputs=True,
        gradients=gradients,
        weights=True,
        alarms=lambda found: any(nan or pos or neg for nan, pos, neg, _ in found),
        stops=lambda report: report.found,
        summary=summarise,
    )


def make_close_gauge(build: Build, gradients: bool) -> Gauge[Nonfinite]:
    """The gauge that counts what is not finite, and finds the first."""
    return Gauge(
        measure=partial(measure_floats, count_nonfinite),
        fetch=fetch_numbers,
        build=build,
        inputs=True,
        gradients=gradients,
        weights=True,
        summary=summarise,
    )


def count_nonfinite(x: Array) -> tuple[Array, ...]:
    """Three counts, and the place of the first in C order.

    Args:
        x: Floats of any shape.
    """
    nan, positive, negative = mx.np.isnan(x), x == inf, x == -inf
    first = mx.np.logical_or(mx.np.logical_or(nan, positive), negative).argmax()
    return nan.sum(), positive.sum(), negative.sum(), first


def summarise(report: Nonfinite) -> str:
    """What an exception should tell of the values before it."""
    return " ".join(report.explanation)
