"""Reads a section's source with MyST-NB's own reader.

A code cell carries ``:framework:`` (a key or a list; none means all four) and
``:id:``, which it shares with its variants in other frameworks. A markdown
cell carries the same marks in ``+++ {"framework": "jax", "id": "train"}``:
with an id it is words inside that step's tab, without one it is prose that
follows the reader's choice.
"""

import re
from pathlib import Path
from typing import Any

from myst_nb.core.read import read_myst_markdown_notebook
from nbformat import NotebookNode

from d2l_support.build import rules
from d2l_support.build.blocks import name_block
from d2l_support.build.exercises import options as exercise_options
from d2l_support.build.frameworks import parse_mark
from d2l_support.build.malformed import (
    Fault,
    find_faults,
    find_misplaced,
    locate_fault,
)
from d2l_support.build.problems import ContentError, Problem
from d2l_support.build.section import DEPTHS, Cell, Section

STEP_ID = re.compile(r"[a-z][a-z0-9-]{0,63}")
TAGS = ("raises-exception", "hide-input", "hide-output", "hide-cell")
CODE_OPTIONS = {
    *("framework", "id", "tags", "depth", "alt"),
    *rules.OPTIONS,
    *exercise_options.CODE_OPTIONS,
}
MARKDOWN_MARKS = {"framework", "id", "depth", *exercise_options.MARKDOWN_MARKS}


def read_notebook(text: str, path: Path) -> NotebookNode:
    """The notebook that MyST-NB's reader finds in a text.

    Raises:
        ContentError: The front matter or a cell's options cannot be read.
    """

    def read(part: str) -> NotebookNode:
        return read_myst_markdown_notebook(part, add_source_map=True, path=path)

    try:
        return read(text)
    except (MemoryError, RecursionError):
        raise
    # The reader raises its own private types, nbformat's and AttributeError.
    except Exception as error:
        fault = locate_fault(text, read, error)
        raise ContentError(_place_faults("malformed", [fault], path)) from error


def read_section(text: str, path: Path) -> Section:
    """A section's source as a value.

    Args:
        text: The source.
        path: Its file, relative to the book, for messages.

    Raises:
        ContentError: Some marks cannot be understood; all are listed.
    """
    if faults := find_faults(text):
        raise ContentError(_place_faults("malformed", faults, path))
    notebook = read_notebook(text, path)
    metadata = dict(notebook.metadata)
    starts = metadata.pop("source_map")
    lines = text.splitlines()
    cells: list[Cell] = []
    problems: list[Problem] = []
    placed = list(zip(notebook.cells, starts, strict=True))
    for node, start in placed:
        line, gap = _place_cell(node, start, lines)
        try:
            cells.append(_read_cell(node, line, gap))
        except ValueError as error:
            problems.append(Problem("mark", str(error), path, line, **_names(node)))
    marked = [start for node, start in placed if node.metadata]
    problems += _place_faults("misplaced", find_misplaced(text, marked), path)
    if problems:
        raise ContentError(sorted(problems, key=lambda problem: problem.line))
    return Section(path, tuple(cells), metadata)


def _place_faults(code: str, faults: list[Fault], path: Path) -> list[Problem]:
    return [
        Problem(code, message, path, line, **name_block(block))
        for line, message, block in faults
    ]


def _place_cell(node: NotebookNode, start: int, lines: list[str]) -> tuple[int, int]:
    """The line and gap of a cell, as ``Cell`` counts them.

    Args:
        node: The cell.
        start: Line of its fence or mark from 1, which for prose without a
            mark is that of the end of the cell before.
        lines: The lines of the section.
    """
    if node.cell_type != "markdown":
        return start, 0
    # The reader strips the empty lines at which prose begins.
    text = next(n for n in range(start, len(lines)) if lines[n])
    return (start, text - start) if node.metadata else (text + 1, 0)


def _names(node: NotebookNode) -> dict[str, str | None]:
    """A cell's id and frameworks, for a message about its marks."""
    step, mark = node.metadata.get("id"), node.metadata.get("framework")
    try:
        frameworks = ", ".join(parse_mark(mark)) if mark else None
    except ValueError:
        frameworks = None
    return {"cell": None if step is None else str(step), "framework": frameworks}


def _read_cell(node: NotebookNode, line: int, gap: int) -> Cell:
    options: dict[str, Any] = dict(node.metadata)
    if node.cell_type == "raw":
        raise ValueError("found a raw cell, expected code-cell or prose")
    _check_options(options, node.cell_type)
    step = options.get("id")
    if step is None and node.cell_type == "code":
        raise ValueError("found a code cell without :id:, expected one")
    named = {"framework", "grade"} & options.keys()
    if step is not None and node.cell_type == "markdown" and not named:
        raise ValueError("found prose with an id but no framework, expected both")
    return Cell(
        node.cell_type,
        node.source,
        line,
        parse_mark(options.get("framework")),
        step,
        rules.parse_rule(options),
        options,
        gap,
    )


def _check_options(options: dict[str, Any], kind: str) -> None:
    known = CODE_OPTIONS if kind == "code" else MARKDOWN_MARKS
    if unknown := sorted(options.keys() - known):
        raise ValueError(
            f"found option {', '.join(unknown)}, expected {', '.join(sorted(known))}"
        )
    if empty := [name for name, value in options.items() if value is None]:
        raise ValueError(f"found no value for {', '.join(empty)}, expected one")
    exercise_options.check_options(options, kind)
    for step in (options.get("id"), options.get("exercise")):
        if step is not None and not STEP_ID.fullmatch(str(step)):
            raise ValueError(
                f"found id {step!r}, expected a small letter, "
                "then small letters, digits or hyphens, 64 at most"
            )
    if options.get("depth", DEPTHS[1]) not in DEPTHS:
        raise ValueError(
            f"found depth {options['depth']!r}, expected one of {', '.join(DEPTHS)}"
        )
    for tag in options.get("tags", []):
        if tag not in TAGS:
            raise ValueError(f"found tag {tag!r}, expected one of {', '.join(TAGS)}")
