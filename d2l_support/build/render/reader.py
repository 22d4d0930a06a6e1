"""Reads a page for MyST-NB, with the outputs that its records still hold.

MyST-NB calls a custom reader with the text alone. Sphinx emits ``source-read``
for a page just before it is parsed, so the page is remembered from there.
"""

import json
from contextvars import ContextVar
from pathlib import Path

import nbformat
from nbformat import NotebookNode, v4
from sphinx.application import Sphinx
from sphinx.util import logging

from d2l_support.build.check import check_section
from d2l_support.build.compare import default_rule
from d2l_support.build.frameworks import ALL_KEYS
from d2l_support.build.layout import Book, SectionName
from d2l_support.build.problems import ContentError, Problem
from d2l_support.build.section import Cell, Section
from d2l_support.build.source import read_notebook, read_section
from d2l_support.build.stale import attach_record

LOGGER = logging.getLogger(__name__)
PAGE: ContextVar[tuple[Sphinx, str]] = ContextVar("PAGE")
LEXER = {"name": "python", "pygments_lexer": "ipython3"}

Outputs = dict[tuple[str, str], NotebookNode]


def remember_page(app: Sphinx, docname: str, source: list[str]) -> None:
    """Keeps which page is read next (a handler of ``source-read``)."""
    PAGE.set((app, docname))


def read_page(text: str) -> NotebookNode:
    """The notebook of a page, as MyST-NB renders it.

    Problems of a section become Sphinx warnings at their place, and a cell
    whose output does not hold shows none.
    """
    app, docname = PAGE.get()
    book = Book(Path(app.srcdir))
    path = Path(app.env.doc2path(docname))
    name = SectionName(path.parent.name, path.stem)
    if name not in book.sections() or path != book.source(name):
        return read_notebook(text, book.relative(path))
    try:
        section = read_section(text, book.relative(path))
    except ContentError as error:
        _warn(error.problems, docname)
        return v4.new_notebook(cells=[v4.new_markdown_cell(f"# {name.name}")])
    _warn(check_section(section), docname)
    return page_notebook(section, _attach(app, book, name, section, docname))


def _attach(app, book: Book, name: SectionName, section: Section, docname) -> Outputs:
    """Recorded cells by step and framework; Sphinx learns what they rest on."""
    outputs: Outputs = {}
    helpers = (book.root / "d2l_support").glob("*.py")
    requirements = [book.requirements(framework) for framework in ALL_KEYS]
    records = [book.record(name, framework) for framework in ALL_KEYS]
    for path in (*helpers, *requirements, *records):
        app.env.note_dependency(str(path))
    for framework in ALL_KEYS:
        attached = attach_record(book, name, section, framework)
        _warn(attached.problems, docname)
        for step, cell in attached.cells.items():
            outputs[step, framework] = cell
    return outputs


def _warn(problems, docname: str) -> None:
    for problem in problems:
        LOGGER.warning(
            "%s [book.%s]", problem, problem.code, location=_place(problem, docname)
        )


def _place(problem: Problem, docname: str):
    return (docname, problem.line) if problem.line else docname


def page_notebook(section: Section, outputs: Outputs) -> NotebookNode:
    """A section as one notebook: every variant a cell, with its output.

    Args:
        section: The section.
        outputs: Recorded cells by step and framework; what is not in there
            shows no output.
    """
    notebook = v4.new_notebook(metadata=nbformat.from_dict(dict(section.metadata)))
    notebook.metadata["language_info"] = LEXER
    lines = []
    for cell in section.cells:
        if cell.kind == "code":
            nodes = [_code_node(cell, key, outputs) for key in cell.frameworks]
            start = cell.line
        else:
            nodes, start = [_prose_node(cell)], cell.line - 1
        notebook.cells += nodes
        lines += [start] * len(nodes)
    notebook.metadata["source_map"] = lines
    return notebook


def _code_node(cell: Cell, framework: str, outputs: Outputs) -> NotebookNode:
    recorded = outputs.get((cell.step, framework))
    metadata = {"step": cell.step, "framework": framework}
    if recorded is not None and recorded.outputs:
        metadata["rule"] = str(cell.rule or default_rule(recorded.outputs))
    if cell.depth:
        metadata["depth"] = cell.depth
    node = v4.new_code_cell(cell.source, id=f"{cell.step}-{framework}"[:64])
    node.metadata = nbformat.from_dict(
        {"book": metadata, "tags": cell.options.get("tags", [])}
    )
    if alt := cell.options.get("alt"):
        node.metadata["mystnb"] = {"image": {"alt": alt}}
    if recorded is not None:
        node.outputs = recorded.outputs
        node.execution_count = recorded.execution_count
    return node


def _prose_node(cell: Cell) -> NotebookNode:
    if not cell.is_variant:
        return v4.new_markdown_cell(cell.source)
    # The opening fence takes the line of the mark, so line numbers hold.
    fence = ":" * 12
    marks = {}
    if "framework" in cell.options:
        marks["frameworks"] = cell.frameworks
    if cell.depth:
        marks["depth"] = cell.depth
    if cell.step:
        marks["step"] = cell.step
    opening = f"{fence}{{marked-prose}} {json.dumps(marks)}"
    return v4.new_markdown_cell(f"{opening}\n{cell.source}\n{fence}")
