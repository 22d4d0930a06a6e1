"""`find_nonfinite` for PyTorch: what its quick look and its close look ask.

The quick look takes the least and the greatest element of each tensor, in one
pass over it. A NaN shows in both of them, and an infinity in one; a NaN hides
the infinities beside it. (The sum would be cheaper still, but can overflow
where every element is finite, and inf - inf hides both.)
"""

from collections.abc import Callable, Collection, Mapping
from functools import partial
from math import inf, isnan
from typing import Any

import torch
from torch import Tensor, nn

from d2l_support.inspection.gauges import Gauge
from d2l_support.inspection.looks import Looks
from d2l_support.inspection.nonfinite import Nonfinite
from d2l_support.inspection.pytorch.keeping import keep_state
from d2l_support.inspection.pytorch.tensors import fetch_numbers, measure_floats
from d2l_support.inspection.pytorch.watching import Watch


def find_nonfinite(
    model: nn.Module,
    *inputs: Any,
    kwargs: Mapping[str, Any] | None = None,
    loss: Callable[[Any], Tensor] | None = None,
    allow_neginf: Collection[str] = (),
    backward: bool = True,
) -> Nonfinite | Watch[Nonfinite]:
    """The first NaN or infinity of a pass, and the module that made it.

    Without inputs it watches passes of your own, up to the first bad one:
    `with d2l.find_nonfinite(net) as seen:`, then seen.report. That one names
    no places in the tensors, since your pass is not run again.

    Args:
        model: Any module; it stays in its mode, train or eval.
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


def fetch_extremes(rows: list[Any]) -> list[tuple[int, int, int, int]]:
    """For each tensor, whether there is a NaN, a +inf, a -inf; and no place."""
    return [
        (int(isnan(low)), int(high == inf), int(low == -inf), -1)
        for low, high in fetch_numbers(rows)
    ]


def measure_close(x: Tensor) -> tuple[Tensor, ...] | str:
    """How many NaN, +inf and -inf there are, and the place of the first."""
    parts = 2 if x.is_complex() else 1
    return measure_floats(partial(count_nonfinite, parts=parts), x)


def count_nonfinite(x: Tensor, parts: int) -> tuple[Tensor, ...]:
    """Three counts, and the place of the first in C order.

    Args:
        x: Floats of any shape.
        parts: How many of them make one element.
    """
    nan, positive, negative = x.isnan(), x == inf, x == -inf
    first = (nan | positive | negative).flatten().to(torch.uint8).argmax()
    return nan.sum(), positive.sum(), negative.sum(), first // parts


LOOKS = Looks(
    quick=partial(
        Gauge, measure=partial(measure_floats, torch.aminmax), fetch=fetch_extremes
    ),
    close=partial(Gauge, measure=measure_close, fetch=fetch_numbers),
    unreached="no buffer",
)
