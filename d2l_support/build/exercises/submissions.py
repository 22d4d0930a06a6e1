"""Submissions of which it is known what they must score."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import nbformat
from nbformat import NotebookNode, v4

from d2l_support.build.exercises.exercise import Exercise
from d2l_support.build.exercises.options import MUTANT, SOLUTION
from d2l_support.build.exercises.regions import make_starter
from d2l_support.build.section import Cell
from d2l_support.build.split import kernel_metadata

FULL, NOTHING, LESS = "full", "nothing", "less"
"""What the tests must give to a submission."""


@dataclass(frozen=True)
class Submission:
    """One exercise in one framework, with one answer.

    Attributes:
        exercise: The exercise.
        framework: The framework key.
        name: ``solution``, ``starter``, or the id of a mutant.
        expected: ``FULL``, ``NOTHING`` or ``LESS``.
        cells: Its code, in order.
    """

    exercise: Exercise
    framework: str
    name: str
    expected: str
    cells: tuple[Cell, ...] = field(repr=False, default=())

    def __str__(self) -> str:
        return f"{self.exercise.name} {self.name}"

    def is_held(self, points: int) -> bool:
        """Whether points from the tests are what this one must get."""
        most = self.exercise.test_points(self.framework)
        if self.expected == FULL:
            return points == most
        return points == 0 if self.expected == NOTHING else points < most

    def to_notebook(self) -> NotebookNode:
        """The notebook, in which a cell that raises does not end the run."""
        cells = []
        for cell in self.cells:
            metadata = {"book": {"line": cell.line}, "tags": ["raises-exception"]}
            node = v4.new_code_cell(cell.source, id=cell.step)
            node.metadata = nbformat.from_dict(metadata)
            cells.append(node)
        return v4.new_notebook(cells=cells, metadata=kernel_metadata(self.framework))


def make_submissions(exercise: Exercise, framework: str) -> Iterator[Submission]:
    """The solution, the untouched starter, and every planted answer."""
    given = tuple(
        cell
        for cell in (*exercise.before, *exercise.cells)
        if cell.is_run and framework in cell.frameworks
    )
    yield Submission(exercise, framework, "solution", FULL, given)
    starter = tuple(
        replace(cell, source=make_starter(cell.source))
        if cell.grade == SOLUTION
        else cell
        for cell in given
    )
    yield Submission(exercise, framework, "starter", NOTHING, starter)
    for mutant in exercise.of_grade(MUTANT, framework):
        planted = tuple(
            replace(cell, source=mutant.source)
            if cell.grade == SOLUTION and cell.step == mutant.options["of"]
            else cell
            for cell in given
        )
        expected = FULL if "sound" in mutant.options else LESS
        yield Submission(exercise, framework, mutant.step, expected, planted)
