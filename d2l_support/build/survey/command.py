"""The sub-command ``survey``."""

from argparse import Namespace

from rich.console import Console
from rich.table import Table

from d2l_support.build.environments import find_python, is_complete
from d2l_support.build.frameworks import ENVIRONMENTS, FRAMEWORKS
from d2l_support.build.layout import Book
from d2l_support.build.locks import hold_lock
from d2l_support.build.plan import Run, plan_runs
from d2l_support.build.printing import print_plain, show_problems
from d2l_support.build.problems import CannotWork, ContentError, Problem
from d2l_support.build.stale import attach_record
from d2l_support.build.survey.contradiction import find_contradictions
from d2l_support.build.survey.ledger import Observation, read_ledger, write_ledger
from d2l_support.build.survey.measure import survey_setting
from d2l_support.build.survey.settings import SETTINGS, Setting

Key = tuple[str, str]
"""Section and framework."""


def run_survey(arguments: Namespace, book: Book, console: Console) -> int:
    """Runs sections under named settings; the ledger keeps how they agree."""
    if arguments.list:
        console.print(_settings_table())
        return 0
    with hold_lock(book, "survey", "`d2l-support survey` at work"):
        runs = plan_runs(arguments, book)
        marks, stale = _read_marks(book, runs)
        if stale:
            raise ContentError(stale)
        return _survey(arguments, book, console, runs, marks)


def _read_marks(book: Book, runs: list[Run]) -> tuple[dict[Key, str], list[Problem]]:
    """The marks of the runs' records, and why some of these do not hold."""
    marks: dict[Key, str] = {}
    problems: list[Problem] = []
    for run in runs:
        attached = attach_record(book, run.name, run.section, run.framework)
        marks[str(run.name), run.framework] = attached.mark
        problems += attached.problems
    return marks, problems


def _survey(
    arguments: Namespace,
    book: Book,
    console: Console,
    runs: list[Run],
    marks: dict[Key, str],
) -> int:
    ledger = read_ledger(book)
    ledger.keep_only([str(name) for name in book.sections()])
    problems: list[Problem] = []

    def find(run: Run) -> dict[str, Observation]:
        key = str(run.name), run.framework
        return ledger.find(*key, marks[key])

    def keep(run: Run, setting: Setting, seen: Observation) -> None:
        ledger.add((str(run.name), run.framework, setting.name), seen)
        write_ledger(book, ledger)  # at once: a survey takes long

    for name in arguments.setting or list(SETTINGS):
        setting = SETTINGS[name]
        if not arguments.setting and (reason := _find_missing(book, setting)):
            print_plain(console, f"{setting.label}: not surveyed; {reason}")
            continue
        todo = [
            run
            for run in runs
            if run.framework in setting.setups
            and (arguments.force or name not in find(run))
        ]
        if todo:
            console.print(f"{setting.label}: {len(todo)} notebooks", highlight=False)
            problems += survey_setting(arguments, book, console, setting, todo, keep)
    contradictions = [
        problem
        for run in runs
        for problem in find_contradictions(find(run), run.section, run.framework)
    ]
    code = show_problems([*problems, *contradictions], console)
    console.print(
        f"{len(ledger.observations)} observations; "
        f"{len(contradictions)} cells contradict their rule",
        highlight=False,
    )
    return code


def _find_missing(book: Book, setting: Setting) -> str:
    """Why a setting cannot be had here; empty if it can."""
    for setup in setting.setups.values():
        if setup.environment and not is_complete(book, setup.environment):
            try:
                find_python(ENVIRONMENTS[setup.environment].python)
            except CannotWork as error:
                return str(error)
    return ""


def _settings_table() -> Table:
    table = Table("setting", "what it is", "frameworks")
    for setting in SETTINGS.values():
        labels = [FRAMEWORKS[key].label for key in FRAMEWORKS if key in setting.setups]
        table.add_row(setting.name, setting.label, ", ".join(labels))
    return table
