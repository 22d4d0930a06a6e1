"""The products in single operations, as TensorFlow runs them.

Operations are seen by the callback that TensorFlow's own debugger uses. It
gets every operation that runs eagerly, whoever calls it.
"""

from collections.abc import Callable, Mapping
from math import prod
from typing import Any

import tensorflow as tf
from tensorflow.python.framework import op_callbacks

Shape = tuple[int, ...]
Rule = Callable[[list[Shape], Shape, Mapping[str, Any]], int]


class Tally:
    """The multiply-accumulates of one call of a layer.

    Attributes:
        macs: How many were counted.
        unknown: The operations that may multiply, and cannot be counted.
    """

    def __init__(self) -> None:
        self.macs = 0
        self.unknown: dict[str, None] = {}

    def add(self, kind: str, inputs: tuple, attributes: tuple, outputs: tuple) -> None:
        """Counts an operation that has just run."""
        if rule := RULES.get(kind):
            shapes = [tuple(x.shape) for x in inputs]
            named = dict(zip(attributes[::2], attributes[1::2], strict=True))
            self.macs += rule(shapes, tuple(outputs[0].shape), named)
        elif kind.startswith("__"):
            self.unknown["a tf.function, whose operations do not show"] = None
        elif kind.startswith(UNKNOWN):
            self.unknown[f"the operation {kind}, for which there is no rule"] = None


class Operations:
    """The callback for every eager operation, from `attach` to `detach`.

    Args:
        tell: Called with the operation's kind, inputs, attributes and outputs.
    """

    def __init__(self, tell: Callable[[str, tuple, tuple, tuple], None]):
        self._tell = tell

    def attach(self) -> None:
        """Sets the callback."""
        op_callbacks.add_op_callback(self._called)

    def detach(self) -> None:
        """Takes it away."""
        op_callbacks.remove_op_callback(self._called)

    def _called(
        self,
        kind: Any,
        inputs: tuple,
        attributes: tuple,
        outputs: tuple,
        op_name: str | None = None,
        graph: tf.Graph | None = None,
    ) -> None:
        """An operation has run; in a graph it has only been added."""
        if graph is None:
            name = kind.decode() if isinstance(kind, bytes) else kind
            self._tell(name, inputs, attributes, outputs)


def count_product(inputs: list[Shape], output: Shape, named: Mapping[str, Any]) -> int:
    """A matrix product: each output is a sum over the inner dimension."""
    turned = named.get("transpose_a") or named.get("adj_x")
    return prod(output) * inputs[0][-2 if turned else -1]


def count_conv(inputs: list[Shape], output: Shape, named: Mapping[str, Any]) -> int:
    """Each output is a sum over the kernel and the channels of its group."""
    return prod(output) * prod(inputs[1][:-1])


def count_depthwise(
    inputs: list[Shape], output: Shape, named: Mapping[str, Any]
) -> int:
    """Each output is a sum over the kernel in one channel."""
    return prod(output) * prod(inputs[1][:2])


def count_transposed(
    inputs: list[Shape], output: Shape, named: Mapping[str, Any]
) -> int:
    """Each input is spread over the kernel and the output channels."""
    return prod(inputs[2]) * prod(inputs[1][:-1])


def count_einsum(inputs: list[Shape], output: Shape, named: Mapping[str, Any]) -> int:
    """One product for each value of all the indices, if there are two factors."""
    equation = named["equation"]
    equation = equation.decode() if isinstance(equation, bytes) else equation
    letters = equation.split("->")[0].split(",")
    if len(letters) < 2:
        return 0
    sizes: dict[str, int] = {}
    for names, shape in zip(letters, inputs, strict=True):
        sizes |= zip(names, shape, strict=True)
    return prod(sizes.values())


RULES: dict[str, Rule] = {
    "MatMul": count_product,
    "BatchMatMul": count_product,
    "BatchMatMulV2": count_product,
    "BatchMatMulV3": count_product,
    "Conv2D": count_conv,
    "Conv3D": count_conv,
    "DepthwiseConv2dNative": count_depthwise,
    "Conv2DBackpropInput": count_transposed,
    "Conv3DBackpropInputV2": count_transposed,
    "Einsum": count_einsum,
}
UNKNOWN = ("Cudnn", "Quantized", "SparseMatMul", "SparseTensorDenseMatMul", "Xla")
