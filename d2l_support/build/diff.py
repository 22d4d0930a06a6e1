"""Holds a fresh run against the record, cell by cell, by each cell's rule."""

import io
from dataclasses import dataclass

import nbdime
from nbdime.prettyprint import PrettyPrintConfig, pretty_print_diff
from nbformat import NotebookNode, v4

from d2l_support.build.compare import Difference, compare_outputs
from d2l_support.build.rules import Rule


@dataclass(frozen=True)
class CellDifference:
    """A cell whose fresh outputs its rule does not allow.

    Attributes:
        cell: The cell's id.
        difference: Where and how they differ.
        recorded: The cell as recorded.
        fresh: The cell as it ran, its outputs normalised.
    """

    cell: str
    difference: Difference
    recorded: NotebookNode
    fresh: NotebookNode


def rule_of(cell: NotebookNode) -> Rule:
    """The rule that a recorded cell carries."""
    return Rule.from_metadata(cell.metadata["book"]["compare"])


def diff_notebooks(record: NotebookNode, fresh: NotebookNode) -> list[CellDifference]:
    """The cells of a fresh run that do not agree with the record.

    Args:
        record: The recorded notebook.
        fresh: A notebook with the same cells, from ``build_record``.
    """
    new = {cell.id: cell for cell in fresh.cells}
    return [
        CellDifference(cell.id, difference, cell, new[cell.id])
        for cell in record.cells
        if (difference := _compare(cell, new[cell.id]))
    ]


def _compare(recorded: NotebookNode, fresh: NotebookNode) -> Difference | None:
    return compare_outputs(recorded.outputs, fresh.outputs, rule_of(recorded))


def show_difference(found: CellDifference, colour: bool = False) -> str:
    """Nbdime's view of one cell's change, the same whatever tools are installed."""
    before = v4.new_notebook(cells=[found.recorded])
    after = v4.new_notebook(cells=[found.fresh])
    text = io.StringIO()
    config = PrettyPrintConfig(
        out=text, use_color=colour, use_git=False, use_diff=False
    )
    changes = nbdime.diff_notebooks(before, after)
    pretty_print_diff(before, changes, "", config)
    return text.getvalue().rstrip() + "\n"
