"""Takes the notebook of one framework out of a section, and merges back.

A split notebook remembers each cell's position and marks in its metadata,
so that the four notebooks of a section merge to the section's cells.
"""

from dataclasses import replace
from typing import Any

import nbformat
from nbformat import NotebookNode, v4

from d2l_support.build.frameworks import FRAMEWORKS, parse_mark
from d2l_support.build.rules import parse_rule
from d2l_support.build.section import Cell, Section


def kernel_metadata(framework: str) -> dict[str, Any]:
    """The notebook metadata that names a framework's kernel."""
    known = FRAMEWORKS[framework]
    return {
        "kernelspec": {
            "name": known.kernel,
            "display_name": known.label,
            "language": "python",
        },
        "language_info": {"name": "python"},
    }


def split_section(section: Section, framework: str) -> NotebookNode:
    """The notebook of one framework: its code, and the prose it reads with."""
    cells = [
        _to_node(cell, position)
        for position, cell in enumerate(section.cells)
        if framework in cell.frameworks
    ]
    return v4.new_notebook(cells=cells, metadata=kernel_metadata(framework))


def split_code(section: Section, framework: str) -> NotebookNode:
    """The same with the cells that are run alone, each named by its step."""
    notebook = split_section(section, framework)
    positions = {place for place, cell in enumerate(section.cells) if cell.is_run}
    notebook.cells = [
        cell for cell in notebook.cells if cell.metadata.book.position in positions
    ]
    return notebook


def _to_node(cell: Cell, position: int) -> NotebookNode:
    place = {"position": position, "line": cell.line, "gap": cell.gap}
    metadata = nbformat.from_dict({"book": {**place, "options": cell.options}})
    if cell.may_raise:
        metadata["tags"] = ["raises-exception"]
    if cell.kind == "code":
        return v4.new_code_cell(cell.source, id=cell.step, metadata=metadata)
    # No step's id has an underscore, so these cannot meet one.
    return v4.new_markdown_cell(cell.source, id=f"prose_{position}", metadata=metadata)


def merge_notebooks(notebooks: list[NotebookNode]) -> tuple[Cell, ...]:
    """The section's cells from the split notebooks of its frameworks.

    Raises:
        ValueError: A cell that frameworks share differs between them.
    """
    merged: dict[int, Cell] = {}
    for notebook in notebooks:
        for node in notebook.cells:
            position = node.metadata["book"]["position"]
            cell = _from_node(node)
            if merged.setdefault(position, cell) != cell:
                raise ValueError(
                    f"found two versions of cell {node.id!r} at position {position}, "
                    "expected the frameworks that share it to agree"
                )
    return tuple(merged[position] for position in sorted(merged))


def _from_node(node: NotebookNode) -> Cell:
    book = node.metadata["book"]
    options = dict(book["options"])
    cell = Cell(node.cell_type, node.source, book["line"], options=options)
    return replace(
        cell,
        frameworks=parse_mark(options.get("framework")),
        step=options.get("id"),
        rule=parse_rule(options),
        gap=book["gap"],
    )
