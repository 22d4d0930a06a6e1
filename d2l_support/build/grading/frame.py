"""An assignment as nbgrader keeps it: released cells, with the hidden tests in."""

import hashlib
import json
from dataclasses import dataclass, field

from nbformat import NotebookNode

from d2l_support.build.frameworks import FRAMEWORKS


@dataclass(frozen=True)
class Assignment:
    """One assignment of the course: one notebook in one framework.

    Attributes:
        name: Its name in nbgrader.
        notebook: Its notebook's name, without ``.ipynb``.
        framework: The framework key.
        frame: The cells that nbgrader knows, in order, with the hidden tests.
        released: The same cells as students got them.
        model: The code of the instructor's own answers.
    """

    name: str
    notebook: str
    framework: str
    frame: NotebookNode = field(repr=False)
    released: NotebookNode = field(repr=False)
    model: str = field(repr=False, default="")

    @property
    def version(self) -> str:
        """A digest of all that a grade depends on besides the submission."""
        cells = [[cell.source, cell.metadata.nbgrader] for cell in self.frame.cells]
        text = json.dumps([self.framework, cells], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()

    @property
    def grade_ids(self) -> set[str]:
        """The ids under which nbgrader knows its cells."""
        return {grade_id(cell) for cell in self.frame.cells}


def grade_id(cell: NotebookNode) -> str:
    """The id under which nbgrader knows a cell, "" if it has none.

    Works on any cell that is valid JSON: students' metadata may be broken.
    """
    metadata = cell.get("metadata")
    nbgrader = metadata.get("nbgrader") if isinstance(metadata, dict) else None
    found = nbgrader.get("grade_id") if isinstance(nbgrader, dict) else None
    return found if isinstance(found, str) else ""


def is_own(cell: NotebookNode) -> bool:
    """Whether a cell of a restored notebook is one that the student added."""
    return "nbgrader" not in cell.metadata


def is_answer(cell: NotebookNode) -> bool:
    """Whether this is a cell of a frame that the student writes."""
    return not is_own(cell) and bool(cell.metadata.nbgrader.solution)


def is_test(cell: NotebookNode) -> bool:
    """Whether this is a cell of a frame whose code gives points."""
    if is_own(cell) or cell.cell_type != "code":
        return False
    return cell.metadata.nbgrader.grade and not cell.metadata.nbgrader.solution


def max_points(cell: NotebookNode) -> float:
    """The points that a cell of a frame is worth."""
    return float(cell.metadata.nbgrader.get("points", 0))


def find_framework(notebook: NotebookNode) -> str:
    """The framework key of a notebook, "" if nothing tells it.

    The grade ids are asked before the kernelspec, which Colab rewrites.
    """
    names = {grade_id(cell).partition("-")[0] for cell in notebook.cells}
    found = names & set(FRAMEWORKS)
    if len(found) == 1:
        return found.pop()
    kernelspec = notebook.metadata.get("kernelspec")
    kernel = kernelspec.get("name") if isinstance(kernelspec, dict) else None
    return next((key for key, one in FRAMEWORKS.items() if one.kernel == kernel), "")
