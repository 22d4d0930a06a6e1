"""What `find_nonfinite` gives: the first NaN or infinity, and who made it."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from d2l_support.inspection.formats import count_elements, describe_end
from d2l_support.inspection.origins import (
    explain_origin,
    explain_return,
    find_origin,
    find_return_path,
)
from d2l_support.inspection.plots import draw_bars
from d2l_support.inspection.runs import MODEL, Run, describe_value, name_module
from d2l_support.inspection.suspects import (
    KINDS,
    Findings,
    Suspect,
    describe_kinds,
    describe_row,
    find_suspects,
    is_bad,
    list_suspects,
)
from d2l_support.tables import Table, Tabular

HEADER = ("where", "shape", "NaN", "+inf", "-inf", "first at", "role")
SHOWN = 12

Blame = tuple[str | None, tuple[str, ...]]  # a name, and what happened


@dataclass(frozen=True, repr=False)
class Nonfinite(Tabular):
    """What is not finite in a pass.

    Attributes:
        framework: The framework's key.
        first: The dotted name of the module that made the first, of the
            argument or of the parameter; None if every value is finite.
        explanation: How it came about, one sentence each.
        rows: A `Suspect` for each tensor: outputs in order of execution, then
            gradients in order of arrival, then parameters.
        notes: What was not seen or not checked, in words.
    """

    framework: str
    first: str | None
    explanation: tuple[str, ...]
    rows: tuple[Suspect, ...]
    notes: tuple[str, ...] = ()

    @property
    def found(self) -> bool:
        """Whether anything is not finite."""
        return self.first is not None

    def plot(self, ax: Any = None) -> Any:
        """Draws the share of each tensor that is NaN, +inf and -inf.

        Args:
            ax: The matplotlib axes to draw on; new ones if None.

        Returns:
            The axes.
        """
        parts = {
            kind: [row.counts[at] / count_elements(row.shape) for row in self.rows]
            for at, kind in enumerate(KINDS)
        }
        names = [row.label for row in self.rows]
        return draw_bars(ax, names, parts, "share of the tensor")

    def _table(self) -> Table:
        more = len(self.rows) - SHOWN
        extra = (f"{more} more tensors are in the report's rows.",) if more > 0 else ()
        return Table(
            title=f"Values that are not finite ({self.framework})",
            header=HEADER,
            rows=tuple(map(describe_row, self.rows[:SHOWN])),
            lead=self.explanation,
            notes=(*extra, *self.notes),
            align="<<>>><<",
            keep="end",
        )


def build_nonfinite(run: Run, allow_neginf: Collection[str] = ()) -> Nonfinite:
    """The report on a run.

    Args:
        run: A run whose numbers are as `suspects` says.
        allow_neginf: Where -inf is meant; see `find_suspects`.
    """
    found = find_suspects(run, allow_neginf)
    first, told = explain_first(found)
    if first is not None and run.number > 1:
        told = (f"In pass {run.number}.", *told)
    notes = (*found.notes, *describe_end(run))
    return Nonfinite(run.framework, first, told, list_suspects(found), notes)


def explain_first(found: Findings) -> Blame:
    """What is to blame first, and the story; activations come first."""
    for explain in (explain_forward, explain_backward, explain_weights):
        if blame := explain(found):
            return blame
    if not found.run.calls:
        return None, ("No call of a module was seen, so no activation was checked.",)
    went_back = found.run.gradients or found.run.weight_gradients
    passes = "forward and backward pass" if went_back else "forward pass"
    return None, (f"Every value of the {passes} is finite.",)


def explain_forward(found: Findings) -> Blame | None:
    """The module that made the first bad activation, and the story."""
    run = found.run
    origin = find_origin(run.calls, found.marks)
    if origin is None:
        return None
    names, (path, at) = run.calls[origin.index].names, origin.slot
    kinds = describe_kinds(run.values[at])
    told = (
        f"First: {describe_value(run, at)} holds {kinds}.",
        explain_origin(run.calls, origin, "finite"),
    )
    own = (
        f"{name_module(held)} holds {describe_kinds(value)}."
        for held, value in run.weights
        if is_bad(value) and {name.rpartition(".")[0] for name in held} & set(names)
    )
    return path if origin.given else names[0] or MODEL, (*told, *own)


def explain_backward(found: Findings) -> Blame | None:
    """The module that the first bad gradient came back through."""
    run = found.run
    if path := find_return_path(run, found.gradients):
        (target, value), users = run.gradients[path[0]], path[1]
        where = describe_value(run, target)
        told = f"First: the gradient of {where} holds {describe_kinds(value)}."
        blamed = run.calls[users[0]].names[0] or MODEL if users else where
        return blamed, ("Every activation is finite.", told, explain_return(run, *path))
    if found.weight_gradients:
        names, value = found.weight_gradients[0]
        told = f"First: the gradient of {name_module(names)} holds "
        finite = "Every activation is finite, and so is its gradient."
        return names[0], (finite, f"{told}{describe_kinds(value)}.")
    return None


def explain_weights(found: Findings) -> Blame | None:
    """The first bad parameter or buffer, where nothing else is bad."""
    if not found.weights:
        return None
    names, value = found.weights[0]
    told = f"{name_module(names)} holds {describe_kinds(value)}."
    return names[0], ("Every activation is finite.", told)
