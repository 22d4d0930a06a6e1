"""`record_activations` for PyTorch."""

from collections.abc import Mapping
from math import isnan
from typing import Any

import torch
from torch import Tensor, nn

from d2l_support.inspection.activations import Activations, build_activations
from d2l_support.inspection.gauges import Gauge
from d2l_support.inspection.pytorch.keeping import keep_state
from d2l_support.inspection.pytorch.tensors import (
    fetch_numbers,
    measure_floats,
    name_dtype,
)
from d2l_support.inspection.pytorch.watching import Watch


def record_activations(
    model: nn.Module, *inputs: Any, kwargs: Mapping[str, Any] | None = None
) -> Activations | Watch[Activations]:
    """The spread of every module's output in one pass.

    With inputs it runs the model on them once, and leaves no trace: random
    streams and buffers are as before. Without inputs it is for a pass of your
    own: `with d2l.record_activations(net) as seen: net(X)`, then seen.report.

    Args:
        model: Any module; it stays in its mode, train or eval.
        *inputs: The model's positional arguments.
        kwargs: Its named arguments.

    Returns:
        The report; without inputs, a watch.

    Raises:
        TypeError, ValueError: The model is none, or is compiled.

    Source: section Hooks: looking without touching.
    """
    watch = Watch(model, make_gauge(torch.float32))
    if not inputs and kwargs is None:
        return watch
    with keep_state(model, inputs, kwargs) as rewind:
        report = watch.run(inputs, kwargs)
        if any(row.overflowed for row in report.rows):
            rewind()
            wide = Watch(model, make_gauge(torch.float64))
            report = wide.run(inputs, kwargs)
    return report


def make_gauge(dtype: torch.dtype) -> Gauge[Activations]:
    """The gauge whose arithmetic is in float32 or float64, as told."""
    meter = SpreadMeter(dtype)
    return Gauge(meter.measure, meter.fetch, build_activations)


class SpreadMeter:
    """Measures the spread of tensors, with one work space for each shape."""

    def __init__(self, dtype: torch.dtype):
        self._dtype = dtype
        self._spaces: dict[tuple[object, ...], Tensor] = {}

    def measure(self, x: Tensor) -> tuple[Any, ...] | str:
        """The spread of a tensor of real numbers, or why there is none."""
        if x.is_complex():
            return f"{name_dtype(x.dtype)}: complex numbers have no order"
        return measure_floats(self._measure, x)

    def _measure(self, x: Tensor) -> tuple[Any, ...]:
        """Sum, distance from the mean, extremes, root of the non-zeros, size.

        Args:
            x: Floats of any shape.
        """
        if x.dtype not in (self._dtype, torch.float64):
            x = x.to(self._dtype)
        total, size = x.sum(), x.numel()
        low, high = torch.aminmax(x)
        space = self._take_space(x)
        # The mean goes first, so that no digits cancel when squares are added.
        torch.sub(x, total, alpha=1 / size, out=space)
        distance = torch.linalg.vector_norm(space)
        # The norm of the signs is several times faster than counting non-zeros.
        nonzero = torch.linalg.vector_norm(torch.sign(x, out=space))
        return total, distance, low, high, nonzero, size

    def _take_space(self, x: Tensor) -> Tensor:
        """A tensor like this one, to be written over."""
        key = (x.shape, x.dtype, x.device)
        if key not in self._spaces:
            self._spaces[key] = torch.empty_like(x)
        return self._spaces[key]

    def fetch(self, rows: list[tuple[Any, ...]]) -> list[list[float | None]]:
        """Mean, standard deviation, extremes and share of zeros of each."""
        self._spaces.clear()
        fetched = fetch_numbers([row[:-1] for row in rows])
        pairs = zip(fetched, (row[-1] for row in rows), strict=True)
        return [describe_spread(*numbers, size) for numbers, size in pairs]


def describe_spread(
    total: float, distance: float, low: float, high: float, nonzero: float, size: int
) -> list[float | None]:
    """The numbers of a report, from those that were measured."""
    std = distance / (size - 1) ** 0.5 if size > 1 else None
    zeros = None if isnan(low) else 1 - min(round(nonzero**2), size) / size
    return [total / size, std, low, high, zeros]
