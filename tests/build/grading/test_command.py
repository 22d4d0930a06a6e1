"""What ``d2l-support grade`` says and writes, and how it ends."""

import csv
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from d2l_support.build import cli, scripts
from d2l_support.build.grading import command

ROOT = Path(__file__).parents[3]


@pytest.fixture
def grade(classroom, monkeypatch, capsys):
    """A function that runs the command without kernels: its code and words."""
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setattr(command, "make_runner", lambda *_: classroom.run_inline)

    def run(*options: str):
        code = cli.main(["grade", str(classroom.root), *options])
        said = capsys.readouterr()
        return code, said.out + said.err

    return run


def read_rows(classroom):
    with (classroom.root / "grades.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def test_run_grade_all_graded_ends_with_0(classroom, grade):
    classroom.hand_in("ada")
    classroom.hand_in("bob", classroom.answered(double="def double(x): return 0"))
    code, said = grade()
    assert code == 0
    assert "1 of 2: ada, doubles-jax: graded" in said
    assert "5 of 5" in said
    assert "3 of 5" in said
    assert f"feedback: {classroom.root / 'feedback'}" in said
    report = (classroom.root / "report.txt").read_text()
    assert "5 of 5" in report
    code, said = grade()
    assert code == 0
    assert "2 unchanged" in said


def test_run_grade_one_amiss_ends_with_1(classroom, grade):
    classroom.hand_in("ada")
    classroom.hand_in("bob", b"")
    code, said = grade("--assignment", "doubles-jax")
    assert code == 1
    path = "submitted/bob/doubles-jax/doubles-jax.ipynb"
    assert f"bob: {path}: found an empty file; not graded." in said
    assert "1 need your eye" in said


def test_run_grade_csv_has_nbgraders_columns_and_ours(classroom, grade):
    classroom.hand_in("ada")
    classroom.hand_in("bob", b"")
    grade()
    rows = {(r["assignment"], r["student_id"]): r for r in read_rows(classroom)}
    ada = rows["doubles-jax", "ada"]
    assert (ada["raw_score"], ada["score"], ada["max_score"]) == ("5.0", "5.0", "9.0")
    assert (ada["tests"], ada["max_tests"], ada["to_grade"]) == ("5.0", "5.0", "4.0")
    assert ada["state"] == "graded"
    bob = rows["doubles-jax", "bob"]
    assert (bob["score"], bob["state"], bob["look"]) == ("0.0", "not graded", "yes")
    assert rows["halves-jax", "ada"]["state"] == "nothing handed in"


def test_run_grade_csv_of_one_assignment_keeps_the_others(classroom, grade):
    classroom.hand_in("ada")
    classroom.hand_in("ada", assignment="halves-jax")
    grade()
    grade("--assignment", "halves-jax")
    scores = {row["assignment"]: row["score"] for row in read_rows(classroom)}
    assert scores == {"doubles-jax": "5.0", "halves-jax": "1.0"}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--assignment", "x"], "found no assignment 'x'"),
        (["--jobs", "0"], "expected 1, 2, 3"),
        (["--memory", "-1"], "expected a number above 0"),
        (["--seconds", "nan"], "expected a number above 0"),
        (["--isolation", "none"], "invalid choice"),
    ],
)
def test_run_grade_bad_options_end_with_2(grade, capsys, options, said):
    try:
        code, text = grade(*options)
    except SystemExit as error:
        code, text = error.code, capsys.readouterr().err
    assert code == 2
    assert said in text


def test_run_grade_no_course_ends_with_2(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    assert cli.main(["grade", str(tmp_path)]) == 2
    assert "expected an nbgrader course" in capsys.readouterr().err.replace("\n", " ")


def test_run_grade_without_nbgrader_ends_with_2(grade, monkeypatch):
    monkeypatch.setattr(scripts, "find_spec", lambda name: None)
    code, said = grade()
    assert code == 2
    assert "found no nbgrader in this environment" in said


def start_grading(root: Path) -> subprocess.Popen:
    """The command in a process of its own, with its words in a pipe."""
    code = "import sys; from d2l_support.build.cli import main; sys.exit(main())"
    words = ["grade", str(root), "--assignment", "doubles-jax", "--jobs", "1"]
    return subprocess.Popen(
        [sys.executable, "-c", code, *words, "--cell-seconds", "300"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_run_grade_ended_by_a_signal_goes_on(classroom, number):
    classroom.hand_in("ada")
    classroom.hand_in("bob", classroom.answered(double="while True:\n    pass"))
    process = start_grading(classroom.root)
    line = process.stdout.readline()
    assert "1 of 2: ada" in line
    os.kill(process.pid, number)
    process.communicate()
    assert process.returncode == (-number if number == signal.SIGKILL else 130)
    classroom.hand_in("bob")
    lines = classroom.grade("doubles-jax")
    assert [line.state for line in lines] == ["unchanged", "graded"]
    assert [line.scores.tests for line in lines] == [5, 5]
    assert [job.key[1] for job in classroom.ran] == ["bob"]
