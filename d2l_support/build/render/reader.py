"""Reads a page for MyST-NB, with the outputs that its records still hold.

MyST-NB calls a custom reader with the text alone. Sphinx emits ``source-read``
for a page just before it is parsed, so the page is remembered from there.
"""

import json
from collections.abc import Iterable
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path

import nbformat
from nbformat import NotebookNode, v4
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util import logging

from d2l_support.build.check import check_section
from d2l_support.build.diff import rule_of
from d2l_support.build.exercises.shown import name_answered
from d2l_support.build.frameworks import ALL_KEYS
from d2l_support.build.gpu.beside import describe_beside, read_beside
from d2l_support.build.layout import Book, SectionName
from d2l_support.build.problems import CannotWork, ContentError, Problem
from d2l_support.build.render.dependencies import note_dependencies
from d2l_support.build.render.exercises import arrange_exercises
from d2l_support.build.render.lines import SHIFT, correct_lines
from d2l_support.build.render.verified import note_verified
from d2l_support.build.render.widgets import show_widgets
from d2l_support.build.section import Cell, Section
from d2l_support.build.source import read_notebook, read_section
from d2l_support.build.stale import attach_record
from d2l_support.build.survey.contradiction import find_contradictions
from d2l_support.build.survey.ledger import Ledger, Observation, read_ledger
from d2l_support.build.survey.summary import describe_cell
from d2l_support.build.widgets import gather_states

LOGGER = logging.getLogger(__name__)
PAGE: ContextVar[tuple[Sphinx, str]] = ContextVar("PAGE")
FENCE = ":" * 12
LEXER = {"name": "python", "pygments_lexer": "ipython3"}


@dataclass(frozen=True)
class Shown:
    """What a page shows of one recorded cell.

    Attributes:
        cell: The recorded cell.
        measured: Sentences on what the survey measured about it.
        gpu: Which device printed what else, where one did.
    """

    cell: NotebookNode
    measured: list[str] = field(default_factory=list)
    gpu: dict[str, str] = field(default_factory=dict)


Outputs = dict[tuple[str, str], Shown]
"""By step and framework."""

Seen = dict[str, dict[str, Observation]]
"""What the survey saw, by framework and setting."""


def remember_page(app: Sphinx, docname: str, source: list[str]) -> None:
    """Keeps which page is read next (a handler of ``source-read``)."""
    PAGE.set((app, docname))


def read_page(text: str) -> NotebookNode:
    """The notebook of a page, as MyST-NB renders it.

    Problems of a section become Sphinx warnings at their place, and a cell
    whose output does not hold shows none.

    Raises:
        ExtensionError: A helper or a requirements file cannot be read.
    """
    app, docname = PAGE.get()
    book = Book(Path(app.srcdir))
    path = Path(app.env.doc2path(docname))
    name = SectionName(path.parent.name, path.stem)
    is_section = name in book.sections() and path == book.source(name)
    try:
        if not is_section:
            return correct_lines(read_notebook(text, book.relative(path)), text)
        section = read_section(text, book.relative(path))
    except ContentError as error:
        _warn(error.problems, docname)
        return v4.new_notebook(cells=[v4.new_markdown_cell(f"# {path.stem}")])
    _warn(check_section(section), docname)
    note_dependencies(app.env, book, name, section)
    try:
        outputs, seen = _attach(book, name, section, docname)
    except CannotWork as error:
        raise ExtensionError(str(error), modname="d2l_support.build.render") from error
    note_verified(app.env.metadata[docname], section, seen)
    student = app.config.student_edition
    if student:
        hidden = name_answered(section)
        outputs = {key: shown for key, shown in outputs.items() if key[0] not in hidden}
    return page_notebook(arrange_exercises(section, student), outputs)


def _attach(
    book: Book, name: SectionName, section: Section, docname: str
) -> tuple[Outputs, Seen]:
    """The recorded cells that still hold, and what the survey saw of them."""
    outputs: Outputs = {}
    seen: Seen = {}
    ledger = _read_ledger(book, docname)
    for framework in ALL_KEYS:
        attached = attach_record(book, name, section, framework)
        _warn(attached.problems, docname)
        observations = ledger.find(str(name), framework, attached.mark)
        _warn(find_contradictions(observations, section, framework), docname)
        if section.code_cells(framework):
            seen[framework] = observations
        device, beside = read_beside(book, name, framework)
        for step, cell in attached.cells.items():
            measured = describe_cell(observations, step, rule_of(cell))
            text = describe_beside(cell, beside.get(step))
            gpu = {"device": device, "text": text} if text else {}
            outputs[step, framework] = Shown(cell, measured, gpu)
    return outputs, seen


def _read_ledger(book: Book, docname: str) -> Ledger:
    try:
        return read_ledger(book)
    except ContentError as error:
        _warn(error.problems, docname)
        return Ledger()


def _warn(problems: Iterable[Problem], docname: str) -> None:
    for problem in problems:
        place, text = docname, problem
        if problem.line:  # Sphinx writes the page and the line itself
            place = (docname, problem.line)
            text = problem.at(path=None, line=None)
        LOGGER.warning("%s [book.%s]", text, problem.code, location=place)


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
            start = cell.line - SHIFT
        else:
            opening = _open_prose(cell)
            text = f"{opening}{cell.source}\n{FENCE if opening else ''}".rstrip()
            nodes = [v4.new_markdown_cell(text)]
            # The words keep their lines: the opening stands above them.
            start = cell.text_line - SHIFT - opening.count("\n")
        notebook.cells += nodes
        lines += [start] * len(nodes)
    for number, node in enumerate(notebook.cells):
        node.id = f"cell-{number}"
    notebook.metadata["source_map"] = lines
    return gather_states(notebook)


def _code_node(cell: Cell, framework: str, outputs: Outputs) -> NotebookNode:
    shown = outputs.get((cell.step, framework))
    recorded = shown.cell if shown else None
    metadata = {"step": cell.step, "framework": framework}
    if recorded is not None and recorded.outputs:
        metadata["rule"] = str(rule_of(recorded))
        metadata |= {"measured": shown.measured, "gpu": shown.gpu}
    if cell.depth:
        metadata["depth"] = cell.depth
    node = v4.new_code_cell(cell.source)
    node.metadata = nbformat.from_dict(
        {"book": metadata, "tags": cell.options.get("tags", [])}
    )
    if alt := cell.options.get("alt"):
        node.metadata["mystnb"] = {"image": {"alt": alt}}
    if recorded is not None:
        node.outputs = show_widgets(recorded.outputs, f"{framework}-{cell.step}")
        node.execution_count = recorded.execution_count
    return node


def _open_prose(cell: Cell) -> str:
    if not cell.is_variant:
        return ""
    marks = {}
    if "framework" in cell.options:
        marks["frameworks"] = cell.frameworks
    if cell.depth:
        marks["depth"] = cell.depth
    if cell.step:
        marks["step"] = cell.step
    return f"{FENCE}{{marked-prose}} {json.dumps(marks)}\n"
