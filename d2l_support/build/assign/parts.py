"""The parts of an exercise as cells: statement, starter, tests and questions."""

from collections.abc import Callable, Iterator, Sequence

from nbformat import NotebookNode

from d2l_support.build.assign import cells
from d2l_support.build.exercises.exercise import Exercise
from d2l_support.build.exercises.options import MUTANT, SOLUTION, TESTS, WRITTEN
from d2l_support.build.exercises.regions import SOLUTION as SOLUTION_REGION
from d2l_support.build.exercises.regions import inside_regions
from d2l_support.build.exercises.shown import (
    count_points,
    describe_rubric,
    describe_terms,
    show_to_student,
)
from d2l_support.build.section import Cell

Plain = Callable[[Cell], str]
"""Turns a cell of prose into Markdown that any notebook shows."""


def build_exercise(
    exercise: Exercise, framework: str, to_plain: Plain
) -> Iterator[NotebookNode]:
    """Statement, starter, tests and questions, in the order of the section."""
    shown = [cell for cell in exercise.cells if framework in cell.frameworks]
    prose = [to_plain(exercise.opening), f"*{describe_terms(exercise)}*"]
    name = f"{framework}-{exercise.name}-statement"
    yield from build_cells(shown, framework, to_plain, prose, name)


def build_cells(
    shown: list[Cell],
    framework: str,
    to_plain: Plain,
    prose: Sequence[str] = (),
    name: str = "",
) -> Iterator[NotebookNode]:
    """Cells in their order; prose that stands together becomes one.

    Args:
        shown: Cells of the framework.
        framework: The framework key.
        to_plain: Turns prose into Markdown that any notebook shows.
        prose: What stands before them.
        name: The name of the prose before the first code or question.
    """
    prose = list(prose)
    for cell in shown:
        if cell.kind == "markdown" and cell.grade is None:
            prose.append(to_plain(cell))
        # Words on a solution stay on the page of the book, folded with it.
        if (cell.kind == "markdown" and cell.grade != WRITTEN) or cell.grade == MUTANT:
            continue
        if prose:
            yield cells.make_locked("markdown", join_prose(prose), name)
        grade_id = f"{framework}-{cell.step}"
        yield from _build_part(cell, grade_id, to_plain)
        prose, name = [], f"{grade_id}-after"
    if prose:
        yield cells.make_locked("markdown", join_prose(prose), name)


def _build_part(cell: Cell, grade_id: str, to_plain: Plain) -> Iterator[NotebookNode]:
    points = cell.options.get("points", 0)
    if cell.grade == SOLUTION:
        yield cells.make_solution(cell.source, grade_id)
    elif cell.grade == TESTS:
        source = f"# {count_points(points)}\n{cells.announce_hidden(cell.source)}"
        yield cells.make_tests(source, grade_id, points)
    elif cell.grade == WRITTEN:
        question = _ask(cell, to_plain)
        yield cells.make_locked("markdown", question, f"{grade_id}-question")
        yield cells.make_answer(_answer(cell, to_plain), grade_id, points)
    else:
        yield cells.make_locked("code", cell.source, grade_id)


def _ask(cell: Cell, to_plain: Plain) -> str:
    """The question with its rubric, by which it is graded."""
    question = to_plain(_with_text(cell, show_to_student(cell).source))
    return join_prose([question, "\n".join(describe_rubric(cell))])


def _answer(cell: Cell, to_plain: Plain) -> str:
    """The model answer between nbgrader's comments."""
    text = "\n".join(inside_regions(cell.source, SOLUTION_REGION))
    answer = to_plain(_with_text(cell, text))
    return f"### BEGIN {SOLUTION_REGION}\n{answer}\n### END {SOLUTION_REGION}"


def _with_text(cell: Cell, text: str) -> Cell:
    return Cell("markdown", text, cell.text_line, cell.frameworks, cell.step)


def join_prose(paragraphs: Sequence[str]) -> str:
    """Paragraphs as the source of one cell."""
    return "\n\n".join(text.strip() for text in paragraphs if text.strip())
