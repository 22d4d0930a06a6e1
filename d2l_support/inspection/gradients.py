"""What `gradient_norms` gives: both kinds of gradient, layer by layer.

The numbers of a gradient are its Euclidean norm and the mean of its absolute
values.
"""

import dataclasses
from dataclasses import dataclass
from math import hypot
from typing import Any

from d2l_support.inspection.formats import describe_end, format_number, format_shape
from d2l_support.inspection.plots import draw_depth
from d2l_support.inspection.runs import Labels, Run, Value, fits, name_module
from d2l_support.tables import Table, Tabular

HEADER = ("gradient of", "kind", "shape", "norm", "mean |g|")
SHOWN = 80
NONE = "No gradient arrived. Was there a backward pass, in the block?"


@dataclass(frozen=True)
class Gradient:
    """The gradient of one output of a module, or of one parameter.

    Attributes:
        label: What the report calls it.
        names: All the dotted names of the module or of the parameter.
        kind: "activation" or "parameter".
        shape, dtype: The gradient's.
        norm: Its Euclidean norm.
        mean: The mean of its absolute values.
    """

    label: str
    names: tuple[str, ...]
    kind: str
    shape: tuple[int, ...]
    dtype: str
    norm: float
    mean: float


@dataclass(frozen=True, repr=False)
class Gradients(Tabular):
    """The gradients of one backward pass.

    Attributes:
        framework: The framework's key.
        activations: Those that flow back through the network, one for each
            output. They arrive from the last to the first, but stand here in
            the order of the forward pass, and so do the parameters.
        parameters: Those that an optimizer uses.
        notes: What was not seen or not measured, in words.
    """

    framework: str
    activations: tuple[Gradient, ...]
    parameters: tuple[Gradient, ...]
    notes: tuple[str, ...] = ()

    def select(self, *patterns: str) -> "Gradients":
        """Those whose name fits one of the patterns: "?", "*.weight", ..."""

        def chosen(row: Gradient) -> bool:
            return any(fits(name, patterns) for name in row.names)

        activations = tuple(filter(chosen, self.activations))
        parameters = tuple(filter(chosen, self.parameters))
        return dataclasses.replace(
            self, activations=activations, parameters=parameters, notes=()
        )

    def __getitem__(self, name: str) -> Gradient:
        for row in (*self.activations, *self.parameters):
            if name in row.names or name == row.label:
                return row
        raise KeyError(f"no gradient of {name!r} arrived; print the report.")

    def plot(self, ax: Any = None) -> Any:
        """Draws both norms over depth, on a logarithmic scale.

        A module's parameters count together. Infinite norms leave a gap.

        Args:
            ax: The matplotlib axes to draw on; new ones if None.

        Returns:
            The axes.
        """
        lines = {
            "activation": [row.norm for row in self.activations],
            "parameters": [self._join(row.names) for row in self.activations],
        }
        labels = [row.label for row in self.activations]
        return draw_depth(ax, labels, lines, "norm of the gradient", log=True)

    def _join(self, names: tuple[str, ...]) -> float | None:
        """The norm of all the parameters that a module itself holds."""
        norms = [
            row.norm
            for row in self.parameters
            if {name.rpartition(".")[0] for name in row.names} & set(names)
        ]
        return hypot(*norms) if norms else None

    def _table(self) -> Table:
        rows = (*self.activations, *self.parameters)
        more = len(rows) - SHOWN
        extra = (f"{more} more rows: see select().",) if more > 0 else ()
        return Table(
            title=f"Gradients of one backward pass ({self.framework})",
            header=HEADER,
            rows=tuple(map(describe_row, rows[:SHOWN])),
            notes=(*extra, *self.notes),
            align="<<<>>",
            keep="end",
        )


def require_loss(loss: object, example: str) -> None:
    """Refuses inputs that come without a loss.

    Raises:
        ValueError: There is none; it names the example, of `out`.
    """
    if loss is None:
        raise ValueError(
            "gradient_norms: found inputs but no loss, expected a function of the "
            f"output. Give for instance loss=lambda out: {example}."
        )


def build_gradients(run: Run) -> Gradients:
    """The report on a run whose gradients have been measured."""
    labels, rows = Labels(run.calls), []
    arrived = dict(run.gradients)  # the last one, if there were several
    for index, call in enumerate(run.calls):
        for path, at in call.outputs:
            if (value := arrived.pop(at, None)) and value.numbers:
                label = labels(index, path)
                rows.append(make_gradient(label, call.names, "activation", value))
    parameters = [
        make_gradient(name_module(names), names, "parameter", value)
        for names, value in reversed(run.weight_gradients)
        if value.numbers
    ]
    lost = () if rows or parameters else (NONE,)
    notes = (*lost, *describe_end(run))
    return Gradients(run.framework, tuple(rows), tuple(parameters), notes)


def make_gradient(
    label: str, names: tuple[str, ...], kind: str, value: Value
) -> Gradient:
    """The row of a gradient that was measured."""
    norm, mean = value.numbers
    return Gradient(label, names, kind, value.shape, value.dtype, norm, mean)


def describe_row(row: Gradient) -> tuple[str, ...]:
    """The cells of one row."""
    numbers = format_number(row.norm), format_number(row.mean)
    return row.label, row.kind, format_shape(row.shape), *numbers
