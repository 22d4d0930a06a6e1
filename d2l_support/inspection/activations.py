"""What `record_activations` gives: the spread of every module's output."""

import dataclasses
import difflib
from dataclasses import dataclass
from math import isfinite
from typing import Any

from d2l_support.inspection.coverage import list_names
from d2l_support.inspection.formats import (
    describe_end,
    format_number,
    format_shape,
    format_share,
)
from d2l_support.inspection.plots import draw_depth
from d2l_support.inspection.runs import Labels, Run, fits
from d2l_support.tables import Table, Tabular

HEADER = ("output of", "kind", "shape", "mean", "std", "min", "max", "zeros")
SHOWN = 60
OVERFLOW = "Too large for the square of its spread:"
RESIDUE = 1e-6  # a mean smaller than this share of the spread is rounding


@dataclass(frozen=True)
class Activation:
    """One output of one call.

    Attributes:
        label: What the report calls it.
        names: All the dotted names of the module.
        kind: The module's class.
        call: 1 for the module's first call in its phase.
        phase: "forward", or "recompute" inside a backward pass.
        shape: The output's shape.
        dtype: Its dtype.
        mean, std, min, max: None where they could not be measured; std is
            the unbiased one.
        zeros: The share of elements that are exactly zero.
        repeats: The label of the earlier output that this very tensor was.
    """

    label: str
    names: tuple[str, ...]
    kind: str
    call: int
    phase: str
    shape: tuple[int, ...]
    dtype: str
    mean: float | None
    std: float | None
    min: float | None
    max: float | None
    zeros: float | None
    repeats: str = ""

    @property
    def overflowed(self) -> bool:
        """Whether squares became infinite although the values are finite."""
        if self.std is None or self.min is None or self.max is None:
            return False
        return isfinite(self.min) and isfinite(self.max) and not isfinite(self.std)


@dataclass(frozen=True, repr=False)
class Activations(Tabular):
    """The outputs of a model's modules in one pass, in order of execution.

    Attributes:
        framework: The framework's key.
        rows: One `Activation` for each output.
        notes: What was not seen or not measured, in words.
    """

    framework: str
    rows: tuple[Activation, ...]
    notes: tuple[str, ...] = ()

    def select(self, *patterns: str) -> "Activations":
        """The rows of the modules whose name fits one of the patterns.

        Args:
            *patterns: Names, where "?" stands for one character and "*" for
                any number of them: "?" selects 0 to 9, "*.body.1" each block's
                second layer.
        """
        rows = (r for r in self.rows if any(fits(name, patterns) for name in r.names))
        return dataclasses.replace(self, rows=tuple(rows), notes=())

    def __getitem__(self, name: str) -> Activation:
        for row in self.rows:
            if name in row.names or name == row.label:
                return row
        known = [name for row in self.rows for name in row.names]
        close = difflib.get_close_matches(name, known, 3) or known[:3]
        raise KeyError(f"no output of {name!r} was recorded; there are {close}.")

    def plot(self, ax: Any = None, what: str = "std") -> Any:
        """Draws one number of every row over depth.

        Args:
            ax: The matplotlib axes to draw on; new ones if None.
            what: "mean", "std", "min", "max" or "zeros".

        Returns:
            The axes.
        """
        rows = list_shown(self.rows)
        points = {what: [getattr(row, what) for row in rows]}
        return draw_depth(ax, [row.label for row in rows], points, what)

    def _table(self) -> Table:
        shown = list_shown(self.rows)
        notes = [*describe_repeats(self.rows), *self.notes]
        if len(shown) > SHOWN:
            notes.insert(0, f"{len(shown) - SHOWN} more rows: see rows or select().")
        return Table(
            title=f"Activations of one pass ({self.framework})",
            header=HEADER,
            rows=tuple(map(describe_row, shown[:SHOWN])),
            notes=tuple(notes),
            align="<<<>>>>>",
            keep="end",
        )


def build_activations(run: Run) -> Activations:
    """The report on a run whose numbers are mean, std, min, max and zeros."""
    labels, rows = Labels(run.calls), []
    first: dict[int, str] = {}
    for index, call in enumerate(run.calls):
        for path, slot in call.outputs:
            value, label = run.values[slot], labels(index, path)
            row = Activation(
                label,
                call.names,
                call.kind,
                call.number,
                call.phase,
                value.shape,
                value.dtype,
                *(value.numbers or (None,) * 5),
                first.get(slot, ""),
            )
            rows.append(row)
            first.setdefault(slot, label)
    large = [row.label for row in rows if row.overflowed]
    told = (f"{OVERFLOW} {list_names(large)}.",) if large else ()
    return Activations(run.framework, tuple(rows), (*told, *describe_end(run)))


def list_shown(rows: tuple[Activation, ...]) -> list[Activation]:
    """The rows without those that repeat one of the others."""
    labels = {row.label for row in rows}
    return [row for row in rows if row.repeats not in labels]


def describe_repeats(rows: tuple[Activation, ...]) -> list[str]:
    """A note on the outputs that are another module's, passed on as it was."""
    shown = list_shown(rows)
    if len(shown) == len(rows):
        return []
    told = f"{len(rows)} outputs, but only {len(shown)} tensors"
    return [f"{told}: a container that gives its last child's has no row."]


def describe_row(row: Activation) -> tuple[str, ...]:
    """The cells of one row."""
    mean = row.mean
    if mean is not None and row.std and abs(mean) < RESIDUE * row.std:
        mean = 0.0
    numbers = map(format_number, (mean, row.std, row.min, row.max))
    shape, zeros = format_shape(row.shape), format_share(row.zeros)
    return row.label, row.kind, shape, *numbers, zeros
