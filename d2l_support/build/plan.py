"""Which notebooks a command is to run, and the run itself, shown as it goes."""

from argparse import Namespace
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from nbformat import NotebookNode
from rich.console import Console

from d2l_support.build.check import check_section, load_section
from d2l_support.build.execute import Execution, Job, Report, execute_jobs
from d2l_support.build.kernels import ensure_kernels
from d2l_support.build.launch import Start
from d2l_support.build.layout import Book, SectionName, select_frameworks
from d2l_support.build.problems import ContentError, Problem
from d2l_support.build.progress import show_execution, show_installation
from d2l_support.build.record import build_record, made_with
from d2l_support.build.section import Section
from d2l_support.build.split import split_code


@dataclass(frozen=True)
class Run:
    """A section that is to run in one framework.

    Attributes:
        name: The section's name.
        section: Its source, as read when the command began.
        framework: The framework key.
        digests: What the run depends on beside the source, at that time.
        variables: What the kernel's process finds in its environment besides.
        prepare: Code that runs before the first cell.
        environment: Whose kernel runs it, if not the framework's own.
    """

    name: SectionName
    section: Section
    framework: str
    digests: dict[str, str]
    variables: Mapping[str, str] = field(default_factory=dict)
    prepare: str = ""
    environment: str = ""

    @property
    def kernel_key(self) -> str:
        """Whose kernel runs it, in ``ENVIRONMENTS``."""
        return self.environment or self.framework

    def to_record(self, book: Book, execution: Execution) -> NotebookNode:
        """The record of this run's execution.

        Raises:
            ContentError: Some cell's outputs are too large.
        """
        return build_record(
            self.section,
            self.framework,
            execution.notebook,
            execution.environment,
            self.digests,
            book.root,
        )


Receive = Callable[[Run, Execution], None]
"""Given a run and its execution as soon as it came to its end."""

Execute = Callable[
    [list[Job], float, Report, Callable[[Execution], None]], list[Execution]
]
"""Runs jobs, wherever it is; is told the seconds for a cell, and whom to tell."""


def plan_runs(arguments: Namespace, book: Book) -> list[Run]:
    """The runs that a command line asks for.

    Raises:
        CannotWork: It names no section of the book.
        ContentError: A source has problems; nothing is run.
    """
    frameworks = select_frameworks(arguments.framework)
    runs: list[Run] = []
    problems: list[Problem] = []
    for name in book.select_sections(arguments.sections):
        try:
            section = load_section(book, name)
            problems += check_section(section)
        except ContentError as error:
            problems += error.problems
            continue
        runs += [
            Run(name, section, framework, made_with(book, framework, section))
            for framework in frameworks
            if section.code_cells(framework)
        ]
    if problems:
        raise ContentError(problems)
    return runs


def execute_runs(
    arguments: Namespace,
    book: Book,
    console: Console,
    runs: list[Run],
    receive: Receive,
    kernels: Path | Start | None = None,
    execute: Execute | None = None,
    receive_failed: Receive = lambda run, execution: None,
) -> list[Problem]:
    """Runs them all, in kernels that are made where they are missing.

    Args:
        arguments: ``jobs`` and ``timeout``, from the command line.
        book: The checkout.
        console: Where progress is shown.
        runs: What to run.
        receive: Receives each execution that came to its end.
        kernels: The folder of other kernelspecs than the book's own, or how else a
            kernel is had.
        execute: Who runs the notebooks, if not this process.
        receive_failed: Receives each execution that did not.

    Returns:
        Why some did not come to their end.

    Raises:
        CannotWork: A kernel cannot be made.
        KeyboardInterrupt: After every kernel was shut down.
    """
    if execute is None:
        if kernels is None:
            kernels = make_kernels(book, console, runs)
        execute = _execute_here(kernels, arguments.jobs)
    jobs = [_to_job(run) for run in runs]
    known = {(str(run.name), run.framework): run for run in runs}

    def pass_on(execution: Execution) -> None:
        job = execution.job
        tell = receive_failed if execution.notebook is None else receive
        tell(known[job.section, job.framework], execution)

    with show_execution(jobs, console) as table:
        executions = execute(jobs, arguments.timeout, table.report, pass_on)
    return [execution.problem for execution in executions if execution.problem]


def make_kernels(book: Book, console: Console, runs: list[Run]) -> Path:
    """The folder of the book's kernelspecs, those that these runs need made.

    Raises:
        CannotWork: A kernel cannot be made.
    """
    with show_installation(console) as report:
        ensure_kernels(book, [run.kernel_key for run in runs], report)
    return book.jupyter / "kernels"


def _execute_here(kernels: Path | Start, parallel: int) -> Execute:
    def execute(jobs: list[Job], timeout: float, *told) -> list[Execution]:
        return execute_jobs(jobs, kernels, parallel, timeout, *told)

    return execute


def _to_job(run: Run) -> Job:
    notebook = split_code(run.section, run.framework)
    return Job(
        str(run.name),
        run.framework,
        notebook,
        run.section.path,
        run.variables,
        run.prepare,
        run.environment,
    )
