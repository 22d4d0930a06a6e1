"""nbgrader's autograde and feedback, on a notebook whose outputs are there.

nbgrader is told not to execute and not to clear outputs (its own
``--no-execute``), and to take as submitted what was restored and run. The
rest is its own: the database, the late penalties, ``autograded/``, feedback.
"""

import io
import logging
import shutil
import warnings
from collections.abc import Callable
from pathlib import Path

import nbformat
from nbconvert.writers import FilesWriter
from nbformat import NotebookNode
from nbgrader.converters import Autograde, BaseConverter, GenerateFeedback
from nbgrader.converters.base import NbGraderException
from nbgrader.coursedir import CourseDirectory
from sqlalchemy.exc import SAWarning

from d2l_support.build.grading.course import WORK, Course
from d2l_support.build.grading.finding import Refusal
from d2l_support.build.grading.frame import Assignment

DRAFTS = f"{WORK}/executed"
TIMESTAMP = "timestamp.txt"


def record_grades(
    course: Course, assignment: Assignment, student: str, notebook: NotebookNode
) -> None:
    """Lets nbgrader take the points of an executed notebook.

    Manual scores and comments in the gradebook stay.

    Args:
        course: The course; its database and ``autograded/`` are written.
        assignment: What was submitted.
        student: By whom.
        notebook: The notebook with the outputs that count.

    Raises:
        Refusal: nbgrader fails on it.
    """
    directory = _open_directory(course, DRAFTS)
    folder = Path(directory.format_path(DRAFTS, student, assignment.name))
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    path = folder / f"{assignment.notebook}.ipynb"
    nbformat.write(notebook, path)
    handed = Path(
        directory.format_path(course.submitted.name, student, assignment.name)
    )
    if (handed / TIMESTAMP).is_file():
        shutil.copy(handed / TIMESTAMP, folder / TIMESTAMP)
    try:
        _convert(Autograde, course, directory, path)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def write_feedback(course: Course, assignment: Assignment, student: str) -> Path:
    """Lets nbgrader write the feedback page; returns its path.

    Raises:
        Refusal: nbgrader fails on it.
    """
    directory = _open_directory(course, course.directory.submitted_directory)
    place = directory.autograded_directory, student, assignment.name
    graded = Path(directory.format_path(*place)) / f"{assignment.notebook}.ipynb"
    _convert(GenerateFeedback, course, directory, graded)
    place = directory.feedback_directory, student, assignment.name
    return Path(directory.format_path(*place)) / f"{assignment.notebook}.html"


def _open_directory(course: Course, submitted: str) -> CourseDirectory:
    directory = CourseDirectory(config=course.config)
    directory.submitted_directory = submitted
    return directory


def _convert(
    kind: Callable[..., BaseConverter],
    course: Course,
    directory: CourseDirectory,
    path: Path,
) -> None:
    """Runs one of nbgrader's converters on one notebook.

    Its ``start`` looks for notebooks by a pattern, which a student's name can
    break, and changes this process's folder; so its steps are taken here.
    """
    log, said = _make_log()
    config = course.config.copy()
    config.Execute.enabled = False
    config.ClearOutput.enabled = False
    converter = kind(coursedir=directory, config=config, log=log)
    converter.force = True
    converter.assignments = {str(path.parent): [str(path)]}
    converter.writer = FilesWriter(parent=converter, config=converter.config)
    converter.exporter = converter.exporter_class(
        parent=converter, config=converter.config
    )
    for step in converter.preprocessors:
        converter.exporter.register_preprocessor(step)
    try:
        with warnings.catch_warnings():
            # Its way of adding a submission makes SQLAlchemy warn.
            warnings.simplefilter("ignore", SAWarning)
            converter.convert_notebooks()
    except NbGraderException as error:
        lines = [line for line in said.getvalue().splitlines() if line.strip()]
        reason = _last_reason(lines) or str(error)
        raise Refusal(
            f"found that nbgrader cannot take it ({reason}); not graded"
        ) from error


def _make_log() -> tuple[logging.Logger, io.StringIO]:
    """A logger of our own, and what it was told."""
    said = io.StringIO()
    log = logging.Logger("nbgrader", logging.ERROR)
    log.addHandler(logging.StreamHandler(said))
    return log, said


def _last_reason(lines: list[str]) -> str:
    """The error at the end of the last traceback in a log."""
    starts = [n for n, line in enumerate(lines) if line.startswith("Traceback")]
    after = lines[starts[-1] + 1 :] if starts else []
    return next((line for line in after if not line.startswith(" ")), "")[:200]
