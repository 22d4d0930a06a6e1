"""A small nbgrader course, and a runner that needs no kernel."""

import copy
import io
import json
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode, v4
from nbgrader.converters import GenerateAssignment
from nbgrader.coursedir import CourseDirectory
from traitlets.config import Config

from d2l_support.build.grading.assignments import load_assignments
from d2l_support.build.grading.course import Course
from d2l_support.build.grading.lines import Line
from d2l_support.build.grading.pool import Job, Terms
from d2l_support.build.grading.session import grade_course
from d2l_support.build.isolation.outcome import DIED, WHOLE, Limits, Outcome
from d2l_support.build.scripts import path_with_scripts

KERNELSPEC = {"name": "d2l-jax", "display_name": "JAX (book)", "language": "python"}

HELPER = "limit = 3\n\n\ndef same(one, other):\n    assert one == other\n"
SOLUTION = "### BEGIN SOLUTION\n    return {}\n    ### END SOLUTION"
HIDDEN = "### BEGIN HIDDEN TESTS\n{}\n### END HIDDEN TESTS"


def make_cell(kind: str, grade_id: str, source: str, **marks) -> NotebookNode:
    """A cell with nbgrader's marks."""
    usual = {"grade": False, "solution": False, "locked": False, "task": False}
    nbgrader = {**usual, "schema_version": 3, "grade_id": grade_id, **marks}
    cell = getattr(v4, f"new_{kind}_cell")(source, id=grade_id)
    cell.metadata = NotebookNode(nbgrader=NotebookNode(nbgrader))
    return cell


def make_tests(grade_id: str, source: str, points: int) -> NotebookNode:
    """A locked cell that gives points."""
    marks = {"grade": True, "locked": True, "points": points}
    return make_cell("code", grade_id, source, **marks)


def write_doubles() -> list[NotebookNode]:
    """An assignment with two tested answers and a written one."""
    return [
        make_cell("markdown", "jax-intro", "# Numbers", locked=True),
        make_cell("code", "jax-given", HELPER, locked=True),
        make_cell(
            "code",
            "jax-double",
            f"def double(x):\n    {SOLUTION.format('2 * x')}",
            solution=True,
        ),
        make_tests(
            "jax-double-tests",
            "same(double(1), 2)\n" + HIDDEN.format("same(double(limit), 6)"),
            2,
        ),
        make_cell(
            "code",
            "jax-square",
            f"def square(x):\n    {SOLUTION.format('x * x')}",
            solution=True,
        ),
        make_tests(
            "jax-square-tests",
            "assert square(2) == 4\n" + HIDDEN.format("assert square(3) == 9"),
            3,
        ),
        make_cell(
            "markdown",
            "jax-why",
            "Why?\n\n### BEGIN SOLUTION\nBecause.\n### END SOLUTION",
            grade=True,
            solution=True,
            points=4,
        ),
    ]


def write_halves() -> list[NotebookNode]:
    """An assignment with one answer."""
    return [
        make_cell(
            "code",
            "jax-half",
            f"def half(x):\n    {SOLUTION.format('x / 2')}",
            solution=True,
        ),
        make_tests("jax-half-tests", "assert half(4) == 2", 1),
    ]


def write_source(root: Path, name: str, cells: list[NotebookNode]) -> None:
    """Writes an assignment's source, and lets nbgrader make its release."""
    folder = root / "source" / name
    folder.mkdir(parents=True, exist_ok=True)
    notebook = v4.new_notebook(cells=cells, metadata={"kernelspec": KERNELSPEC})
    nbformat.write(notebook, folder / f"{name}.ipynb")
    config = Config()
    config.CourseDirectory.root = str(root)
    directory = CourseDirectory(config=config)
    directory.assignment_id = name
    converter = GenerateAssignment(coursedir=directory, config=config)
    converter.force = True
    converter.start()


@pytest.fixture(scope="session", autouse=True)
def scripts() -> Iterator[None]:
    """Nbgrader finds alembic, which it calls by name."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", path_with_scripts())
        yield


@pytest.fixture(scope="session")
def course_template(scripts: None, tmp_path_factory) -> Path:
    """A course that tests copy."""
    root = tmp_path_factory.mktemp("template") / "course"
    write_source(root, "doubles-jax", write_doubles())
    write_source(root, "halves-jax", write_halves())
    return root


RIGHT = {
    "jax-double": "def double(x):\n    return 2 * x\n",
    "jax-square": "def square(x):\n    return x * x\n",
    "jax-half": "def half(x):\n    return x / 2\n",
    "jax-why": "Since I say so.",
}


@dataclass
class Classroom:
    """A course with students, for tests.

    Attributes:
        root: Its folder.
        ran: The jobs that the runner was given, over all runs.
    """

    root: Path
    ran: list[Job] = field(default_factory=list)

    def released(self, assignment: str = "doubles-jax") -> NotebookNode:
        """The notebook that students got."""
        path = self.root / "release" / assignment / f"{assignment}.ipynb"
        return nbformat.read(path, as_version=4)

    def answered(self, assignment: str = "doubles-jax", **answers: str) -> NotebookNode:
        """The released notebook with right answers, or others by ``double=...``."""
        notebook = self.released(assignment)
        given = {f"jax-{name}": text for name, text in answers.items()}
        for cell in notebook.cells:
            name = cell.metadata.nbgrader.grade_id
            cell.source = (RIGHT | given).get(name, cell.source)
        return notebook

    def hand_in(
        self,
        student: str,
        content: NotebookNode | bytes | None = None,
        assignment: str = "doubles-jax",
        name: str = "",
        age: int = 0,
    ) -> Path:
        """Writes what a student hands in; ``age`` makes it older, in seconds."""
        folder = self.root / "submitted" / student / assignment
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / (name or f"{assignment}.ipynb")
        if content is None:
            content = self.answered(assignment)
        if not isinstance(content, bytes):
            content = json.dumps(content).encode()
        path.write_bytes(content)
        moment = 1_700_000_000 - age
        os.utime(path, (moment, moment))
        return path

    def release(
        self, cells: list[NotebookNode], assignment: str = "doubles-jax"
    ) -> None:
        """Writes an assignment's source anew, and its release."""
        write_source(self.root, assignment, cells)

    def run_inline(self, jobs: list[Job], start, receive) -> None:
        """Runs jobs in this process, as the isolated runner would."""
        for job in jobs:
            self.ran.append(job)
            start(job)
            receive(job, run_inline(job))

    def grade(
        self, *names: str, again: bool = False, limits: Limits | None = None, run=None
    ) -> list[Line]:
        """Grades what is new; the lines of the report."""
        terms = Terms(limits or Limits())
        course = Course.open(self.root)
        run = run or self.run_inline
        return grade_course(course, list(names) or None, run, terms, again)

    def grade_one(self, student: str = "ada", **options) -> Line:
        """Grades ``doubles-jax``; the line of one student."""
        lines = self.grade("doubles-jax", **options)
        [line] = [line for line in lines if line.student == student]
        return line


def run_inline(job: Job) -> Outcome:
    """Executes a notebook's cells in this process; ``exit()`` ends the kernel."""
    notebook, names, completed = copy.deepcopy(job.notebook), {}, []
    for cell in notebook.cells:
        if cell.cell_type != "code":
            continue
        out = io.StringIO()
        try:
            with redirect_stdout(out):
                exec(cell.source, names)  # noqa: S102 the tests' own code
            completed.append(cell.id)
        except SystemExit:
            return Outcome(notebook, DIED, "the kernel died", tuple(completed), 1, "x")
        except BaseException as error:
            said = [type(error).__name__, str(error)]
            output = v4.new_output(
                "error", ename=said[0], evalue=said[1], traceback=[": ".join(said)]
            )
            cell.outputs.append(output)
        if out.getvalue():
            output = v4.new_output("stream", name="stdout", text=out.getvalue())
            cell.outputs.append(output)
    return Outcome(notebook, WHOLE, "", tuple(completed), 1.0, "process")


@pytest.fixture(scope="session")
def make_classroom(course_template: Path, tmp_path_factory) -> Callable[[], Classroom]:
    """A function that makes a course with no submission."""

    def make() -> Classroom:
        root = tmp_path_factory.mktemp("classroom") / "course"
        shutil.copytree(course_template, root)
        return Classroom(root)

    return make


@pytest.fixture
def classroom(make_classroom: Callable[[], Classroom]) -> Classroom:
    """A course with no submission."""
    return make_classroom()


@pytest.fixture
def assignment(classroom: Classroom):
    """The assignment with three exercises."""
    [found] = load_assignments(Course.open(classroom.root), ["doubles-jax"])
    return found


@pytest.fixture
def said() -> Callable[[Line], str]:
    """A function that gives all that a line says."""
    return lambda line: "; ".join(finding.text for finding in line.findings)
