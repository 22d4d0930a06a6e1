"""What `count_macs` gives: multiply-accumulates by layer and in total."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from d2l_support.inspection.coverage import group_reasons
from d2l_support.inspection.formats import describe_end, format_shape
from d2l_support.inspection.plots import draw_bars
from d2l_support.inspection.runs import Call, Labels, Run
from d2l_support.tables import Table, Tabular

HEADER = ("call of", "kind", "output", "MACs")


@dataclass(frozen=True)
class Layer:
    """One call of a layer that multiplies.

    Attributes:
        label: What the report calls it.
        names: All the dotted names of the module.
        kind: The module's class.
        shape: The shape of its first output.
        macs: How often it multiplies two numbers and adds the product.
    """

    label: str
    names: tuple[str, ...]
    kind: str
    shape: tuple[int, ...]
    macs: int


@dataclass(frozen=True, repr=False)
class Macs(Tabular):
    """The multiply-accumulates of one pass.

    Attributes:
        framework: The framework's key.
        layers: The calls of layers that multiply, in order of execution.
        notes: What was not counted, in words.
    """

    framework: str
    layers: tuple[Layer, ...]
    notes: tuple[str, ...] = ()

    @property
    def total(self) -> int:
        """All of them together."""
        return sum(layer.macs for layer in self.layers)

    @property
    def flops(self) -> int:
        """Floating-point operations: each is a product and a sum."""
        return 2 * self.total

    def plot(self, ax: Any = None) -> Any:
        """Draws a bar for each layer.

        Args:
            ax: The matplotlib axes to draw on; new ones if None.

        Returns:
            The axes.
        """
        names = [layer.label for layer in self.layers]
        macs = [float(layer.macs) for layer in self.layers]
        return draw_bars(ax, names, {"MACs": macs}, "multiply-accumulates")

    def _table(self) -> Table:
        rows = [
            (layer.label, layer.kind, format_shape(layer.shape), f"{layer.macs:,}")
            for layer in self.layers
        ]
        total = f"{self.total:,} MACs in all, that is {self.flops:,} FLOPs."
        return Table(
            title=f"Multiply-accumulates of one pass ({self.framework})",
            header=HEADER,
            rows=tuple(rows),
            notes=(total, *self.notes),
            align="<<<>",
            keep="end",
        )


def build_macs(run: Run, count: Callable[[Call, Run], int | str]) -> Macs:
    """The report on a run.

    Args:
        run: A run with the shapes of arguments and outputs.
        count: The MACs of a call's module itself, without the modules inside
            it; or why they are not counted.
    """
    labels, layers, unknown = Labels(run.calls), [], []
    for index, call in enumerate(run.calls):
        macs = count(call, run)
        if isinstance(macs, str):
            unknown.append((labels(index), macs))
        elif macs:
            shape = run.values[call.outputs[0][1]].shape
            layer = Layer(labels(index), call.names, call.kind, shape, macs)
            layers.append(layer)
    told = tuple(f"Not counted: {text}" for text in group_reasons(unknown))
    return Macs(run.framework, tuple(layers), (*told, *describe_end(run)))
