"""What `d2l-support exercise` plans and prints; real kernels are tried elsewhere."""

import io
from argparse import Namespace
from pathlib import Path

import pytest
from rich.console import Console

from d2l_support.build.exercises import command
from d2l_support.build.exercises.trial import Trial
from d2l_support.build.problems import ContentError


@pytest.fixture
def exercise_book(tiny_book, write_text):
    """The small checkout with a section of one exercise."""
    path = tiny_book.root / "chapters/part/section-exercises.md"
    path.write_text(write_text(), encoding="utf-8")
    return tiny_book


def run(book, monkeypatch, points):
    """Runs the command on trials that scored some points, by answer."""

    def try_them(book, runs, parallel, timeout, report):
        found = [(each, points[each.name]) for _, each in runs]
        return [Trial(each, n, each.is_held(n), "why") for each, n in found]

    monkeypatch.setattr(command, "try_submissions", try_them)
    monkeypatch.setattr(command, "ensure_kernels", lambda *arguments: None)
    arguments = Namespace(
        sections=[], framework=["jax"], exercise=None, jobs=1, timeout=60
    )
    out = io.StringIO()
    code = command.run_exercise(arguments, book, Console(file=out, width=100))
    return code, out.getvalue()


POINTS = {
    "solution": 2,
    "starter": 0,
    "double-one": 0,
    "double-square": 0,
    "double-sum": 2,
}


def test_plan_trials_takes_every_answer_in_every_framework(exercise_book):
    runs = command.plan_trials(exercise_book, [], None)
    assert len(runs) == 4 * len(POINTS)
    assert {path for path, _ in runs} == {Path("chapters/part/section-exercises.md")}


@pytest.mark.parametrize(("name", "count"), [("double", 5), ("other", 0)])
def test_plan_trials_of_one_exercise(exercise_book, name, count):
    assert len(command.plan_trials(exercise_book, [], ["jax"], [name])) == count


def test_plan_trials_of_a_faulty_section_runs_nothing(exercise_book, write_text):
    path = exercise_book.root / "chapters/part/section-exercises.md"
    path.write_text(write_text(("tests", ":points: 2\n", "")), encoding="utf-8")
    with pytest.raises(ContentError, match="found tests without points"):
        command.plan_trials(exercise_book, [], None)


def test_run_exercise_prints_a_table_of_what_holds(exercise_book, monkeypatch):
    code, said = run(exercise_book, monkeypatch, POINTS)
    assert code == 0
    assert all(name in said for name in POINTS)
    assert "5 answers: 0 scored otherwise than expected" in said


@pytest.mark.parametrize(
    ("name", "points", "expected"),
    [
        ("solution", 0, "full"),
        ("starter", 2, "nothing"),
        ("double-one", 2, "less"),
        ("double-sum", 0, "full"),
    ],
)
def test_run_exercise_ends_with_1_where_a_score_does_not_hold(
    exercise_book, monkeypatch, name, points, expected
):
    code, said = run(exercise_book, monkeypatch, POINTS | {name: points})
    assert code == 1
    assert (
        f"double {name} (jax): found {points} points (why), expected {expected}."
        in (said)
    )
