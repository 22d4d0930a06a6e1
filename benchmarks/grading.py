"""Times the grading of one class: one and two workers here, and two on Dask.

Run ``make bench``. Machines differ, so read the ratios; each is taken against
the first row, in the same run.
"""

import json
import os
import shutil
import tempfile
import time
from pathlib import Path

import distributed
import nbformat
from nbformat import NotebookNode, v4
from nbgrader.converters import GenerateAssignment
from nbgrader.coursedir import CourseDirectory
from rich.console import Console
from traitlets.config import Config

from benchmarks.pipeline import show
from d2l_support.build.grading.cluster import make_cluster_runner
from d2l_support.build.grading.course import Course
from d2l_support.build.grading.pool import Runner, Terms, make_local_runner
from d2l_support.build.grading.session import grade_course
from d2l_support.build.layout import Book
from d2l_support.build.scripts import path_with_scripts

NAME = "doubles-jax"
STUDENTS = 8
WORK = "import jax.numpy as jnp\n\n\ndef double(x):\n    return jnp.asarray(x) * 2\n"
"""The answer of every student: importing the framework is most of the work."""


def main() -> None:
    """Prints the table."""
    os.environ["PATH"] = path_with_scripts()  # nbgrader calls alembic by name
    book, terms = Book.find(), Terms()
    with tempfile.TemporaryDirectory() as folder:
        template = Path(folder, "template")
        make_course(template)
        times = {}
        for number in (1, 2):
            run = make_local_runner(book, terms, number)
            times[f"{number} here"] = time_grading(template, run, terms)
        with distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            host="127.0.0.1",
            dashboard_address=None,
        ) as cluster:
            address = cluster.scheduler_address
            run = make_cluster_runner(address, str(book.root), terms)
            times["2 on Dask"] = time_grading(template, run, terms)
    show(Console(), f"{STUDENTS} submissions graded", times)


def make_course(root: Path) -> None:
    """Writes a course of one assignment, and what students handed in."""
    cells = [
        make_cell("jax-double", "### BEGIN SOLUTION\n### END SOLUTION", solution=True),
        make_cell("jax-tests", "assert double(2) == 4", grade=True, points=1),
    ]
    kernelspec = {"name": "d2l-jax", "display_name": "JAX", "language": "python"}
    notebook = v4.new_notebook(cells=cells, metadata={"kernelspec": kernelspec})
    path = root / "source" / NAME / f"{NAME}.ipynb"
    path.parent.mkdir(parents=True)
    nbformat.write(notebook, path)
    config = Config()
    config.CourseDirectory.root = str(root)
    directory = CourseDirectory(config=config)
    directory.assignment_id = NAME
    GenerateAssignment(coursedir=directory, config=config).start()
    released = nbformat.read(root / "release" / NAME / f"{NAME}.ipynb", 4)
    released.cells[0].source = WORK
    for number in range(STUDENTS):
        handed = root / "submitted" / f"student-{number}" / NAME / f"{NAME}.ipynb"
        handed.parent.mkdir(parents=True)
        handed.write_text(json.dumps(released))


def make_cell(name: str, source: str, **marks) -> NotebookNode:
    """A cell with nbgrader's marks."""
    usual = {"grade": False, "solution": False, "locked": False, "task": False}
    usual |= {"schema_version": 3, "grade_id": name}
    cell = v4.new_code_cell(source, id=name)
    cell.metadata = nbformat.from_dict({"nbgrader": usual | marks})
    return cell


def time_grading(template: Path, run: Runner, terms: Terms) -> float:
    """Seconds to grade a fresh copy of the course."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder, "course")
        shutil.copytree(template, root)
        started = time.monotonic()
        lines = grade_course(Course.open(root), None, run, terms)
        seconds = time.monotonic() - started
    wrong = [line for line in lines if line.state != "graded" or not line.scores.tests]
    if wrong:
        raise SystemExit(f"found {wrong[0]}, expected it graded with all points")
    return seconds


if __name__ == "__main__":
    main()
