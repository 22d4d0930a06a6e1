"""What each sub-command of ``d2l-support`` does."""

from argparse import Namespace
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from d2l_support.build.check import check_book
from d2l_support.build.diff import CellDifference, diff_notebooks, show_difference
from d2l_support.build.elsewhere import choose_place
from d2l_support.build.execute import Execution
from d2l_support.build.frameworks import FRAMEWORKS
from d2l_support.build.gpu.command import run_gpu
from d2l_support.build.kernels import READY, Kernel, create_unhealthy, inspect_kernels
from d2l_support.build.layout import Book, select_frameworks
from d2l_support.build.locks import hold_lock
from d2l_support.build.plan import Run, execute_runs, plan_runs
from d2l_support.build.printing import print_plain, show_problems
from d2l_support.build.problems import ContentError, Problem
from d2l_support.build.progress import show_installation
from d2l_support.build.record import load_record, write_record
from d2l_support.build.releases import list_other_releases
from d2l_support.build.stale import find_stale
from d2l_support.build.survey.drift import run_drift


def run_kernels(arguments: Namespace, book: Book, console: Console) -> int:
    """Lists the kernels; with ``--create`` makes those that are not ready."""
    frameworks = select_frameworks(arguments.framework)
    if arguments.create:
        with show_installation(console) as report:
            kernels = create_unhealthy(book, frameworks, report)
    else:
        kernels = inspect_kernels(book, frameworks)
    console.print(_kernel_table(kernels))
    unwell = [kernel.framework for kernel in kernels if kernel.health != READY]
    if unwell and not arguments.create:
        console.print(f"Run: d2l-support kernels --create  (for {', '.join(unwell)})")
    return 2 if unwell and arguments.create else 0


def _kernel_table(kernels: list[Kernel]) -> Table:
    table = Table("kernel", "health", "versions")
    for kernel in kernels:
        versions = "  ".join(f"{k} {v}" for k, v in kernel.versions.items())
        name = FRAMEWORKS[kernel.framework].kernel
        table.add_row(name, kernel.health, Text(versions or kernel.detail))
    return table


def run_check(arguments: Namespace, book: Book, console: Console) -> int:
    """Lists every problem in sources and records."""
    sections = book.select_sections(arguments.sections)
    frameworks = select_frameworks(arguments.framework)
    problems = check_book(book, sections, frameworks)
    code = show_problems(problems, console)
    found = {0: "no problem", 1: "1 problem"}.get(
        len(problems), f"{len(problems)} problems"
    )
    console.print(f"{len(sections)} sections, {len(frameworks)} frameworks: {found}")
    return code


def run_execute(arguments: Namespace, book: Book, console: Console) -> int:
    """Runs sections; writes the executed notebooks where asked to.

    The kernels are this machine's, or those behind a gateway or of a cluster.
    """

    def keep(run: Run, execution: Execution) -> None:
        pins = book.requirements(run.kernel_key)
        if others := list_other_releases(execution.environment, pins):
            said = f"{run.name} ({run.framework}): ran with {', '.join(others)}"
            print_plain(console, said)
        if arguments.output:
            path = Path(arguments.output) / f"{run.name}.{run.framework}.ipynb"
            metadata = execution.notebook.metadata
            metadata["book"] = {"environment": execution.environment}
            write_record(path, execution.notebook)

    runs = plan_runs(arguments, book)
    place = choose_place(arguments, book, runs)
    problems = execute_runs(arguments, book, console, runs, keep, **place)
    return show_problems(problems, console)


def run_record(arguments: Namespace, book: Book, console: Console) -> int:
    """Runs what is stale and keeps the outputs; a failed run changes nothing."""
    if arguments.device == "gpu":
        return run_gpu(arguments, book, console, record=True)
    with hold_lock(book, "record", "`d2l-support record` at work"):
        runs = plan_runs(arguments, book)
        if not arguments.force:
            runs = [run for run in runs if _find_stale(book, run)]
        if not runs:
            console.print("every record holds; --force runs them again")
            return 0
        return _record(arguments, book, console, runs)


def _record(arguments: Namespace, book: Book, console: Console, runs: list[Run]) -> int:
    refused: list[Problem] = []

    def keep(run: Run, execution: Execution) -> None:
        try:
            record = run.to_record(book, execution)
        except ContentError as error:
            refused.extend(error.problems)
            return
        path = book.record(run.name, run.framework)
        write_record(path, record)
        print_plain(console, f"recorded {book.relative(path)}")

    failed = execute_runs(arguments, book, console, runs, keep)
    return show_problems([*failed, *refused], console)


def run_diff(arguments: Namespace, book: Book, console: Console) -> int:
    """Runs sections and shows each cell that leaves its record."""
    if arguments.against:
        return run_drift(arguments, book, console)
    runs = plan_runs(arguments, book)
    if stale := [problem for run in runs for problem in _find_stale(book, run)]:
        raise ContentError(stale)
    refused: list[Problem] = []
    differing: list[CellDifference] = []

    def compare(run: Run, execution: Execution) -> None:
        shown = book.relative(book.record(run.name, run.framework))
        try:
            record = load_record(book, run.name, run.framework)
            found = diff_notebooks(record, run.to_record(book, execution))
        except ContentError as error:
            refused.extend(error.problems)
            return
        for difference in found:
            title = f"{shown}: cell {difference.cell!r} ({run.framework})"
            _show_difference(title, difference, console)
        differing.extend(found)

    failed = execute_runs(arguments, book, console, runs, compare)
    console.print(f"{len(runs)} notebooks: {len(differing)} cells differ")
    code = show_problems([*failed, *refused], console)
    return 1 if differing else code


def _show_difference(title: str, found: CellDifference, console: Console) -> None:
    view = show_difference(found, colour=console.is_terminal)
    console.print(f"{title}: {found.difference}", markup=False, highlight=False)
    console.print(Text.from_ansi(view), soft_wrap=True)


def _find_stale(book: Book, run: Run) -> list[Problem]:
    return find_stale(book, run.name, run.section, run.framework)
