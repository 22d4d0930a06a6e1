"""`gradient_norms` for PyTorch."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn

from d2l_support.inspection.gauges import Gauge
from d2l_support.inspection.gradients import (
    Gradients,
    build_gradients,
    require_loss,
)
from d2l_support.inspection.pytorch.keeping import keep_state
from d2l_support.inspection.pytorch.tensors import fetch_numbers, measure_floats
from d2l_support.inspection.pytorch.watching import Watch


def gradient_norms(
    model: nn.Module,
    *inputs: Any,
    kwargs: Mapping[str, Any] | None = None,
    loss: Callable[[Any], Tensor] | None = None,
) -> Gradients | Watch[Gradients]:
    """The size of both kinds of gradient in one backward pass.

    The gradient of an *activation* is what flows back through the network;
    that of a *parameter* is what the optimizer uses.

    With inputs it makes the pass itself and leaves no trace: the parameters'
    `.grad` is as before. Without, it watches passes of your own: `with
    d2l.gradient_norms(net) as seen:`, then seen.report on the last one.

    Args:
        model: Any module; it stays in its mode, train or eval.
        *inputs: What to call it with.
        kwargs: Named arguments to call it with.
        loss: Makes one number of the output, such as torch.sum.

    Raises:
        ValueError: There are inputs and no loss, or it gives no such number.

    Source: section Gradients on their way back.
    """
    watch = Watch(model, GAUGE)
    if not inputs and kwargs is None:
        return watch
    require_loss(loss, "out.square().mean()")
    with keep_state(model, inputs, kwargs):
        return watch.run(inputs, kwargs, loss)


def measure_norm(x: Tensor) -> tuple[Tensor, Tensor]:
    """The Euclidean norm and the mean absolute value, in float64.

    Args:
        x: Floats of any shape; pairs of them where they are complex.
    """
    wide = x.float() if x.device.type == "mps" else x.double()
    return torch.linalg.vector_norm(wide), wide.abs().mean()


GAUGE = Gauge(
    measure=partial(measure_floats, measure_norm),
    fetch=fetch_numbers,
    build=build_gradients,
    gradients=True,
)
