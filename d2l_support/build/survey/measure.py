"""Runs sections under a setting and observes how each cell agrees."""

from argparse import Namespace
from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import date

from nbformat import NotebookNode
from rich.console import Console

from d2l_support.build.diff import rule_of
from d2l_support.build.execute import Execution, execute_jobs
from d2l_support.build.kernels import ensure_kernels
from d2l_support.build.layout import Book
from d2l_support.build.plan import Run, execute_runs
from d2l_support.build.printing import print_plain
from d2l_support.build.problems import ContentError, Problem
from d2l_support.build.progress import show_installation
from d2l_support.build.record import load_record, mark_of
from d2l_support.build.survey.agreement import Agreement, measure_agreement
from d2l_support.build.survey.evidence import check_facts, make_evidence_job
from d2l_support.build.survey.ledger import MARK, Observation
from d2l_support.build.survey.settings import Setting

Keep = Callable[[Run, Setting, Observation], None]
"""Given a notebook, its setting and what was observed, as soon as it has run."""


def survey_setting(
    arguments: Namespace,
    book: Book,
    console: Console,
    setting: Setting,
    runs: list[Run],
    keep: Keep,
) -> list[Problem]:
    """Runs notebooks under a setting, in kernels that show that it took effect.

    Args:
        arguments: ``jobs`` and ``timeout``, from the command line.
        book: The checkout.
        console: Where progress is shown.
        setting: The setting.
        runs: The notebooks; those whose framework has no such setting are
            left out.
        keep: Receives each observation.

    Returns:
        Why a framework could not be put into the setting, and why a run's
        outputs could not be compared. That a notebook does not run is an
        observation.
    """
    runs = [_put_into(run, setting) for run in runs if run.framework in setting.setups]
    frameworks = list(dict.fromkeys(run.framework for run in runs))
    with show_installation(console) as report:
        ensure_kernels(book, [run.kernel_key for run in runs], report)
    jobs = [make_evidence_job(setting, framework) for framework in frameworks]
    executions = execute_jobs(jobs, book.jupyter / "kernels", arguments.jobs)
    problems: list[Problem] = []
    refused = set()
    for execution in executions:
        if found := check_facts(execution, setting):
            problems += found
            refused.add(execution.job.framework)
    runs = [run for run in runs if run.framework not in refused]

    def observe(run: Run, execution: Execution) -> None:
        try:
            record = load_record(book, run.name, run.framework)
            fresh = run.to_record(book, execution)
        except ContentError as error:
            problems.extend(error.problems)
            return
        cells = compare_cells(record, fresh, setting.name)
        keep(run, setting, _make_observation(record, execution.environment, cells))

    def observe_failed(run: Run, execution: Execution) -> None:
        print_plain(console, str(execution.problem))
        try:
            record = load_record(book, run.name, run.framework)
            cells = _compare_until(run, execution, book, record, setting.name)
        except ContentError as error:
            problems.extend(error.problems)
            return
        keep(run, setting, _make_observation(record, {}, cells))

    execute_runs(arguments, book, console, runs, observe, receive_failed=observe_failed)
    return problems


def _compare_until(
    run: Run, execution: Execution, book: Book, record: NotebookNode, setting: str
) -> dict[str, Agreement]:
    """How the cells agree before the one that ended the run, and what became of it."""
    failed = execution.problem.cell or record.cells[0].id
    cells = _fail_from(failed, record, setting)
    if execution.reached is None:
        return cells
    whole = replace(execution, notebook=execution.reached, environment={})
    fresh = run.to_record(book, whole)
    pairs = zip(record.cells, fresh.cells, strict=False)
    before = compare_pairs([(old, new.outputs) for old, new in pairs], setting)
    return before | cells


def _fail_from(cell: str, record: NotebookNode, setting: str) -> dict[str, Agreement]:
    """What is known where a run ended early: that cell, and those not reached."""
    rules = {node.id: rule_of(node) for node in record.cells}
    after = list(rules)[list(rules).index(cell) + 1 :]
    compared = [node for node in after if rules[node].kind != "informative"]
    later = dict.fromkeys(compared, Agreement("unseen"))
    return {cell: Agreement("failed", allowed=setting in rules[cell].varies), **later}


def compare_cells(
    record: NotebookNode, fresh: NotebookNode, setting: str = ""
) -> dict[str, Agreement]:
    """How the cells of a fresh run agree, but for those that print the same text.

    Cells that are shown and not compared, such as timings, are left out.

    Args:
        record: The recorded notebook.
        fresh: A notebook with the same cells, from ``build_record``.
        setting: The name of the setting it ran under, if it was one.
    """
    pairs = zip(record.cells, fresh.cells, strict=True)
    return compare_pairs([(old, new.outputs) for old, new in pairs], setting)


def compare_pairs(
    pairs: Iterable[tuple[NotebookNode, list[NotebookNode]]], setting: str = ""
) -> dict[str, Agreement]:
    """The same of recorded cells, each with its fresh outputs, normalised."""
    found = {}
    for cell, outputs in pairs:
        rule = rule_of(cell)
        if rule.kind == "informative":
            continue
        seen = measure_agreement(cell.outputs, outputs, rule)
        if setting in rule.varies:
            seen = replace(seen, allowed=True)
        if seen != Agreement():
            found[cell.id] = seen
    return found


def _put_into(run: Run, setting: Setting) -> Run:
    setup = setting.setups[run.framework]
    return replace(
        run,
        variables=setup.variables,
        prepare=setup.prepare,
        environment=setup.environment,
    )


def _make_observation(
    record: NotebookNode, environment: dict, cells: dict[str, Agreement]
) -> Observation:
    mark = mark_of(record)[:MARK]
    return Observation(mark, date.today().isoformat(), environment, cells)
