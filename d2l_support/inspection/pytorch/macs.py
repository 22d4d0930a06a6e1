"""`count_macs` for PyTorch: one rule for each kind of layer that multiplies."""

from collections.abc import Callable, Mapping
from functools import partial
from math import prod
from typing import Any

from torch import nn

from d2l_support.inspection.gauges import Gauge
from d2l_support.inspection.macs import Macs, build_macs
from d2l_support.inspection.pytorch.keeping import keep_state
from d2l_support.inspection.pytorch.watching import Watch
from d2l_support.inspection.runs import Call, Run

Shape = tuple[int, ...]
Rule = Callable[[Any, Mapping[str, Shape], Shape], int]


def count_macs(
    model: nn.Module, *inputs: Any, kwargs: Mapping[str, Any] | None = None
) -> Macs | Watch[Macs]:
    """The multiply-accumulates of one pass, from the shapes that it shows.

    Layers count, not operations: a product in the code of a model, such as
    `x @ w`, is not seen. A bias adds, but does not multiply.

    With inputs it makes the pass itself and leaves no trace; without, it
    watches passes of your own, and reports the last one.

    Args:
        model: Any module.
        *inputs: What to call it with.
        kwargs: Named arguments to call it with.

    Returns:
        The report, with `total` and `flops`, which is twice that; without
        inputs, a watch.

    Source: section Hooks: looking without touching, exercise 2.
    """
    build = partial(build_macs, count=partial(count_call, model))
    gauge = Gauge(measure=lambda x: (), fetch=list, build=build, inputs=True)
    watch = Watch(model, gauge)
    if not inputs and kwargs is None:
        return watch
    with keep_state(model, inputs, kwargs):
        return watch.run(inputs, kwargs)


def count_call(model: nn.Module, call: Call, run: Run) -> int | str:
    """The MACs of one call, or why they are not counted."""
    module = model.get_submodule(call.names[0])
    inputs = {path: run.values[at].shape for path, at in call.inputs or ()}
    if not call.outputs:
        return 0
    for kind, rule in RULES.items():
        if isinstance(module, kind):
            return rule(module, inputs, run.values[call.outputs[0][1]].shape)
    if isinstance(module, FREE) or not module._parameters:
        return 0
    return "it has parameters, but there is no rule for its class"


def count_linear(layer: nn.Linear, inputs: Mapping[str, Shape], output: Shape) -> int:
    """Each output is a sum over the input features."""
    return prod(output) * layer.in_features


def count_conv(layer: Any, inputs: Mapping[str, Shape], output: Shape) -> int:
    """Each output is a sum over the kernel and the channels of its group."""
    return prod(output) * layer.in_channels // layer.groups * prod(layer.kernel_size)


def count_transposed(layer: Any, inputs: Mapping[str, Shape], output: Shape) -> int:
    """Each input is spread over the kernel and the channels of its group."""
    spread = layer.out_channels // layer.groups * prod(layer.kernel_size)
    return prod(inputs["input"]) * spread


def count_recurrent(layer: nn.RNNBase, inputs: Mapping[str, Shape], _: Shape) -> int:
    """At each step, each layer multiplies all of its matrices once."""
    steps = prod((inputs.get("input") or inputs["input.data"])[:-1])
    matrices = (p for name, p in layer.named_parameters() if name.startswith("weight"))
    return steps * sum(matrix.numel() for matrix in matrices)


def count_cell(layer: nn.RNNCellBase, inputs: Mapping[str, Shape], _: Shape) -> int:
    """One step of a recurrent layer."""
    matrices = layer.weight_ih.numel() + layer.weight_hh.numel()
    return prod(inputs["input"][:-1]) * matrices


def count_attention(
    layer: nn.MultiheadAttention, inputs: Mapping[str, Shape], _: Shape
) -> int:
    """Four projections, the scores, and the weighted sum of the values.

    Args:
        layer: The layer.
        inputs: The shapes of query, key and value: (batch and time, width).
    """
    query, key = inputs["query"], inputs["key"]
    value, width = inputs["value"], layer.embed_dim
    projected = 2 * prod(query) + prod(key) + prod(value)
    time = 1 if layer.batch_first and len(key) == 3 else 0
    return width * projected + 2 * prod(query[:-1]) * key[time] * width


RULES: dict[type[nn.Module] | tuple[type[nn.Module], ...], Rule] = {
    nn.Linear: count_linear,
    (nn.Conv1d, nn.Conv2d, nn.Conv3d): count_conv,
    (nn.ConvTranspose1d, nn.ConvTranspose2d, nn.ConvTranspose3d): count_transposed,
    nn.RNNBase: count_recurrent,
    nn.RNNCellBase: count_cell,
    nn.MultiheadAttention: count_attention,
}
# They have parameters, but do not multiply sums of them.
FREE = (
    nn.Embedding,
    nn.EmbeddingBag,
    nn.GroupNorm,
    nn.LayerNorm,
    nn.PReLU,
    nn.RMSNorm,
    nn.modules.batchnorm._BatchNorm,
)
