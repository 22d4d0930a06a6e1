"""A course as nbgrader keeps it, with its own configuration."""

import pytest

from d2l_support.build.assign import course as assign
from d2l_support.build.grading.course import Course
from d2l_support.build.problems import CannotWork


def test_open_reads_the_configuration(classroom):
    config = classroom.root / "nbgrader_config.py"
    config.write_text(
        "c = get_config()\nc.CourseDirectory.feedback_directory = 'answers'\n"
    )
    course = Course.open(classroom.root)
    assert course.feedback == classroom.root.resolve() / "answers"


def test_open_broken_configuration_says_so(classroom):
    (classroom.root / "nbgrader_config.py").write_text("1 / 0")
    with pytest.raises(CannotWork, match=r"nbgrader_config.py: .*ZeroDivisionError"):
        Course.open(classroom.root)


@pytest.mark.parametrize("name", ["source", "gradebook.db"])
def test_open_no_course_says_so(classroom, name):
    (classroom.root / name).rename(classroom.root / "elsewhere")
    with pytest.raises(CannotWork, match="expected an nbgrader course"):
        Course.open(classroom.root)


def test_hold_lock_refuses_while_assignments_are_written(classroom):
    course = Course.open(classroom.root)
    with (
        assign.Course(course.root).hold(),
        pytest.raises(CannotWork, match="found another d2l-support at work"),
        course.hold_lock(),
    ):
        pass
    with course.hold_lock():
        pass
