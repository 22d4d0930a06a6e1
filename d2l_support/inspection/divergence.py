"""What `find_divergence` gives: the first module at which two runs part."""

from dataclasses import dataclass
from typing import Any

from d2l_support.inspection.comparison import Comparison, compare_traces
from d2l_support.inspection.coverage import list_names
from d2l_support.inspection.differences import Difference, Tolerance
from d2l_support.inspection.formats import describe_end, format_shape
from d2l_support.inspection.origins import explain_origin, find_origin, find_roles
from d2l_support.inspection.plots import draw_depth
from d2l_support.inspection.runs import MODEL, Labels, describe_value
from d2l_support.inspection.traces import Trace
from d2l_support.tables import Table, Tabular

HEADER = ("output of", "shape", "differ", "largest", "ulps", "first at", "role")
SHOWN = 12


@dataclass(frozen=True)
class Parting:
    """An output that differs between two runs.

    Attributes:
        label: What the report calls it.
        names: All the dotted names of the module.
        role: "origin" if the inputs agree; "carries", "ends" or "later".
        shape, dtype: The output's, in the first run.
        difference: How it differs; None where only digests could be compared,
            or where shape or dtype differ.
    """

    label: str
    names: tuple[str, ...]
    role: str
    shape: tuple[int, ...]
    dtype: str
    difference: Difference | None


@dataclass(frozen=True, repr=False)
class Divergence(Tabular):
    """How two runs compare.

    Attributes:
        framework: The framework's key.
        first: The dotted name of the first module whose output differs
            although its inputs agree, "(model)" for the model's own code, or
            the name of the argument that differs; None if the runs agree.
        explanation: What happened, one sentence each.
        rows: A `Parting` for each output that differs, in order of execution.
        compared: How many outputs were compared.
        notes: What else differs, and what could not be compared.
    """

    framework: str
    first: str | None
    explanation: tuple[str, ...]
    rows: tuple[Parting, ...]
    compared: int
    notes: tuple[str, ...] = ()

    @property
    def found(self) -> bool:
        """Whether the runs differ."""
        return self.first is not None

    def plot(self, ax: Any = None) -> Any:
        """Draws the largest distance of each output that differs.

        Args:
            ax: The matplotlib axes to draw on; new ones if None.

        Returns:
            The axes.
        """
        found = [row.difference for row in self.rows]
        points = [difference and (difference.largest or None) for difference in found]
        labels, what = [row.label for row in self.rows], "largest distance"
        return draw_depth(ax, labels, {what: points}, what, log=True)

    def _table(self) -> Table:
        more = len(self.rows) - SHOWN
        extra = (f"{more} more outputs are in the report's rows.",) if more > 0 else ()
        return Table(
            title=f"Two runs compared ({self.framework})",
            header=HEADER,
            rows=tuple(map(describe_row, self.rows[:SHOWN])),
            lead=self.explanation,
            notes=(*extra, *self.notes),
            align="<<>>><<",
            keep="end",
        )


def build_divergence(
    a: Trace, b: Trace, tolerance: Tolerance | None = None
) -> Divergence:
    """The report on two runs.

    Args:
        a: One trace.
        b: The other.
        tolerance: How far values may be apart; None compares bit by bit.

    Raises:
        ValueError: The traces are of two frameworks, or of models that have
            no module in common.
    """
    found = compare_traces(a, b, tolerance)
    first, told = explain_first(found, tolerance)
    rows, notes = list_partings(found), (*describe_rest(found), *describe_end(a.run))
    return Divergence(a.run.framework, first, told, rows, found.compared, notes)


def explain_first(
    found: Comparison, tolerance: Tolerance | None
) -> tuple[str | None, tuple[str, ...]]:
    """What to blame first, and the story."""
    calls = found.a.run.calls
    origin = find_origin(calls, found.marks)
    if origin is None:
        return explain_agreement(found, tolerance)
    names, (path, at) = calls[origin.index].names, origin.slot
    told = (
        f"First: {describe_value(found.a.run, at)} {describe_parting(found, at)}.",
        explain_origin(calls, origin, "equal"),
    )
    own = [n for n in found.weights if n.rpartition(".")[0] in names]
    if own:
        told += (f"Its own values differ: {list_names(own)}.",)
    return path if origin.given else names[0] or MODEL, told


def explain_agreement(
    found: Comparison, tolerance: Tolerance | None
) -> tuple[str | None, tuple[str, ...]]:
    """What to say where no value differs; the calls themselves may."""
    how = "bit by bit"
    if tolerance is not None:
        how = f"within rtol={tolerance.rtol:g} and atol={tolerance.atol:g}"
    told = f"All {found.compared} outputs that were compared agree {how}."
    if not found.missing:
        return None, (told,)
    only = f"Only one of the runs called {list_names(list(found.missing))}."
    return next(iter(found.missing)), (told, only)


def describe_parting(found: Comparison, at: int) -> str:
    """How a value of the first run differs from that of the second."""
    difference = found.differences[at]
    if isinstance(difference, str):
        return difference
    told = f"differs in {difference.differing} of {difference.elements} elements"
    if difference.largest is not None:
        told += f", by at most {difference.largest:.2g}"
    if difference.ulps is not None:
        told += f" ({difference.ulps} ulp)"
    if difference.broken:
        told += f"; {difference.broken} are finite in one run only"
    return f"{told}, the first at {list(difference.place)}"


def describe_rest(found: Comparison) -> tuple[str, ...]:
    """What differs besides the values of the pass."""
    told = [
        ("Parameters and buffers that differ", found.weights),
        ("Random streams that began differently", found.streams),
        ("Settings that differ", found.settings),
        ("Called in one run only", found.missing),
    ]
    return tuple(f"{what}: {list_names(list(names))}." for what, names in told if names)


def list_partings(found: Comparison) -> tuple[Parting, ...]:
    """A row for each output that differs, but only one for a tensor."""
    run, rows, told = found.a.run, [], set()
    labels = Labels(run.calls)
    for index, role in find_roles(run.calls, found.marks).items():
        for path, at in found.marks[index].outputs:
            if at not in told:
                value, difference = run.values[at], found.differences[at]
                numbers = None if isinstance(difference, str) else difference
                where = (labels(index, path), run.calls[index].names, role)
                rows.append(Parting(*where, value.shape, value.dtype, numbers))
                told.add(at)
    return tuple(rows)


def describe_row(row: Parting) -> tuple[str, ...]:
    """The cells of one row."""
    start = row.label, format_shape(row.shape)
    if row.difference is None:
        return *start, "yes", "?", "?", "?", row.role
    d = row.difference
    largest = "-" if d.largest is None else f"{d.largest:.1e}"
    ulps = "-" if d.ulps is None else str(d.ulps)
    return *start, str(d.differing), largest, ulps, str(list(d.place)), row.role
