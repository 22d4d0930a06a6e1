"""Prints one edition: once to learn the page numbers, once with them."""

import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from d2l_support.atomic import write_atomically
from d2l_support.build.pdf.browser import Printer
from d2l_support.build.pdf.document import Entry, collect_entries, make_document
from d2l_support.build.pdf.edition import Edition
from d2l_support.build.pdf.faults import find_faults
from d2l_support.build.pdf.finish import finish_print
from d2l_support.build.pdf.pages import Page
from d2l_support.build.pdf.printed import Printed, read_places, read_printed
from d2l_support.build.problems import Problem

COLOURS = Path("_static") / "pygments.css"
DARK = 'html[data-theme="dark"]'


@dataclass(frozen=True)
class Edited:
    """What became of an edition.

    Attributes:
        path: The file.
        printed: What is in it.
        problems: What is wrong with it.
        size: Bytes.
    """

    path: Path
    printed: Printed
    problems: tuple[Problem, ...]
    size: int


def print_edition(
    printer: Printer,
    edition: Edition,
    html: Path,
    pages: Iterable[Page],
    path: Path,
    report: Callable[[str], None] = lambda line: None,
) -> Edited:
    """Prints an edition into a file, which is written whole or not at all.

    Args:
        printer: A running browser.
        edition: What is printed.
        html: The folder of the built book.
        pages: Its pages, in order.
        path: The file.
        report: Told what is being done.

    Raises:
        CannotWork: A page is not built.
    """
    report("reads the pages")
    entries = collect_entries(html, pages, edition)
    colours = read_colours(html)
    with tempfile.TemporaryDirectory(prefix="d2l-pdf-") as folder:
        draft, first, second, whole = (
            Path(folder) / name for name in ("a.html", "a.pdf", "b.pdf", "whole.pdf")
        )
        report("prints, to learn the page numbers")
        text = make_document(edition, entries, {}, printer.name, colours)
        draft.write_text(text, encoding="utf-8")
        printer.print(draft, first)
        numbers = number_entries(entries, first)
        report("prints, with the page numbers")
        text = make_document(edition, entries, numbers, printer.name, colours)
        draft.write_text(text, encoding="utf-8")
        wide = printer.print(draft, second)
        report("looks through the print")
        titles = [title for entry in entries for title in entry.headings]
        finish_print(second, edition, printer.name, whole, titles)
        printed, data = read_printed(whole), whole.read_bytes()
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, data)
    problems = find_faults(printed, entries, numbers, wide)
    return Edited(path, printed, tuple(problems), len(data))


def number_entries(entries: Iterable[Entry], pdf: Path) -> dict[str, int]:
    """The page of each line of the contents, counted from 1."""
    places = read_places(pdf)
    return {entry.place: places[entry.place] for entry in entries}


def read_colours(html: Path) -> str:
    """The style sheet of code in a built book, for light pages."""
    lines = (html / COLOURS).read_text(encoding="utf-8").splitlines()
    return "\n".join(line for line in lines if not line.startswith(DARK))
