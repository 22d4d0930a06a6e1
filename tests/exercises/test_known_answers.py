"""Every exercise's known answers score what they must, in real kernels.

The table of what they scored is left in ``_build/exercises``.
"""

import os
from pathlib import Path

import pytest
from rich.console import Console

from d2l_support.build.exercises.command import (
    describe_failure,
    plan_trials,
    show_trials,
)
from d2l_support.build.exercises.trial import Run, try_submissions
from d2l_support.build.frameworks import ALL_KEYS
from d2l_support.build.layout import Book

BOOK = Book.find(Path(__file__).parent)
WHOLE = "pytorch"
"""The framework in which every exercise is tried in any case."""


def choose_runs(framework: str, how_many: str) -> list[Run]:
    """The answers in one framework: of all exercises, or of the first alone."""
    runs = plan_trials(BOOK, [], [framework])
    if how_many == "all" or framework == WHOLE:
        return runs
    first = runs[0][1].exercise.name
    return [run for run in runs if run[1].exercise.name == first]


@pytest.mark.parametrize("framework", ALL_KEYS)
def test_known_answers_score_what_they_must(framework, request):
    runs = choose_runs(framework, request.config.getoption("exercises"))
    trials = try_submissions(BOOK, runs, os.cpu_count() or 1)
    table = BOOK.root / "_build" / "exercises" / f"{framework}.txt"
    table.parent.mkdir(parents=True, exist_ok=True)
    with table.open("w", encoding="utf-8") as file:
        show_trials(trials, Console(file=file, width=120))
    failed = [describe_failure(trial) for trial in trials if not trial.held]
    assert not failed, "\n".join(failed)
    assert len(trials) == len(runs) > 0
