"""The sub-command ``explain``, for readers whose numbers differ."""

from argparse import Namespace

from nbformat import NotebookNode
from rich.console import Console

from d2l_support.build.execute import Execution
from d2l_support.build.layout import Book
from d2l_support.build.plan import Run, execute_runs, plan_runs
from d2l_support.build.printing import print_plain, show_problems
from d2l_support.build.problems import Problem
from d2l_support.build.record import load_record, mark_of
from d2l_support.build.survey.agreement import Agreement
from d2l_support.build.survey.causes import Cause, rank_causes
from d2l_support.build.survey.edits import list_edits
from d2l_support.build.survey.ledger import read_ledger
from d2l_support.build.survey.measure import compare_cells


def run_explain(arguments: Namespace, book: Book, console: Console) -> int:
    """Runs sections here and says why an output differs from its record."""
    runs = plan_runs(arguments, book)
    ledger = read_ledger(book)
    counts = {"same": 0, "allowed": 0, "other": 0}
    unlike: list[Problem] = []

    def explain(run: Run, execution: Execution) -> None:
        record = load_record(book, run.name, run.framework)
        fresh = run.to_record(book, execution)
        observations = ledger.find(str(run.name), run.framework, mark_of(record))
        if problem := _refuse_other_cells(run, record, fresh):
            unlike.append(problem)
            return
        counts["same"] += len(record.cells)
        for cell, seen in compare_cells(record, fresh).items():
            counts["same"] -= 1
            counts["allowed" if seen.allowed else "other"] += 1
            edits = _list_edits_until(cell, record, fresh)
            before, now = record.metadata["book"]["environment"], execution.environment
            causes = edits + rank_causes(before, now, seen, cell, observations)
            place = f"{run.name}: cell {cell!r} ({run.framework})"
            _show_causes(console, place, seen, causes)

    problems = [*execute_runs(arguments, book, console, runs, explain), *unlike]
    show_problems(problems, console)
    console.print(
        f"{counts['same']} cells print the recorded text, {counts['allowed']} differ "
        f"within their rule, {counts['other']} differ beyond it",
        highlight=False,
    )
    return 1 if problems or counts["other"] else 0


def _list_edits_until(
    cell: str, record: NotebookNode, fresh: NotebookNode
) -> list[Cause]:
    """What was edited in a cell or before it."""
    until = next(n for n, node in enumerate(record.cells, 1) if node.id == cell)
    return list_edits(record.cells[:until], fresh.cells[:until])


def _refuse_other_cells(
    run: Run, record: NotebookNode, fresh: NotebookNode
) -> Problem | None:
    """Why a run cannot be held against its record; None if it can."""
    ids, wanted = ([node.id for node in side.cells] for side in (fresh, record))
    if ids == wanted:
        return None
    new = next((node for node in ids if node not in wanted), None)
    gone = next((node for node in wanted if node not in ids), None)
    found = f"a cell {new!r}" if new else f"no cell {gone!r}" if gone else "other order"
    return Problem(
        "explain",
        f"found {found}, expected the cells that were recorded",
        run.section.path,
        framework=run.framework,
        run=f"d2l-support record --framework {run.framework} {run.name.name}",
    )


def _show_causes(
    console: Console, place: str, seen: Agreement, causes: list[Cause]
) -> None:
    verdict = "within its rule" if seen.allowed else "beyond its rule"
    lines = [f"{place}: {seen}, {verdict}", *(f"  {cause}" for cause in causes)]
    if not causes:
        lines.append("  the environments are equal: this cell does not repeat here")
    for line in lines:
        print_plain(console, line)
