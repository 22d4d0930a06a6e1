"""`count_macs` for JAX: one rule for each kind of layer that multiplies."""

from collections.abc import Callable, Mapping
from functools import partial
from math import prod
from typing import Any

from flax import nnx

from d2l_support.inspection.jax.gauges import Gauge
from d2l_support.inspection.jax.keeping import keep_state
from d2l_support.inspection.jax.modules import Places, walk_graph
from d2l_support.inspection.jax.watching import Watch
from d2l_support.inspection.macs import Macs, build_macs
from d2l_support.inspection.runs import Call, Run

Shape = tuple[int, ...]
Rule = Callable[[Any, Mapping[str, Shape], Shape], int]


def count_macs(
    model: nnx.Module, *inputs: Any, kwargs: Mapping[str, Any] | None = None
) -> Macs | Watch[Macs]:
    """The multiply-accumulates of one pass, from the shapes that it shows.

    Layers count, not operations: a product in the code of a model, such as
    `x @ w`, is not seen, and neither are layers inside a transform, except
    those of an nnx.RNN. A bias adds, but does not multiply.

    With inputs it makes the pass itself, eagerly, and leaves no trace; without,
    it watches eager passes of your own, and reports the last one.

    Args:
        model: Any module that can be called.
        *inputs: What to call it with.
        kwargs: Named arguments to call it with.

    Returns:
        The report, with `total` and `flops`, which is twice that; without
        inputs, a watch.

    Source: section Hooks: looking without touching, exercise 2.
    """
    build = partial(build_macs, count=partial(count_call, Places(model)))
    gauge = Gauge(measure=lambda x: [], fetch=list, build=build, inputs=True)
    watch = Watch(model, gauge)
    if not inputs and kwargs is None:
        return watch
    with keep_state(model, inputs, kwargs):
        return watch.run(inputs, kwargs)


def count_call(places: Places, call: Call, run: Run) -> int | str:
    """The MACs of one call, or why they are not counted."""
    module = places.find(call.names[0])
    inputs = {path: run.values[at].shape for path, at in call.inputs or ()}
    if not call.outputs or is_opened(module, call, run):
        return 0
    for kind, rule in RULES.items():
        if isinstance(module, kind):
            return rule(module, inputs, run.values[call.outputs[0][1]].shape)
    own = any(isinstance(part, nnx.Param) for part in vars(module).values())
    if isinstance(module, FREE) or not own:
        return 0
    return "it has parameters, but there is no rule for its class"


def is_opened(module: nnx.Module, call: Call, run: Run) -> bool:
    """Whether the steps of an nnx.RNN were seen, as under jax.disable_jit."""
    if not isinstance(module, nnx.RNN):
        return False
    cell = f"{call.names[0]}.cell".lstrip(".")
    return any(cell in other.names for other in run.calls)


def count_linear(layer: Any, inputs: Mapping[str, Shape], output: Shape) -> int:
    """Each output is a sum over the input features."""
    features = layer.in_features
    return prod(output) * (features if isinstance(features, int) else prod(features))


def count_einsum(layer: nnx.Einsum, inputs: Mapping[str, Shape], output: Shape) -> int:
    """Each output is a sum over the axes of the kernel that it lacks."""
    kernel, kept = (layer.einsum_str or "").replace(" ", "").split(",")[1].split("->")
    sizes = zip(kernel, layer.kernel_shape, strict=True)
    return prod(output) * prod(size for name, size in sizes if name not in kept)


def count_conv(layer: nnx.Conv, inputs: Mapping[str, Shape], output: Shape) -> int:
    """Each output is a sum over the kernel and the channels of its group."""
    return prod(output) * prod(layer.kernel_shape[:-1])


def count_transposed(
    layer: nnx.ConvTranspose, inputs: Mapping[str, Shape], output: Shape
) -> int:
    """Each input is spread over the kernel and the output channels."""
    return prod(inputs["inputs"][:-1]) * prod(layer.kernel_shape)


def count_recurrent(layer: nnx.RNN, inputs: Mapping[str, Shape], _: Shape) -> int:
    """At each step, the cell multiplies all of its matrices once."""
    steps = prod(inputs["inputs"][:-1])
    held = {id(x): x for _, x in walk_graph(layer.cell) if isinstance(x, nnx.Param)}
    return steps * sum(x.size for x in held.values() if x.ndim == 2)


def count_attention(
    layer: nnx.MultiHeadAttention, inputs: Mapping[str, Shape], _: Shape
) -> int:
    """The scores, and the weighted sum of the values; projections are layers.

    Args:
        layer: The layer.
        inputs: The shapes of queries and keys: (batch..., time, width).
    """
    query = inputs["inputs_q"]
    key = inputs.get("inputs_k", query)
    return 2 * prod(query[:-1]) * key[-2] * layer.qkv_features


def count_lora(layer: nnx.LoRA, inputs: Mapping[str, Shape], _: Shape) -> int:
    """Two products with narrow matrices."""
    return prod(inputs["x"][:-1]) * (layer.lora_a.size + layer.lora_b.size)


RULES: dict[type[nnx.Module] | tuple[type[nnx.Module], ...], Rule] = {
    (nnx.Linear, nnx.LinearGeneral): count_linear,
    nnx.Einsum: count_einsum,
    nnx.Conv: count_conv,
    nnx.ConvTranspose: count_transposed,
    nnx.RNN: count_recurrent,
    nnx.MultiHeadAttention: count_attention,
    nnx.LoRA: count_lora,
}
# They have parameters, but do not multiply sums of them.
FREE = (
    nnx.BatchNorm,
    nnx.Embed,
    nnx.GroupNorm,
    nnx.InstanceNorm,
    nnx.LayerNorm,
    nnx.PReLU,
    nnx.RMSNorm,
)
