"""One section's exercises in one framework, as nbgrader's source notebook.

A cell's name for nbgrader begins with the framework, so that a notebook says
what it was made for even after Colab put another kernel in its metadata.
"""

from collections import Counter
from collections.abc import Callable, Iterator

import nbformat
from nbformat import NotebookNode, v4

from d2l_support.build.assign import cells
from d2l_support.build.assign.choice import Assignment
from d2l_support.build.digests import digest_json
from d2l_support.build.exercises.exercise import Exercise, opens
from d2l_support.build.exercises.options import MUTANT, SOLUTION, TESTS, WRITTEN
from d2l_support.build.exercises.regions import SOLUTION as SOLUTION_REGION
from d2l_support.build.exercises.regions import STUB, inside_regions, replace_regions
from d2l_support.build.exercises.terms import (
    count_points,
    describe_rubric,
    describe_terms,
)
from d2l_support.build.frameworks import FRAMEWORKS
from d2l_support.build.problems import ContentError, Problem
from d2l_support.build.section import Cell
from d2l_support.build.split import kernel_metadata

TEXT_STUB = "Write your answer here."
"""What stands in place of a model answer."""

START = """\
**Before you start.** Write where you find `{stub}` or "{text}"; cells of your own \
may stand anywhere. The other cells are given: whatever is changed in them is put \
back before grading. At the end restart the kernel, run all cells, save, and hand in \
this file under its name, `{name}.ipynb`.

It needs {label}. The file `requirements.txt` beside it has the versions that it is \
graded with; any kernel that has them will do."""

Plain = Callable[[Cell], str]
"""Turns a cell of prose into Markdown that any notebook shows."""


def build_notebook(assignment: Assignment, to_plain: Plain) -> NotebookNode:
    """The source of an assignment: with solutions and hidden tests.

    Args:
        assignment: What is assigned.
        to_plain: Turns prose into Markdown that any notebook shows.

    Raises:
        ContentError: Two cells would have the same name.
    """
    made = [*_build_opening(assignment, to_plain)]
    for exercise in assignment.exercises:
        made += _build_exercise(exercise, assignment.framework, to_plain)
    _check_names(assignment, made)
    metadata = kernel_metadata(assignment.framework)
    notebook = v4.new_notebook(cells=made, metadata=nbformat.from_dict(metadata))
    notebook.metadata["book"] = nbformat.from_dict(
        {
            "section": str(assignment.place),
            "framework": assignment.framework,
            "digest": digest_notebook(notebook),
        }
    )
    return notebook


def digest_notebook(notebook: NotebookNode) -> str:
    """A digest of what was written: not of outputs, nor of what Jupyter adds."""
    parts = [
        [cell.cell_type, cell.source, cell.metadata.get("nbgrader")]
        for cell in notebook.cells
    ]
    return digest_json(parts)


def _check_names(assignment: Assignment, made: list[NotebookNode]) -> None:
    names = Counter(cell.metadata.nbgrader.grade_id for cell in made)
    twice = [name for name, times in names.items() if times > 1]
    if twice:
        message = "found two cells of this name in an assignment, expected one"
        path = assignment.section.path
        raise ContentError(
            Problem("exercise", message, path, cell=name) for name in twice
        )


def _build_opening(assignment: Assignment, to_plain: Plain) -> Iterator[NotebookNode]:
    """What stands above the first exercise, for all of them."""
    key = assignment.framework
    prose: list[str] = []
    name = f"{key}-opening"
    start = START.format(
        stub=STUB, text=TEXT_STUB, name=assignment.name, label=FRAMEWORKS[key].label
    )
    for cell in assignment.section.cells:
        if opens(cell):
            break
        if key not in cell.frameworks:
            continue
        if cell.kind == "markdown":
            prose.append(to_plain(cell))
            continue
        if name.endswith("-opening"):
            prose.append(start)
        if prose:
            yield cells.make_locked("markdown", _join(prose), name)
        yield cells.make_locked("code", cell.source, f"{key}-{cell.step}")
        prose, name = [], f"{key}-{cell.step}-after"
    if name.endswith("-opening"):
        prose.append(start)
    if prose:
        yield cells.make_locked("markdown", _join(prose), name)


def _build_exercise(
    exercise: Exercise, framework: str, to_plain: Plain
) -> Iterator[NotebookNode]:
    """Statement, starter, tests and questions, in the order of the section."""
    prose = [to_plain(exercise.opening), f"*{describe_terms(exercise)}*"]
    name = f"{framework}-{exercise.name}-statement"
    for cell in exercise.cells:
        if framework not in cell.frameworks or cell.grade == MUTANT:
            continue
        if cell.kind == "markdown" and cell.grade != WRITTEN:
            # Words that belong to a solution are on the book's own page.
            prose += [to_plain(cell)] if cell.grade != SOLUTION else []
            continue
        if prose:
            yield cells.make_locked("markdown", _join(prose), name)
        grade_id = f"{framework}-{cell.step}"
        yield from _build_part(cell, grade_id, to_plain)
        prose, name = [], f"{grade_id}-after"
    if prose:
        yield cells.make_locked("markdown", _join(prose), name)


def _build_part(cell: Cell, grade_id: str, to_plain: Plain) -> Iterator[NotebookNode]:
    points = cell.options.get("points", 0)
    if cell.grade == SOLUTION:
        yield cells.make_solution(cell.source, grade_id)
    elif cell.grade == TESTS:
        source = f"# {count_points(points)}\n{cells.announce_hidden(cell.source)}"
        yield cells.make_tests(source, grade_id, points)
    elif cell.grade == WRITTEN:
        question = _ask(cell, points, to_plain)
        yield cells.make_locked("markdown", question, f"{grade_id}-question")
        yield cells.make_answer(_answer(cell, to_plain), grade_id, points)
    else:
        yield cells.make_locked("code", cell.source, grade_id)


def _ask(cell: Cell, points: int, to_plain: Plain) -> str:
    """The question with its rubric, by which it is graded."""
    text = replace_regions(cell.source, SOLUTION_REGION, "").strip()
    question = to_plain(_with_text(cell, text))
    rubric = "\n".join(describe_rubric(cell))
    return _join([f"**In words ({count_points(points)}).** {question}", rubric])


def _answer(cell: Cell, to_plain: Plain) -> str:
    """The model answer between nbgrader's comments."""
    text = "\n".join(inside_regions(cell.source, SOLUTION_REGION))
    answer = to_plain(_with_text(cell, text))
    return f"### BEGIN {SOLUTION_REGION}\n{answer}\n### END {SOLUTION_REGION}"


def _with_text(cell: Cell, text: str) -> Cell:
    return Cell("markdown", text, cell.line, cell.frameworks, cell.step)


def _join(paragraphs: list[str]) -> str:
    return "\n\n".join(text.strip() for text in paragraphs if text.strip())
