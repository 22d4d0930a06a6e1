"""The drift between the records and another run of the book, cell by cell.

The other run is a folder of notebooks that ``execute --output`` wrote, in
another environment or under other flags.
"""

from argparse import Namespace
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from rich.console import Console
from rich.table import Table

from d2l_support.build.layout import Book
from d2l_support.build.normalise import normalise_outputs
from d2l_support.build.plan import Run, plan_runs
from d2l_support.build.problems import CannotWork
from d2l_support.build.record import load_record
from d2l_support.build.survey.agreement import Agreement
from d2l_support.build.survey.measure import compare_pairs
from d2l_support.build.widgets import carry_states

Drift = tuple[Run, str, Agreement]
"""A run, a cell's id, and how the two agree there."""


def run_drift(arguments: Namespace, book: Book, console: Console) -> int:
    """Prints how another run's notebooks differ from the records, worst first."""
    folder = Path(arguments.against)
    found = [
        (run, folder / f"{run.name}.{run.framework}.ipynb")
        for run in plan_runs(arguments, book)
    ]
    found = [(run, path) for run, path in found if path.exists()]
    if not found:
        raise CannotWork(
            f"{folder}: found no notebook of these sections, expected the folder that "
            "`d2l-support execute --output` wrote"
        )
    drifts: list[Drift] = []
    count = 0
    for run, path in found:
        record = _read(book, run)
        cells, own = list_drift(record, _open(path))
        count += cells
        drifts += [(run, cell, seen) for cell, seen in own.items()]
    drifts.sort(key=lambda drift: drift[2].badness, reverse=True)
    if drifts:
        console.print(_table(drifts))
    beyond = sum(not seen.allowed for _, _, seen in drifts)
    console.print(
        f"{count} cells in {len(found)} notebooks: {len(drifts)} drifted, "
        f"{beyond} beyond their rule",
        highlight=False,
    )
    return 1 if beyond else 0


def list_drift(
    record: NotebookNode, other: NotebookNode
) -> tuple[int, dict[str, Agreement]]:
    """How many cells both have, and how those agree that differ.

    Args:
        record: The recorded notebook.
        other: The other run's; cells with other code are left out.
    """
    fresh = {cell.id: cell for cell in carry_states(other).cells}
    pairs = [
        (cell, normalise_outputs(fresh[cell.id].outputs))
        for cell in record.cells
        if cell.id in fresh and fresh[cell.id].source == cell.source
    ]
    return len(pairs), compare_pairs(pairs)


def _read(book: Book, run: Run) -> NotebookNode:
    try:
        return load_record(book, run.name, run.framework)
    except FileNotFoundError as error:
        shown = book.relative(book.record(run.name, run.framework))
        raise CannotWork(f"{shown}: found no record, expected one") from error


def _open(path: Path) -> NotebookNode:
    try:
        return nbformat.read(path, as_version=4)
    except (OSError, ValueError, nbformat.ValidationError) as error:
        raise CannotWork(
            f"{path}: found no readable notebook ({type(error).__name__}), expected "
            "what `d2l-support execute --output` wrote"
        ) from error


def _table(drifts: list[Drift]) -> Table:
    table = Table("section", "framework", "cell", "drift", "rule")
    for run, cell, seen in drifts:
        verdict = "allows it" if seen.allowed else "broken"
        table.add_row(run.name.name, run.framework, cell, str(seen), verdict)
    return table
