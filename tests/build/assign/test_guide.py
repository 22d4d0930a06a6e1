"""The configuration and the guide of a course."""

import pytest

from d2l_support.build.assign.course import Course
from d2l_support.build.assign.guide import write_config, write_guide
from d2l_support.build.assign.writing import _write_source

COMMAND = ".envs/grading/bin/d2l-support assign --framework jax --to /course"


@pytest.fixture
def course(tmp_path, draft):
    """A course with the sources of two assignments."""
    made = Course(tmp_path / "it's a course")
    for key in ("jax", "mxnet"):
        _write_source(made, draft(key))
    return made


def test_write_config_is_python_that_names_the_course(course):
    class Options:
        def __getattr__(self, name):
            return self.__dict__.setdefault(name, Options())

    found = Options()
    exec(write_config(course), {"get_config": lambda: found})  # noqa: S102
    assert found.CourseDirectory.course_id == "it's a course"
    stub = found.ClearSolutions.code_stub["python"]
    assert stub == 'raise NotImplementedError("your answer")'


def test_write_guide_lists_the_assignments_with_their_points(course):
    guide = write_guide(course, COMMAND)
    assert "| section-exercises-jax | JAX | 5 | 2 |" in guide
    assert "| section-exercises-mxnet | MXNet | 2 | 2 |" in guide


def test_write_guide_names_the_kernels_of_its_frameworks_alone(course):
    guide = write_guide(course, COMMAND)
    assert '--name d2l-mxnet --display-name "MXNet"' in guide
    assert "d2l-pytorch" not in guide


def test_write_guide_keeps_the_commands_before(course):
    course.guide.write_text(write_guide(course, COMMAND))
    course.guide.write_text(write_guide(course, COMMAND.replace("jax", "mxnet")))
    again = write_guide(course, COMMAND)
    lines = [line for line in again.splitlines() if "support assign --f" in line]
    assert lines == [f"    {COMMAND}", f"    {COMMAND.replace('jax', 'mxnet')}"]


def test_write_guide_passes_over_assignments_of_the_instructors_own(course):
    other = course.source_notebook("own")
    other.parent.mkdir()
    other.write_text(
        '{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}'
    )
    assert "| own" not in write_guide(course, COMMAND)


def test_write_guide_passes_over_a_source_that_is_no_notebook(course):
    course.source_notebook("section-exercises-jax").write_text("{")
    guide = write_guide(course, COMMAND)
    assert "| section-exercises-jax" not in guide
    assert "| section-exercises-mxnet" in guide


def test_write_guide_quotes_a_folder_with_a_space(course):
    guide = write_guide(course, COMMAND)
    assert f"grade '{course.root.parent}/it'\"'\"'s a course'" in guide
