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

import yaml
from myst_nb.core.read import read_myst_markdown_notebook
from nbformat import NotebookNode

from d2l_support.build import rules
from d2l_support.build.frameworks import parse_mark
from d2l_support.build.problems import ContentError, Problem
from d2l_support.build.section import DEPTHS, Cell, Section

STEP_ID = re.compile(r"[a-z][a-z0-9-]{0,63}")
CODE_OPTIONS = {"framework", "id", "tags", "depth", "alt", *rules.OPTIONS}
MARKDOWN_MARKS = {"framework", "id", "depth"}


def read_notebook(text: str, path: Path) -> NotebookNode:
    """The notebook that MyST-NB's reader finds in a text.

    Raises:
        ContentError: The front matter or a cell's options cannot be read.
    """
    try:
        return read_myst_markdown_notebook(text, add_source_map=True, path=path)
    except (MemoryError, RecursionError):
        raise
    # The reader raises its own private types, yaml's and AttributeError.
    except Exception as error:
        detail = re.sub(r"\s+", " ", str(error))
        line = re.search(r"at line (\d+)", detail)
        problem = Problem(
            "malformed",
            f"found front matter or cell options that cannot be read ({detail}), "
            "expected YAML between --- lines, `:name: value` lines in a code cell "
            'and JSON after +++, such as +++ {"framework": "jax"}',
            path,
            int(line[1]) if line else _yaml_line(error),
        )
        raise ContentError([problem]) from error


def _yaml_line(error: Exception) -> int:
    cause = error.__context__ if isinstance(error.__context__, yaml.YAMLError) else None
    mark = getattr(cause, "problem_mark", None)
    return mark.line + 2 if mark else 1


def read_section(text: str, path: Path) -> Section:
    """A section's source as a value.

    Args:
        text: The source.
        path: Its file, relative to the book, for messages.

    Raises:
        ContentError: Some marks cannot be understood; all are listed.
    """
    notebook = read_notebook(text, path)
    metadata = dict(notebook.metadata)
    starts = metadata.pop("source_map")
    cells: list[Cell] = []
    problems: list[Problem] = []
    if metadata.get("file_format") != "mystnb":
        problems.append(
            Problem(
                "malformed",
                "found no `file_format: mystnb` in the front matter, "
                "expected one: without it Jupyter sees no notebook",
                path,
                1,
            )
        )
    for node, start in zip(notebook.cells, starts, strict=True):
        line = start if node.cell_type == "code" or node.metadata else start + 1
        try:
            cells.append(_read_cell(node, line))
        except ValueError as error:
            step = node.metadata.get("id")
            where = {"path": path, "line": line, "cell": str(step) if step else None}
            problems.append(Problem("mark", str(error), **where))
    if problems:
        raise ContentError(problems)
    return Section(path, tuple(cells), metadata)


def _read_cell(node: NotebookNode, line: int) -> Cell:
    options: dict[str, Any] = dict(node.metadata)
    known = CODE_OPTIONS if node.cell_type == "code" else MARKDOWN_MARKS
    if node.cell_type == "raw":
        raise ValueError("found a raw cell, expected code-cell or prose")
    if unknown := sorted(options.keys() - known):
        raise ValueError(
            f"found option {', '.join(unknown)}, expected {', '.join(sorted(known))}"
        )
    step = options.get("id")
    if step is not None and not STEP_ID.fullmatch(str(step)):
        raise ValueError(f"found id {step!r}, expected small letters, digits, hyphens")
    if step is None and node.cell_type == "code":
        raise ValueError("found a code cell without :id:, expected one")
    if step is not None and node.cell_type == "markdown" and "framework" not in options:
        raise ValueError("found prose with an id but no framework, expected both")
    if options.get("depth", DEPTHS[1]) not in DEPTHS:
        raise ValueError(
            f"found depth {options['depth']!r}, expected one of {', '.join(DEPTHS)}"
        )
    return Cell(
        node.cell_type,
        node.source,
        line,
        parse_mark(options.get("framework")),
        step,
        rules.parse_rule(options),
        options,
    )
