"""Which folder is a course, and which is refused."""

import pytest

from d2l_support.build.assign.course import Course, prepare_course
from d2l_support.build.problems import CannotWork


def test_prepare_course_makes_a_folder(tmp_path):
    course = prepare_course(tmp_path / "deep" / "course")
    assert course.root.is_dir()


def test_prepare_course_takes_an_empty_folder_and_a_repository(tmp_path):
    (tmp_path / ".git").mkdir()
    assert prepare_course(tmp_path) == Course(tmp_path)


def test_prepare_course_takes_a_course(tmp_path):
    (tmp_path / "nbgrader_config.py").touch()
    (tmp_path / "submitted").mkdir()
    assert prepare_course(tmp_path) == Course(tmp_path)


def test_prepare_course_refuses_another_folder(tmp_path):
    (tmp_path / "thesis.tex").touch()
    with pytest.raises(
        CannotWork,
        match=r"found thesis.tex and no nbgrader_config.py in it, expected the folder",
    ):
        prepare_course(tmp_path)


def test_prepare_course_refuses_a_file(tmp_path):
    path = tmp_path / "course"
    path.touch()
    with pytest.raises(CannotWork, match="found a file, expected the folder"):
        prepare_course(path)


def test_hold_refuses_a_second_command(tmp_path):
    with (
        Course(tmp_path).hold(),
        pytest.raises(CannotWork, match="found another d2l-support at work"),
        Course(tmp_path).hold(),
    ):
        pass
    with Course(tmp_path).hold():
        pass


def test_submissions_are_the_folders_of_one_assignment(tmp_path):
    for name in ("ann/a", "bob/a", "bob/b"):
        (tmp_path / "submitted" / name).mkdir(parents=True)
    found = Course(tmp_path).submissions("a")
    assert [path.parent.name for path in found] == ["ann", "bob"]
