"""Line numbers, so that a warning names the line that its author sees.

MyST-NB adds one to the lines in a notebook's ``source_map``, and MyST adds
one more. For prose, the map that its reader makes counts from the end of the
cell before, though the empty lines from there on are stripped.
"""

from nbformat import NotebookNode

SHIFT = 2
"""What is added to a line of ``source_map`` before a warning shows it."""


def correct_lines(notebook: NotebookNode, text: str) -> NotebookNode:
    """The notebook that MyST-NB's reader made of a text, with true lines.

    Args:
        notebook: It is changed in place.
        text: What it was read from.
    """
    lines = text.splitlines()
    metadata = notebook.metadata
    metadata["source_map"] = [
        _first_line(cell, start, lines) - SHIFT
        for cell, start in zip(notebook.cells, metadata["source_map"], strict=True)
    ]
    return notebook


def _first_line(cell: NotebookNode, start: int, lines: list[str]) -> int:
    if cell.cell_type != "markdown":
        return start
    return next(n for n in range(start, len(lines)) if lines[n]) + 1
