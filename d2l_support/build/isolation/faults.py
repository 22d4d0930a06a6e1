"""Error outputs in the place of what a cell did not do."""

from collections.abc import Iterable

import nbformat
from nbformat import NotebookNode, v4

CELL_TIMEOUT = "CellTimeout"
CUT_OFF = "CutOff"
NOT_RUN = "NotRun"
NOT_ATTESTED = "NotAttested"
INVALID_OUTPUT = "InvalidOutput"

INVALID = "found an output that is none by the format of notebooks"

UNATTESTED = (
    "found that the kernel says that this cell ran but not that it came to its end, "
    "expected both (something changed how the kernel runs cells)"
)


def build_error(name: str, message: str) -> NotebookNode:
    """An error output as a kernel would send it."""
    line = f"{name}: {message}"
    return v4.new_output("error", ename=name, evalue=message, traceback=[line])


def mark_rest(cells: Iterable[NotebookNode], reason: str) -> None:
    """Marks code cells that were never run; empties their outputs."""
    for cell in cells:
        if cell.cell_type == "code":
            cell.execution_count = None
            message = f"found that this cell was never run ({reason})"
            cell.outputs = [build_error(NOT_RUN, message)]


def clean_cell(cell: NotebookNode) -> None:
    """Puts an error output in the place of each output that is none."""
    if not isinstance(cell.execution_count, int):
        cell.execution_count = None
    cell.outputs = [
        output if _is_valid(output) else build_error(INVALID_OUTPUT, INVALID)
        for output in cell.outputs
    ]


def _is_valid(output: NotebookNode) -> bool:
    try:
        nbformat.validate(output, ref="output", version=4, version_minor=5)
    except (nbformat.ValidationError, RecursionError):
        return False
    return True


def has_error(cell: NotebookNode) -> bool:
    """Whether a code cell carries an error output."""
    return any(output.output_type == "error" for output in cell.outputs)
