"""A run of grading: what is graded, when, and what stays."""

import json

import nbformat
import pytest
from filelock import FileLock

from d2l_support.build.grading.course import Course
from d2l_support.build.isolation.outcome import (
    MEMORY,
    TIMEOUT,
    UNSTARTED,
    Limits,
    Outcome,
)
from d2l_support.build.problems import CannotWork

WRONG = "def double(x):\n    return 0\n"


def keys(classroom):
    """Who was run since the last call, in order."""
    found = [job.key[1] for job in classroom.ran]
    classroom.ran.clear()
    return found


def set_manual(classroom, student, points, comment="Well said."):
    """Grades the written answer by hand, as the formgrader does."""
    place = "jax-why", "doubles-jax", "doubles-jax", student
    with Course.open(classroom.root).open_gradebook() as gradebook:
        grade = gradebook.find_grade(*place)
        grade.manual_score, grade.needs_manual_grade = points, False
        gradebook.find_comment(*place).manual_comment = comment
        gradebook.db.commit()


def read_page(classroom, student):
    """The feedback that a student gets."""
    path = classroom.root / f"feedback/{student}/doubles-jax/doubles-jax.html"
    return path.read_text(encoding="utf-8")


def test_grade_course_right_gets_all(classroom, said):
    classroom.hand_in("ada")
    line = classroom.grade_one()
    assert line.state == "graded"
    assert (line.scores.tests, line.scores.most_tests) == (5, 5)
    assert (line.scores.awaiting, line.scores.most) == (4, 9)
    assert said(line) == ""
    assert not line.look


def test_grade_course_starter_gets_nothing(classroom):
    classroom.hand_in("ada", classroom.released())
    line = classroom.grade_one()
    assert (line.scores.tests, line.scores.total) == (0, 0)
    assert line.scores.awaiting == 0


def test_grade_course_rerun_grades_only_new(classroom):
    classroom.hand_in("ada")
    classroom.hand_in("bob", classroom.answered(double=WRONG))
    classroom.grade()
    assert keys(classroom) == ["ada", "bob"]
    classroom.hand_in("cleo")
    lines = classroom.grade("doubles-jax")
    assert keys(classroom) == ["cleo"]
    assert [line.state for line in lines] == ["unchanged", "unchanged", "graded"]
    assert [line.scores.tests for line in lines] == [5, 3, 5]


def test_grade_course_again_grades_all(classroom):
    classroom.hand_in("ada")
    classroom.grade_one()
    assert classroom.grade_one(again=True).state == "graded"
    assert keys(classroom) == ["ada", "ada"]


def test_grade_course_changed_submission_is_graded_again(classroom, said):
    classroom.hand_in("ada", classroom.answered(double=WRONG))
    classroom.grade_one()
    classroom.hand_in("ada")
    line = classroom.grade_one()
    assert "a submission that changed; graded again" in said(line)
    assert line.scores.tests == 5
    assert said(classroom.grade_one()) == ""


def test_grade_course_manual_grades_survive(classroom, said):
    classroom.hand_in("ada")
    classroom.grade_one()
    set_manual(classroom, "ada", 3.5)
    line = classroom.grade_one()
    assert (line.state, line.scores.total) == ("unchanged", 8.5)
    assert keys(classroom) == ["ada"]
    assert "Well said." in read_page(classroom, "ada")
    classroom.hand_in("ada", classroom.answered(double=WRONG))
    line = classroom.grade_one()
    assert (line.scores.tests, line.scores.total) == (3, 6.5)
    assert "1 manual grades given before; kept" in said(line)
    assert line.look


def test_grade_course_changed_tests_grade_all_again(classroom, said):
    classroom.hand_in("ada", classroom.answered(double="def double(x): return x + x"))
    classroom.grade_one()
    path = classroom.root / "source/doubles-jax/doubles-jax.ipynb"
    notebook = nbformat.read(path, 4)
    notebook.cells[3].source = notebook.cells[3].source.replace(
        "double(limit), 6", "double('a'), 'aaa'"
    )
    nbformat.write(notebook, path)
    with pytest.raises(CannotWork, match=r"generate_assignment doubles-jax --force"):
        classroom.grade_one()
    classroom.release(notebook.cells)
    line = classroom.grade_one()
    assert "an assignment that changed; graded again" in said(line)
    assert line.scores.tests == 3


def test_grade_course_broken_resubmission_keeps_the_grade(classroom, said):
    classroom.hand_in("ada")
    classroom.grade_one()
    classroom.hand_in("ada", b"{")
    line = classroom.grade_one()
    assert line.state == "not graded"
    assert line.scores.tests == 5
    assert "the grade of a former submission stays" in said(line)


def test_grade_course_two_spellings_later_stay_one_student(classroom):
    classroom.hand_in("ada", age=100)
    classroom.grade_one()
    classroom.hand_in("Ada")
    lines = classroom.grade("doubles-jax")
    assert [line.student for line in lines] == ["ada"]
    assert "submitted/Ada/" in lines[0].file


def test_grade_course_two_known_spellings_are_two_students(classroom):
    with Course.open(classroom.root).open_gradebook() as gradebook:
        gradebook.add_student("ada")
        gradebook.add_student("Ada")
    classroom.hand_in("ada")
    classroom.hand_in("Ada", classroom.answered(double=WRONG))
    lines = classroom.grade("doubles-jax")
    points = {line.student: line.scores.tests for line in lines}
    assert points == {"ada": 5, "Ada": 3}


@pytest.mark.parametrize("interrupted_in", ["run", "take"])
def test_grade_course_interrupted_goes_on(classroom, interrupted_in, monkeypatch):
    for student in ("ada", "bob", "cleo"):
        classroom.hand_in(student)

    def run_some(jobs, start, receive):
        classroom.run_inline(jobs[:1], start, receive)
        if interrupted_in == "run":
            raise KeyboardInterrupt
        with monkeypatch.context() as patch:
            name = "d2l_support.build.grading.session.Ledger.put"
            patch.setattr(name, interrupt)
            classroom.run_inline(jobs[1:], start, receive)

    def interrupt(*arguments):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        classroom.grade("doubles-jax", run=run_some)
    keys(classroom)
    lines = classroom.grade("doubles-jax")
    assert keys(classroom) == ["bob", "cleo"]
    assert [line.scores.tests for line in lines] == [5, 5, 5]
    assert "ada" in {line.student for line in lines}
    assert read_page(classroom, "ada")
    with Course.open(classroom.root).open_gradebook() as gradebook:
        assert len(gradebook.assignment_submissions("doubles-jax")) == 3


def test_grade_course_interrupted_again_loses_nothing(classroom):
    classroom.hand_in("ada")
    classroom.hand_in("bob")
    classroom.grade()
    keys(classroom)

    def run_one(jobs, start, receive):
        classroom.run_inline(jobs[:1], start, receive)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        classroom.grade("doubles-jax", again=True, run=run_one)
    keys(classroom)
    classroom.grade()
    assert keys(classroom) == ["bob"]


def test_grade_course_two_graders_second_says_so(classroom):
    (classroom.root / ".grading").mkdir()
    with (
        FileLock(classroom.root / ".grading/lock"),
        pytest.raises(CannotWork, match=r"another d2l-support grade at work"),
    ):
        classroom.grade()


def end_with(ending, detail):
    """A runner in whose hands every run ends so, before any test."""

    def run(jobs, start, receive):
        for job in jobs:
            receive(job, Outcome(job.notebook, ending, detail, (), 1, "sandbox"))

    return run


def test_grade_course_cut_off_is_graded_again_with_other_limits(classroom, said):
    classroom.hand_in("ada")
    line = classroom.grade_one(run=end_with(TIMEOUT, "found no end after 60 s"))
    assert (line.state, line.scores.tests, line.look) == ("cut off", 0, True)
    assert "found no end after 60 s" in said(line)
    line = classroom.grade_one()
    assert (line.state, line.look) == ("cut off", True)
    assert "found no end after 60 s" in said(line)
    assert classroom.ran == []
    line = classroom.grade_one(limits=Limits(cell_seconds=90))
    assert (line.state, line.scores.tests) == ("graded", 5)


def test_grade_course_memory_shows_in_feedback(classroom):
    classroom.hand_in("ada")
    classroom.grade_one(run=end_with(MEMORY, "found 5 GiB in use"))
    assert "found 5 GiB in use" in read_page(classroom, "ada")


def test_grade_course_kernel_not_started_is_not_graded(classroom, said):
    classroom.hand_in("ada")
    line = classroom.grade_one(run=end_with(UNSTARTED, "found no kernel"))
    assert (line.state, line.scores, line.look) == ("not graded", None, True)
    assert "found no kernel; not graded" in said(line)
    assert classroom.grade_one().scores.tests == 5


def test_grade_course_asserts_dropped_gives_no_points(classroom, said):
    def run_without_asserts(jobs, start, receive):
        for job in jobs:
            done = tuple(c.id for c in job.notebook.cells if c.cell_type == "code")
            receive(job, Outcome(job.notebook, "whole", "", done, 1, "sandbox"))

    classroom.hand_in("ada")
    line = classroom.grade_one(run=run_without_asserts)
    assert "asserts do not fail any more" in said(line)
    assert (line.scores.tests, line.look) == (0, True)
    assert "TestSaysNothing" in read_page(classroom, "ada")


def test_grade_course_student_without_submission_has_a_line(classroom):
    with Course.open(classroom.root).open_gradebook() as gradebook:
        gradebook.add_student("bob")
    classroom.hand_in("ada")
    line = classroom.grade_one("bob")
    assert (line.state, line.scores, line.look) == ("nothing handed in", None, False)


@pytest.mark.parametrize("name", ["=1+2", " ada", "a\nb", "-x", ".ada"])
def test_grade_course_odd_folder_is_refused(classroom, said, name):
    classroom.hand_in(name)
    [line] = classroom.grade("doubles-jax")
    assert line.state == "not graded"
    assert f"the student folder {name!a}" in said(line)


def test_grade_course_timestamp_reaches_gradebook(classroom):
    path = classroom.hand_in("ada")
    path.with_name("timestamp.txt").write_text("2026-01-02 03:04:05 UTC")
    classroom.grade()
    with Course.open(classroom.root).open_gradebook() as gradebook:
        found = gradebook.find_submission("doubles-jax", "ada").timestamp
    assert str(found) == "2026-01-02 03:04:05"


def test_grade_course_ledger_broken_says_so(classroom):
    (classroom.root / "grading.json").write_text(json.dumps({"schema": 7}))
    with pytest.raises(CannotWork, match=r"grading.json: found no record of grading"):
        classroom.grade()


def test_grade_course_unknown_assignment_says_so(classroom):
    with pytest.raises(CannotWork, match=r"'x'.*doubles-jax, halves-jax"):
        classroom.grade("x")
