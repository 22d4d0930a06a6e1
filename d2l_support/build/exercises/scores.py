"""The points of an executed submission, counted as nbgrader counts them."""

from dataclasses import dataclass

from nbformat import NotebookNode

from d2l_support.build.exercises.options import TESTS
from d2l_support.build.exercises.submissions import NOTHING, Submission

CARELESS = ("NameError", "SyntaxError", "IndentationError", "ModuleNotFoundError")
"""Errors with which a planted answer shows that it was planted carelessly."""


@dataclass(frozen=True)
class Score:
    """What the tests gave.

    Attributes:
        points: The points of the tests that ran to their end.
        errors: What each cell that raised says, by its id.
    """

    points: int
    errors: dict[str, str]


def score_notebook(submission: Submission, executed: NotebookNode) -> Score:
    """The points of a submission; tests give all of theirs or none.

    Args:
        submission: What was run.
        executed: Its notebook, with outputs.
    """
    errors = {
        node.id: f"{output.ename}: {_first_line(output.evalue)}"
        for node in executed.cells
        for output in node.outputs
        if output.output_type == "error"
    }
    points = sum(
        cell.options["points"]
        for cell in submission.cells
        if cell.grade == TESTS and cell.step not in errors
    )
    return Score(points, errors)


def _first_line(text: str) -> str:
    return next(iter(text.splitlines()), "")


def find_accident(submission: Submission, score: Score) -> str | None:
    """Why a score says nothing about the answer, or None if it does.

    What is given to the student must run, and a planted answer must be wrong
    in what it does, not in how it is spelt.
    """
    if submission.expected == NOTHING:
        return None
    graded = {cell.step for cell in submission.cells if cell.grade}
    for step, error in score.errors.items():
        if step not in graded or error.startswith(CARELESS):
            return f"cell {step!r} raised {error}"
    return None
