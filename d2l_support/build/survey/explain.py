"""The sub-command ``explain``, for readers whose numbers differ."""

from argparse import Namespace

from rich.console import Console

from d2l_support.build.execute import Execution
from d2l_support.build.layout import Book
from d2l_support.build.plan import Run, execute_runs, plan_runs
from d2l_support.build.printing import print_plain, show_problems
from d2l_support.build.record import load_record, mark_of
from d2l_support.build.survey.agreement import Agreement
from d2l_support.build.survey.causes import Cause, rank_causes
from d2l_support.build.survey.ledger import read_ledger
from d2l_support.build.survey.measure import compare_cells


def run_explain(arguments: Namespace, book: Book, console: Console) -> int:
    """Runs sections here and says why an output differs from its record."""
    runs = plan_runs(arguments, book)
    ledger = read_ledger(book)
    counts = {"same": 0, "allowed": 0, "other": 0}

    def explain(run: Run, execution: Execution) -> None:
        record = load_record(book, run.name, run.framework)
        fresh = run.to_record(book, execution)
        observations = ledger.find(str(run.name), run.framework, mark_of(record))
        differing = compare_cells(record, fresh)
        counts["same"] += len(record.cells) - len(differing)
        for cell, seen in differing.items():
            counts["allowed" if seen.allowed else "other"] += 1
            causes = rank_causes(
                record.metadata["book"]["environment"],
                execution.environment,
                seen,
                cell,
                observations,
            )
            _show_causes(
                console, f"{run.name}: cell {cell!r} ({run.framework})", seen, causes
            )

    problems = execute_runs(arguments, book, console, runs, explain)
    show_problems(problems, console)
    console.print(
        f"{counts['same']} cells print the recorded text, {counts['allowed']} differ "
        f"within their rule, {counts['other']} differ beyond it",
        highlight=False,
    )
    return 1 if problems or counts["other"] else 0


def _show_causes(
    console: Console, place: str, seen: Agreement, causes: list[Cause]
) -> None:
    verdict = "within its rule" if seen.allowed else "beyond its rule"
    lines = [f"{place}: {seen}, {verdict}", *(f"  {cause}" for cause in causes)]
    if not causes:
        lines.append("  the environments are equal: this cell does not repeat here")
    for line in lines:
        print_plain(console, line)
