"""The sub-command ``survey``."""

from argparse import Namespace

from rich.console import Console
from rich.table import Table

from d2l_support.build.frameworks import FRAMEWORKS
from d2l_support.build.layout import Book
from d2l_support.build.locks import hold_lock
from d2l_support.build.plan import Run, plan_runs
from d2l_support.build.problems import ContentError, Problem
from d2l_support.build.stale import find_stale
from d2l_support.build.survey.contradiction import (
    find_contradictions,
    find_observations,
)
from d2l_support.build.survey.ledger import (
    Ledger,
    Observation,
    read_ledger,
    write_ledger,
)
from d2l_support.build.survey.measure import survey_setting
from d2l_support.build.survey.settings import SETTINGS, Setting


def run_survey(arguments: Namespace, book: Book, console: Console) -> int:
    """Runs sections under named settings; the ledger keeps how they agree."""
    if arguments.list:
        console.print(_settings_table())
        return 0
    with hold_lock(book, "survey", "`d2l-support survey` at work"):
        runs = plan_runs(arguments, book)
        stale = [
            problem
            for run in runs
            for problem in find_stale(book, run.name, run.section, run.framework)
        ]
        if stale:
            raise ContentError(stale)
        return _survey(arguments, book, console, runs)


def _survey(arguments: Namespace, book: Book, console: Console, runs: list[Run]) -> int:
    ledger = read_ledger(book)
    ledger.keep_only([str(name) for name in book.sections()])
    problems: list[Problem] = []

    def keep(run: Run, setting: Setting, seen: Observation) -> None:
        ledger.add((str(run.name), run.framework, setting.name), seen)
        write_ledger(book, ledger)  # at once: a survey takes long

    for name in arguments.setting or list(SETTINGS):
        setting = SETTINGS[name]
        todo = [
            run
            for run in runs
            if run.framework in setting.setups
            and (arguments.force or not _is_observed(book, ledger, run, name))
        ]
        if todo:
            console.print(f"{setting.label}: {len(todo)} notebooks", highlight=False)
            problems += survey_setting(arguments, book, console, setting, todo, keep)
    contradictions = [
        problem
        for run in runs
        for problem in find_contradictions(
            book, ledger, run.name, run.section, run.framework
        )
    ]
    for problem in (*problems, *contradictions):
        console.print(str(problem), markup=False, highlight=False, soft_wrap=True)
    console.print(
        f"{len(ledger.observations)} observations; "
        f"{len(contradictions)} cells contradict their rule",
        highlight=False,
    )
    return 1 if problems or contradictions else 0


def _is_observed(book: Book, ledger: Ledger, run: Run, setting: str) -> bool:
    """Whether the ledger has an observation that counts for today's record."""
    return setting in find_observations(book, ledger, run.name, run.framework)


def _settings_table() -> Table:
    table = Table("setting", "what it is", "frameworks")
    for setting in SETTINGS.values():
        labels = [FRAMEWORKS[key].label for key in FRAMEWORKS if key in setting.setups]
        table.add_row(setting.name, setting.label, ", ".join(labels))
    return table
