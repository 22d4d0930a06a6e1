"""What is written into a course, what is left alone, and what is put back."""

import os
import subprocess
import sys

import nbformat
import pytest
from nbgrader.api import Gradebook

from d2l_support.build.assign import writing
from d2l_support.build.assign.course import Course
from d2l_support.build.assign.guide import write_config
from d2l_support.build.assign.release import Release, nbgrader_environment
from d2l_support.build.problems import CannotWork

NAME = "section-exercises-jax"


@pytest.fixture
def course(tmp_path):
    """A course with nothing in it yet."""
    made = Course(tmp_path / "course")
    made.root.mkdir()
    made.config.write_text(write_config(made))
    return made


@pytest.fixture
def imitate(monkeypatch):
    """Nbgrader's part done quickly: a copy of the source, or a problem."""

    def imitate(problems=None):
        def generate(course, names):
            for name in names:
                course.release(name).mkdir(parents=True, exist_ok=True)
                course.gradebook.touch()
                source = course.source_notebook(name).read_text()
                course.release_notebook(name).write_text(source)
            return [Release(name, (problems or {}).get(name, "")) for name in names]

        monkeypatch.setattr(writing, "generate_releases", generate)

    return imitate


def states(written):
    return {each.name: each.state for each in written}


def read_all(folder):
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder): path.read_bytes() for path in files}


def read_times(folder):
    return {path: os.stat(path).st_mtime_ns for path in folder.rglob("*")}


def test_write_assignments_lets_nbgrader_make_and_register_the_release(course, draft):
    written = writing.write_assignments(course, [draft("jax"), draft("mxnet")])
    assert set(states(written).values()) == {"new"}
    with Gradebook(f"sqlite:///{course.gradebook}") as gradebook:
        assert {each.name for each in gradebook.assignments} == {
            NAME,
            "section-exercises-mxnet",
        }
        notebook = gradebook.find_notebook(NAME, NAME)
        assert notebook.max_code_score == 5
        assert notebook.max_written_score == 2
        assert '"d2l-jax"' in notebook.kernelspec
    released = nbformat.read(course.release_notebook(NAME), as_version=4)
    source = nbformat.read(course.source_notebook(NAME), as_version=4)
    assert len(released.cells) == len(source.cells)
    assert (course.release(NAME) / "requirements.txt").read_text() == "numpy\n"


def test_write_assignments_leaves_alone_what_has_not_changed(course, draft, imitate):
    imitate()
    writing.write_assignments(course, [draft()])
    before = read_times(course.root)
    assert states(writing.write_assignments(course, [draft()])) == {NAME: "unchanged"}
    assert read_times(course.root) == before


def test_write_assignments_leaves_alone_a_source_that_was_run(course, draft, imitate):
    imitate()
    writing.write_assignments(course, [draft()])
    path = course.source_notebook(NAME)
    notebook = nbformat.read(path, as_version=4)
    notebook.cells[1].execution_count = 7
    nbformat.write(notebook, path)
    assert states(writing.write_assignments(course, [draft()])) == {NAME: "unchanged"}


def test_write_assignments_writes_anew_what_has_changed(
    course, draft, imitate, edit_exercises
):
    imitate()
    writing.write_assignments(course, [draft()])
    own = course.source(NAME) / "data.csv"
    own.write_text("1,2\n")
    edit_exercises("limit = 4", "limit = 5")
    assert states(writing.write_assignments(course, [draft()])) == {NAME: "changed"}
    assert "limit = 5" in course.source_notebook(NAME).read_text()
    assert own.read_text() == "1,2\n"


@pytest.mark.parametrize("what", ["files", "release", "gradebook"])
def test_write_assignments_writes_anew_what_is_not_whole(course, draft, imitate, what):
    imitate()
    writing.write_assignments(course, [draft()])
    again = draft()
    if what == "files":
        again.files["requirements.txt"] = b"numpy==2\n"
    else:
        gone = {"release": course.release_notebook(NAME), "gradebook": course.gradebook}
        gone[what].unlink()
    assert states(writing.write_assignments(course, [again])) == {NAME: "changed"}
    assert states(writing.write_assignments(course, [again])) == {NAME: "unchanged"}


@pytest.mark.parametrize("damage", ["edited", "foreign", "broken"])
def test_write_assignments_leaves_alone_what_was_edited(
    course, draft, imitate, edit_exercises, damage
):
    imitate()
    writing.write_assignments(course, [draft()])
    path = course.source_notebook(NAME)
    notebook = nbformat.read(path, as_version=4)
    notebook.cells[5].source += "\nassert double(5) == 10"
    if damage == "foreign":
        del notebook.metadata["book"]
    nbformat.write(notebook, path)
    if damage == "broken":
        path.write_text("{")
    before = read_all(course.root)
    edit_exercises("limit = 4", "limit = 5")
    assert states(writing.write_assignments(course, [draft()])) == {NAME: "edited"}
    assert read_all(course.root) == before


def test_write_assignments_puts_back_what_nbgrader_refuses(
    course, draft, imitate, edit_exercises
):
    imitate()
    writing.write_assignments(course, [draft()])
    before = read_all(course.root)
    edit_exercises("limit = 4", "limit = 5")
    imitate({NAME: "found why"})
    other = draft("pytorch")
    failed, whole = writing.write_assignments(course, [draft(), other])
    assert (failed.state, failed.detail) == ("failed", "found why")
    assert whole.state == "new"
    after = read_all(course.root)
    assert {path: after[path] for path in before} == before
    assert course.release_notebook(other.name).is_file()


def test_write_assignments_puts_all_back_when_nbgrader_does_not_run(
    course, draft, imitate, edit_exercises, monkeypatch
):
    imitate()
    writing.write_assignments(course, [draft()])
    before = read_all(course.root)
    edit_exercises("limit = 4", "limit = 5")

    def interrupt(course, names):
        (course.release(NAME) / "half").touch()
        raise CannotWork("no nbgrader")

    monkeypatch.setattr(writing, "generate_releases", interrupt)
    with pytest.raises(CannotWork):
        writing.write_assignments(course, [draft(), draft("mxnet")])
    assert read_all(course.root) == before


def grade(course):
    """Grades a submission of the release as it stands, without a kernel."""
    handed = course.root / "submitted" / "ann" / NAME
    handed.mkdir(parents=True)
    (handed / f"{NAME}.ipynb").write_bytes(course.release_notebook(NAME).read_bytes())
    command = [sys.executable, "-m", "nbgrader", "autograde", NAME]
    command.append("--Execute.enabled=False")
    subprocess.run(command, cwd=course.root, env=nbgrader_environment(), check=True)


def test_write_assignments_never_loses_what_was_graded(course, draft, edit_exercises):
    writing.write_assignments(course, [draft()])
    grade(course)
    kept = ("submitted", "autograded")
    before = {name: read_all(course.root / name) for name in kept}

    edit_exercises("limit = 4", "limit = 5")
    assert states(writing.write_assignments(course, [draft()])) == {NAME: "changed"}
    edit_exercises(":id: double-tests", ":id: double-checks")
    (refused,) = writing.write_assignments(course, [draft()])
    assert refused.state == "failed"
    assert "found graded submissions of the version before" in refused.detail
    assert "limit = 5" in course.source_notebook(NAME).read_text()
    assert "double-checks" not in course.source_notebook(NAME).read_text()
    assert course.release_notebook(NAME).is_file()

    assert {name: read_all(course.root / name) for name in kept} == before
    with Gradebook(f"sqlite:///{course.gradebook}") as gradebook:
        submission = gradebook.find_submission(NAME, "ann")
        assert submission.max_score == 7
        cells = {grade.cell.name for grade in submission.notebooks[0].grades}
        assert "jax-double-tests" in cells
