"""The cells of an exercises section as one notebook runs them, top to bottom.

Students get starters and visible tests. With solutions, the worked one stands
in the place of its starter, so that the notebook runs to its end.
"""

from collections.abc import Iterator
from dataclasses import replace

from d2l_support.build.exercises.exercise import Exercise, find_exercises
from d2l_support.build.exercises.options import MUTANT, SOLUTION, TESTS, WRITTEN
from d2l_support.build.exercises.regions import drop_edges
from d2l_support.build.exercises.shown import (
    describe_terms,
    show_answer,
    show_to_student,
)
from d2l_support.build.section import Cell, Section


def arrange_cells(section: Section, framework: str, solutions: bool) -> list[Cell]:
    """The cells of one framework, in order; no cell that is never shown.

    Args:
        section: A section, with exercises or without.
        framework: The framework key.
        solutions: Whether solutions are told.
    """
    exercises = find_exercises(section)
    opened = {id(exercise.opening): exercise for exercise in exercises}
    cells: list[Cell] = []
    for cell in section.cells:
        if framework not in cell.frameworks or cell.grade == MUTANT:
            continue
        shown = _solve(cell) if solutions else show_to_student(cell)
        if shown:
            cells.append(shown)
        if exercise := opened.get(id(cell)):
            cells.append(_tell_terms(exercise))
    return cells


def _tell_terms(exercise: Exercise) -> Cell:
    line = exercise.opening.line
    return Cell("markdown", f"*{describe_terms(exercise)}*", line)


def _solve(cell: Cell) -> Cell:
    """A cell as the teacher sees it."""
    if cell.grade in (SOLUTION, TESTS) and cell.kind == "code":
        return replace(cell, source=drop_edges(cell.source))
    if cell.grade == WRITTEN:
        question = show_to_student(cell).source
        fold = f"```{{dropdown}} Answer\n{show_answer(cell)}\n```"
        return replace(cell, source=f"{question}\n\n{fold}")
    if cell.grade == SOLUTION:
        fold = f"````{{dropdown}} Solution\n{cell.source}\n````"
        return replace(cell, source=fold)
    return cell


def list_unfinished(section: Section) -> Iterator[str]:
    """The steps that raise until the student has written an answer."""
    for exercise in find_exercises(section):
        answers = [n for n, c in enumerate(exercise.cells) if c.grade == SOLUTION]
        for cell in exercise.cells[min(answers, default=len(exercise.cells)) :]:
            if cell.step and cell.kind == "code":
                yield cell.step
