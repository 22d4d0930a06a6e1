"""The cells of an assignment, with what nbgrader has to know of each.

nbgrader knows four kinds: *locked* ones, which are put back before grading;
*solutions*, which the student writes; *tests*, which give points; and
*answers* in words, which a person grades.
"""

import hashlib
import re
from typing import Any

import nbformat
from nbformat import NotebookNode, v4

from d2l_support.build.exercises.regions import HIDDEN, HIDDEN_STUB, find_regions

SCHEMA_VERSION = 3
"""Of nbgrader's metadata."""

HELPERS = """\
# The book's own helpers, unless this kernel has them.
import importlib.util
if importlib.util.find_spec("d2l_support") is None:
    %pip install --quiet --no-deps {wheel}"""

LONGEST_ID = 64
"""Characters that nbformat allows for a cell's id."""


def make_locked(kind: str, source: str, grade_id: str) -> NotebookNode:
    """A cell that the student reads or runs, and does not change."""
    return _make(kind, source, grade_id, locked=True)


def make_helpers(wheel: str, grade_id: str) -> NotebookNode:
    """Code that installs the helpers from the wheel beside the notebook."""
    return make_locked("code", HELPERS.format(wheel=wheel), grade_id)


def make_solution(source: str, grade_id: str) -> NotebookNode:
    """Code with the regions in which the student writes."""
    return _make("code", source, grade_id, solution=True)


def make_tests(source: str, grade_id: str, points: int) -> NotebookNode:
    """Asserts that give all of their points, or none."""
    return _make("code", source, grade_id, grade=True, locked=True, points=points)


def make_answer(source: str, grade_id: str, points: int) -> NotebookNode:
    """Words that a person grades."""
    return _make("markdown", source, grade_id, grade=True, solution=True, points=points)


def _make(kind: str, source: str, grade_id: str, **grading: Any) -> NotebookNode:
    known = {"grade": False, "locked": False, "solution": False, "task": False}
    new = v4.new_code_cell if kind == "code" else v4.new_markdown_cell
    cell = new(source, id=fit_id(grade_id))
    grading = known | {"schema_version": SCHEMA_VERSION, "grade_id": grade_id} | grading
    cell.metadata = nbformat.from_dict({"nbgrader": grading})
    return cell


def fit_id(grade_id: str) -> str:
    """A cell's id that nbformat takes: the name itself, or its start and a digest."""
    if len(grade_id) <= LONGEST_ID:
        return grade_id
    digest = hashlib.sha256(grade_id.encode()).hexdigest()[:8]
    return f"{grade_id[: LONGEST_ID - 9]}-{digest}"


def announce_hidden(source: str) -> str:
    """Tests with a comment above each hidden region, which remains without it."""
    lines = source.splitlines()
    for region in reversed(find_regions(source)[0]):
        if region.name == HIDDEN:
            margin = re.match(r"\s*", lines[region.first])[0]
            lines.insert(region.first, margin + HIDDEN_STUB)
    return "\n".join(lines)
