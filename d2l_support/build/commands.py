"""What each sub-command of ``d2l-support`` does."""

from argparse import Namespace
from pathlib import Path

from filelock import FileLock, Timeout
from rich.console import Console
from rich.table import Table

from d2l_support.build.check import check_book, check_section, load_section
from d2l_support.build.diff import diff_notebooks, show_difference
from d2l_support.build.execute import Execution, Job, execute_jobs
from d2l_support.build.frameworks import FRAMEWORKS
from d2l_support.build.kernels import (
    READY,
    Kernel,
    create_unhealthy,
    ensure_kernels,
    inspect_kernel,
)
from d2l_support.build.layout import Book, SectionName, select_frameworks
from d2l_support.build.problems import CannotWork, ContentError, Problem
from d2l_support.build.progress import show_execution, show_installation
from d2l_support.build.record import (
    build_record,
    made_with,
    read_record,
    write_record,
)
from d2l_support.build.section import Section
from d2l_support.build.split import split_code
from d2l_support.build.stale import find_stale

Plan = dict[tuple[str, str], tuple[SectionName, Section]]


def run_kernels(arguments: Namespace, book: Book, console: Console) -> int:
    """Lists the kernels; with ``--create`` makes those that are not ready."""
    frameworks = select_frameworks(arguments.framework)
    if arguments.create:
        with show_installation(console) as report:
            kernels = create_unhealthy(book, frameworks, report)
    else:
        kernels = [inspect_kernel(book, framework) for framework in frameworks]
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
        table.add_row(name, kernel.health, versions or kernel.detail)
    return table


def run_check(arguments: Namespace, book: Book, console: Console) -> int:
    """Lists every problem in sources and records."""
    sections = book.select_sections(arguments.sections)
    frameworks = select_frameworks(arguments.framework)
    problems = check_book(book, sections, frameworks)
    for problem in problems:
        console.print(str(problem), markup=False, highlight=False, soft_wrap=True)
    found = f"{len(problems)} problems" if problems else "no problem"
    console.print(f"{len(sections)} sections, {len(frameworks)} frameworks: {found}")
    return 1 if problems else 0


def run_execute(arguments: Namespace, book: Book, console: Console) -> int:
    """Runs sections; writes the executed notebooks where asked to."""
    plan = _plan(arguments, book)
    executions = _execute(arguments, book, console, plan)
    for execution in executions:
        if arguments.output and execution.notebook:
            name = f"{execution.job.section}.{execution.job.framework}.ipynb"
            write_record(Path(arguments.output) / name, execution.notebook)
    return _report_failures(executions, console)


def run_record(arguments: Namespace, book: Book, console: Console) -> int:
    """Runs what is stale and keeps the outputs; a failed run changes nothing."""
    book.cache.mkdir(exist_ok=True)
    try:
        with FileLock(book.cache / "record.lock", timeout=0):
            return _record(arguments, book, console)
    except Timeout:
        raise CannotWork(
            "found another `d2l-support record` at work in this checkout, "
            "expected none; wait for its end, then run this one again"
        ) from None


def _record(arguments: Namespace, book: Book, console: Console) -> int:
    plan = _plan(arguments, book)
    if not arguments.force:
        plan = {
            key: (name, section)
            for key, (name, section) in plan.items()
            if find_stale(book, name, section, key[1])
        }
    if not plan:
        console.print("every record holds; --force runs them again")
        return 0
    executions = _execute(arguments, book, console, plan)
    problems = []
    for execution in executions:
        if execution.notebook is None:
            continue
        framework = execution.job.framework
        name, section = plan[execution.job.section, framework]
        try:
            record = _to_record(book, section, execution)
        except ContentError as error:
            problems += error.problems
            continue
        path = book.record(name, framework)
        write_record(path, record)
        console.print(f"recorded {book.relative(path)}", highlight=False)
    for problem in problems:
        console.print(str(problem), markup=False, highlight=False, soft_wrap=True)
    return max(_report_failures(executions, console), 1 if problems else 0)


def _to_record(book: Book, section: Section, execution: Execution):
    framework = execution.job.framework
    return build_record(
        section,
        framework,
        execution.notebook,
        execution.environment,
        made_with(book, framework),
        book.root,
    )


def run_diff(arguments: Namespace, book: Book, console: Console) -> int:
    """Runs sections and shows each cell that leaves its record."""
    plan = _plan(arguments, book)
    stale = [
        problem
        for (_, framework), (name, section) in plan.items()
        for problem in find_stale(book, name, section, framework)
    ]
    if stale:
        raise ContentError(stale)
    executions = _execute(arguments, book, console, plan)
    differing = 0
    for execution in (done for done in executions if done.notebook):
        framework = execution.job.framework
        name, section = plan[execution.job.section, framework]
        path = book.record(name, framework)
        record = read_record(path, book.relative(path), name, framework)
        for found in diff_notebooks(record, _to_record(book, section, execution)):
            differing += 1
            title = f"{book.relative(path)}: cell {found.cell!r} ({framework})"
            text = show_difference(found, colour=console.is_terminal)
            console.print(f"{title}\n{found.difference}\n{text}", markup=False)
    console.print(f"{len(executions)} notebooks: {differing} cells differ")
    return max(_report_failures(executions, console), 1 if differing else 0)


def _plan(arguments: Namespace, book: Book) -> Plan:
    """The sections and frameworks that a command is to run.

    Raises:
        ContentError: A source has problems; nothing is run.
    """
    frameworks = select_frameworks(arguments.framework)
    plan: Plan = {}
    problems: list[Problem] = []
    for name in book.select_sections(arguments.sections):
        try:
            section = load_section(book, name)
            problems += check_section(section)
        except ContentError as error:
            problems += error.problems
            continue
        for framework in frameworks:
            if section.code_cells(framework):
                plan[name.name, framework] = (name, section)
    if problems:
        raise ContentError(problems)
    return plan


def _execute(
    arguments: Namespace, book: Book, console: Console, plan: Plan
) -> list[Execution]:
    frameworks = list({framework for _, framework in plan})
    with show_installation(console) as report:
        ensure_kernels(book, frameworks, report)
    jobs = [
        Job(title, framework, split_code(section, framework), section.path)
        for (title, framework), (_, section) in plan.items()
    ]
    with show_execution(jobs, console) as table:
        return execute_jobs(
            jobs,
            book.jupyter / "kernels",
            arguments.jobs,
            arguments.timeout,
            table.report,
        )


def _report_failures(executions: list[Execution], console: Console) -> int:
    problems = [done.problem for done in executions if done.problem]
    for problem in problems:
        console.print(str(problem), markup=False, highlight=False, soft_wrap=True)
    return 1 if problems else 0
