"""One section's exercises in one framework, as nbgrader's source notebook.

A cell's name for nbgrader begins with the framework, so that a notebook says
what it was made for even after Colab put another kernel in its metadata.
"""

from collections import Counter
from collections.abc import Iterator

import nbformat
from nbformat import NotebookNode, v4

from d2l_support.build.assign import cells
from d2l_support.build.assign.choice import Assignment
from d2l_support.build.assign.parts import (
    Plain,
    build_cells,
    build_exercise,
    join_prose,
)
from d2l_support.build.digests import digest_json
from d2l_support.build.exercises.exercise import opens
from d2l_support.build.exercises.options import MUTANT
from d2l_support.build.exercises.regions import STUB
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


def build_notebook(
    assignment: Assignment, to_plain: Plain, wheel: str = ""
) -> NotebookNode:
    """The source of an assignment: with solutions and hidden tests.

    Args:
        assignment: What is assigned.
        to_plain: Turns prose into Markdown that any notebook shows.
        wheel: The file of the helpers, where a cell uses them.

    Raises:
        ContentError: Two cells would have the same name.
    """
    made = [*_build_opening(assignment, to_plain, wheel)]
    for exercise in assignment.exercises:
        made += build_exercise(exercise, assignment.framework, to_plain)
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


def uses_helpers(assignment: Assignment) -> bool:
    """Whether a cell of an assignment names the book's helpers."""
    shown = [*list_opening(assignment)]
    shown += [cell for each in assignment.exercises for cell in each.cells]
    return any(
        cell.kind == "code"
        and cell.grade != MUTANT
        and assignment.framework in cell.frameworks
        and "d2l_support" in cell.source
        for cell in shown
    )


def list_opening(assignment: Assignment) -> Iterator[Cell]:
    """The cells above the first exercise, in the framework."""
    for cell in assignment.section.cells:
        if opens(cell):
            return
        if assignment.framework in cell.frameworks:
            yield cell


def _build_opening(
    assignment: Assignment, to_plain: Plain, wheel: str
) -> Iterator[NotebookNode]:
    """What stands above the first exercise, for all of them."""
    key = assignment.framework
    label = FRAMEWORKS[key].label
    shown = list(list_opening(assignment))
    code = [place for place, cell in enumerate(shown) if cell.kind == "code"]
    first = min(code, default=len(shown))
    start = START.format(stub=STUB, text=TEXT_STUB, name=assignment.name, label=label)
    prose = [*map(to_plain, shown[:first]), start]
    yield cells.make_locked("markdown", join_prose(prose), f"{key}-opening")
    if wheel:
        yield cells.make_helpers(wheel, f"{key}-helpers")
    yield from build_cells(shown[first:], key, to_plain)
