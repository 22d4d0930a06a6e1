"""`count_macs` for MXNet: one rule for each kind of layer that multiplies."""

from collections.abc import Callable, Mapping
from functools import partial
from math import prod
from typing import Any

from mxnet.gluon import Block, nn, rnn

from d2l_support.inspection.gauges import Gauge
from d2l_support.inspection.macs import Macs, build_macs
from d2l_support.inspection.mxnet.blocks import walk_blocks
from d2l_support.inspection.mxnet.keeping import keep_state
from d2l_support.inspection.mxnet.watching import Watch
from d2l_support.inspection.runs import Call, Run

Shape = tuple[int, ...]
Rule = Callable[[Any, Mapping[str, Shape], Shape], int]

GATES = {"lstm": 4, "gru": 3, "rnn_relu": 1, "rnn_tanh": 1}


def count_macs(
    model: Block, *inputs: Any, kwargs: Mapping[str, Any] | None = None
) -> Macs | Watch[Macs]:
    """The multiply-accumulates of one pass, from the shapes that it shows.

    Layers count, not operations: a product in the code of a model, such as
    `mx.np.dot(x, w)`, is not seen. A bias adds, but does not multiply.

    With inputs it makes the pass itself and leaves no trace; without, it
    watches passes of your own, and reports the last one.

    Args:
        model: Any block that is not hybridized and has been called before.
        *inputs: What to call it with.
        kwargs: Named arguments to call it with.

    Returns:
        The report, with `total` and `flops`, which is twice that; without
        inputs, a watch.

    Raises:
        TypeError, ValueError: As `record_activations`.

    Source: section Hooks: looking without touching, exercise 2.
    """
    build = partial(build_macs, count=partial(count_call, dict(walk_blocks(model))))
    watch = Watch(model, Gauge(lambda x: (), list, build, inputs=True))
    if not inputs and kwargs is None:
        return watch
    with keep_state(model, inputs, kwargs):
        return watch.run(inputs, kwargs)


def count_call(blocks: Mapping[str, Block], call: Call, run: Run) -> int | str:
    """The MACs of one call, or why they are not counted."""
    block = blocks[call.names[0]]
    inputs = {path: run.values[at].shape for path, at in call.inputs or ()}
    if not call.outputs:
        return 0
    for kind, rule in RULES.items():
        if isinstance(block, kind):
            return rule(block, inputs, run.values[call.outputs[0][1]].shape)
    if isinstance(block, FREE) or not block.params:
        return 0
    return "it has parameters, but there is no rule for its class"


def count_dense(layer: nn.Dense, inputs: Mapping[str, Shape], output: Shape) -> int:
    """Each output is a sum over the input features."""
    return prod(output) * layer.weight.shape[1]


def count_conv(layer: Any, inputs: Mapping[str, Shape], output: Shape) -> int:
    """Each output is a sum over the kernel and the channels of its group.

    Every weight is in one output channel and meets each of its places once.
    """
    channel = layer._kwargs["layout"].index("C")
    return prod(output) // output[channel] * prod(layer.weight.shape)


def count_transposed(layer: Any, inputs: Mapping[str, Shape], output: Shape) -> int:
    """Each input is spread over the kernel and the channels of its group."""
    given = inputs["x"]
    channel = layer._kwargs["layout"].index("C")
    return prod(given) // given[channel] * prod(layer.weight.shape)


def count_recurrent(layer: Any, inputs: Mapping[str, Shape], output: Shape) -> int:
    """At each step, each layer multiplies all of its matrices once."""
    steps = prod(inputs["inputs"][:-1])
    hidden, sides = layer._hidden_size, layer._dir
    gates, back = GATES[layer._mode], layer._projection_size or hidden
    total, width = 0, inputs["inputs"][-1]
    for _ in range(layer._num_layers):
        total += sides * gates * hidden * (width + back)
        total += sides * hidden * (layer._projection_size or 0)
        width = sides * back
    return steps * total


def count_cell(layer: Any, inputs: Mapping[str, Shape], output: Shape) -> int:
    """One step of a recurrent layer: all of its matrices once."""
    matrices = (p.shape for name, p in layer.params.items() if "weight" in name)
    return inputs["inputs"][0] * sum(map(prod, matrices))


RULES: dict[type[Block] | tuple[type[Block], ...], Rule] = {
    nn.Dense: count_dense,
    (nn.Conv1D, nn.Conv2D, nn.Conv3D): count_conv,
    (nn.Conv1DTranspose, nn.Conv2DTranspose, nn.Conv3DTranspose): count_transposed,
    rnn.rnn_layer._RNNLayer: count_recurrent,
    (rnn.RNNCell, rnn.LSTMCell, rnn.GRUCell, rnn.LSTMPCell): count_cell,
}
# They have parameters, but do not multiply sums of them.
FREE = (
    nn.Embedding,
    nn.GroupNorm,
    nn.InstanceNorm,
    nn.LayerNorm,
    nn.PReLU,
    nn.basic_layers._BatchNorm,
)
