"""Holds what a live cell printed against the page's record, by the cell's rule."""

import copy
from dataclasses import dataclass
from typing import Any

import nbformat
from nbformat import NotebookNode, v4
from nbformat.v4.rwbase import rejoin_lines

from d2l_support.build.compare import Difference, compare_outputs
from d2l_support.build.diff import rule_of
from d2l_support.build.frameworks import FRAMEWORKS
from d2l_support.build.layout import Book, SectionName
from d2l_support.build.normalise import normalise_outputs
from d2l_support.build.problems import BookError
from d2l_support.build.record import load_record
from d2l_support.build.widgets import STATE, VIEW


@dataclass(frozen=True)
class Comparison:
    """Whether a live output agrees with the record.

    Attributes:
        agrees: Whether the rule allows it; False where nothing is recorded.
        rule: The rule in words, such as ``within 1e-05``; "" if unrecorded.
        detail: What differs, or why there is nothing to compare with.
        recorded: Whether the record has this cell.
    """

    agrees: bool
    rule: str
    detail: str
    recorded: bool


def compare_with_record(
    book: Book, page: str, framework: str, step: str, outputs: list[dict[str, Any]]
) -> Comparison:
    """Compares the outputs of a cell that was just run.

    Args:
        book: The checkout.
        page: The page's document name.
        framework: The framework key.
        step: The cell's id.
        outputs: Its outputs, as nbformat has them.

    Raises:
        ValueError: The outputs are no valid ones, or a name is unknown.
    """
    fresh = normalise_outputs(_parse_outputs(outputs), book.root)
    section = _find_section(book, page)
    if framework not in FRAMEWORKS:
        raise ValueError(f"found framework {framework!r}, expected a key of the book's")
    try:
        record = load_record(book, section, framework)
    except FileNotFoundError:
        return Comparison(False, "", "This page has no record yet.", False)
    except BookError as error:
        return Comparison(False, "", f"The record cannot be used: {error}", False)
    cell = next((cell for cell in record.cells if cell.id == step), None)
    if cell is None:
        return Comparison(False, "", "The record does not have this cell.", False)
    rule = rule_of(cell)
    difference = compare_outputs(
        _leave_out_widgets(cell.outputs), _leave_out_widgets(fresh), rule
    )
    return Comparison(not difference, str(rule), _describe(difference), True)


def _leave_out_widgets(outputs: list[NotebookNode]) -> list[NotebookNode]:
    """Outputs without what only a whole run knows of widgets: ids and states."""
    kept = copy.deepcopy(outputs)
    for output in kept:
        for kind in (VIEW, STATE):
            output.get("data", {}).pop(kind, None)
    return kept


def _find_section(book: Book, page: str) -> SectionName:
    """The section of a page; looked up by name, so no path is made of it."""
    found = [name for name in book.sections() if f"chapters/{name}" == page]
    if not found:
        raise ValueError(f"found page {page!r}, expected a section of the book")
    return found[0]


def _parse_outputs(outputs: list[dict[str, Any]]) -> list[NotebookNode]:
    try:
        cell = v4.new_code_cell(outputs=[nbformat.from_dict(o) for o in outputs])
        notebook = rejoin_lines(v4.new_notebook(cells=[cell]))
        nbformat.validate(notebook, version=4, version_minor=5)
    except (nbformat.ValidationError, AttributeError, KeyError, TypeError) as error:
        reason = str(getattr(error, "message", error)).splitlines()[0]
        raise ValueError(
            f"found invalid outputs ({reason}), expected nbformat's"
        ) from error
    return notebook.cells[0].outputs


def _describe(difference: Difference | None) -> str:
    if difference is None:
        return ""
    return (
        f"{difference.place}: {difference.detail}: recorded "
        f"{_shorten(difference.recorded)}, now {_shorten(difference.fresh)}."
    )


def _shorten(text: str, limit: int = 80) -> str:
    text = text.strip()
    return text if len(text) <= limit else f"{text[: limit - 1]}…"
