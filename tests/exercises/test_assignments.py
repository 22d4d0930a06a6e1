"""Assignments graded by nbgrader's own autograde, in real kernels.

The worked solution must get every point of the tests and the untouched
release none, and what Colab makes of a notebook must not change that.
"""

import json
import secrets
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbgrader.api import Gradebook

from d2l_support.build.assign.choice import choose_assignments
from d2l_support.build.assign.course import Course
from d2l_support.build.assign.drafting import draft_assignments
from d2l_support.build.assign.guide import write_config
from d2l_support.build.assign.release import nbgrader_environment
from d2l_support.build.assign.writing import write_assignments
from d2l_support.build.frameworks import ALL_KEYS
from d2l_support.build.layout import Book

BOOK = Book.find(Path(__file__).parent)
ONE = "ste-exercises"
"""The section that is tried in any case: it has tests and a question in words."""

SOLVER, COLAB, STARTER = "solver", "colab", "starter"


def save_as_colab(text: str) -> str:
    """A notebook as Colab saves it: other kernel, other ids, nbformat 4.0."""
    notebook = json.loads(text)
    notebook["nbformat_minor"] = 0
    notebook["metadata"] = {
        "colab": {"provenance": [], "name": "Copy of a notebook"},
        "kernelspec": {"name": "python3", "display_name": "Python 3"},
        "language_info": {"name": "python"},
        "accelerator": "GPU",
    }
    for cell in notebook["cells"]:
        cell.pop("id", None)
        cell["metadata"] |= {"id": secrets.token_urlsafe(9)}
        if cell["cell_type"] == "code":
            cell["metadata"] |= {"outputId": "1", "colab": {"base_uri": "none"}}
    return json.dumps(notebook)


def read_names(text: str) -> list[str]:
    """What nbgrader reads of a notebook's cells: their names."""
    notebook = nbformat.reads(text, as_version=4)
    return [cell.metadata.nbgrader.grade_id for cell in notebook.cells]


@pytest.fixture
def course(tmp_path):
    """A course with nothing in it yet."""
    made = Course(tmp_path / "course")
    made.root.mkdir()
    made.config.write_text(write_config(made))
    return made


def hand_in(course, name):
    """What each student hands in of an assignment."""
    source = course.source_notebook(name).read_text()
    texts = {
        SOLVER: source,
        COLAB: save_as_colab(source),
        STARTER: course.release_notebook(name).read_text(),
    }
    for student, text in texts.items():
        path = course.root / "submitted" / student / name / f"{name}.ipynb"
        path.parent.mkdir(parents=True)
        path.write_text(text, encoding="utf-8")


def autograde(course, name):
    """Has nbgrader grade all that was handed in, in the kernels of the book."""
    command = [sys.executable, "-m", "nbgrader", "autograde", name]
    command += ["--Execute.timeout=600", "--Execute.startup_timeout=600"]
    variables = {**nbgrader_environment(), "JUPYTER_PATH": str(BOOK.jupyter)}
    run = subprocess.run(
        command, cwd=course.root, env=variables, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr


def read_scores(course, name, student):
    """The points of each graded cell: what the tests gave, and what they can."""
    with Gradebook(f"sqlite:///{course.gradebook}") as gradebook:
        (notebook,) = gradebook.find_submission(name, student).notebooks
        return {
            grade.cell.name: (grade.auto_score, grade.max_score, grade.cell.cell_type)
            for grade in notebook.grades
        }


@pytest.mark.parametrize("framework", ALL_KEYS)
def test_solutions_get_every_point_and_starters_none(framework, course, request):
    everything = request.config.getoption("exercises") == "all"
    chosen = choose_assignments(BOOK, [] if everything else [ONE], [framework])
    write_assignments(course, draft_assignments(BOOK, chosen))
    wrong = []
    for name in (each.name for each in chosen):
        hand_in(course, name)
        autograde(course, name)
        for student in (SOLVER, COLAB, STARTER):
            scores = read_scores(course, name, student)
            assert scores
            for cell, (given, most, kind) in scores.items():
                words = None if kind == "markdown" else most
                expected = 0 if student == STARTER else words
                if given != expected:
                    wrong.append((student, cell, given, expected))
    assert not wrong


def test_names_survive_colab(course):
    (one,) = choose_assignments(BOOK, [ONE], ["jax"])
    write_assignments(course, draft_assignments(BOOK, [one]))
    text = course.release_notebook(one.name).read_text()
    saved = save_as_colab(text)
    nbformat.validate(nbformat.reads(saved, as_version=nbformat.NO_CONVERT))
    assert "d2l-jax" not in saved
    assert read_names(saved) == read_names(text)
    assert all(name.startswith("jax-") for name in read_names(saved))
