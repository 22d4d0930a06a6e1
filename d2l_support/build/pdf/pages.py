"""The pages of the built book, in the order in which they are printed."""

import json
import re
from dataclasses import dataclass
from pathlib import Path

from bs4 import BeautifulSoup, Tag
from sphinx_external_toc.parsing import parse_toc_yaml

from d2l_support.build.layout import Book
from d2l_support.build.problems import CannotWork
from d2l_support.build.widgets import STATE, States

STATES = re.compile(rf'<script type="{re.escape(STATE)}">(.*?)</script>', re.DOTALL)
START, END = "<article", "</article>"

SOLUTION = 'sd-card solution"'
"""How a page begins what it folds as a worked solution."""


@dataclass(frozen=True)
class Page:
    """One page of the book.

    Attributes:
        name: Its path in the book without an ending, such as ``chapters/part/seeds``.
        level: 1 for a chapter or a page of its own, 2 for what stands under one.
        part: The part that begins with it, or nothing.
    """

    name: str
    level: int = 1
    part: str = ""


def list_pages(book: Book) -> list[Page]:
    """The pages as the table of contents lists them, the landing page first."""
    site = parse_toc_yaml(book.root / "_toc.yml", encoding="utf-8")
    pages = [Page(site.root.docname)]
    for tree in site.root.subtrees:
        part = tree.caption or ""
        for name in tree.files():
            pages.append(Page(name, 1, part))
            part = ""
            pages += [
                Page(below, 2)
                for under in site[name].subtrees
                for below in under.files()
            ]
    return pages


def check_edition(html: Path, pages: list[Page], solutions: bool) -> None:
    """Makes sure that a built book has solutions, or that it has none.

    Args:
        html: The folder of the built book.
        pages: Its pages.
        solutions: Whether there should be worked solutions in it.

    Raises:
        CannotWork: It is not built, or it is the other edition.
    """
    files = [html / f"{page.name}.html" for page in pages]
    if not files[0].is_file():
        found = f"found no built book in {html}"
    elif any(SOLUTION in path.read_text(encoding="utf-8") for path in files):
        found = f"found worked solutions in {html}" if not solutions else ""
    else:
        found = f"found no worked solution in {html}" if solutions else ""
    if found:
        expected = "the book" if solutions else "the students' edition"
        run = "make book" if solutions else "make book STUDENT=1"
        raise CannotWork(f"{found}, expected {expected}. Run: {run}")


def read_page(html: Path, name: str) -> tuple[Tag, States]:
    """The article of a built page, and the states of its widgets.

    Args:
        html: The folder of the built book.
        name: The page's.

    Raises:
        CannotWork: The page is not there, or has no article.
    """
    path = html / f"{name}.html"
    try:
        text = path.read_text(encoding="utf-8")
        article = text[text.index(START) : text.rindex(END) + len(END)]
    except (OSError, ValueError) as error:
        raise CannotWork(
            f"{path}: found no built page ({error}), expected the book's. Run: make pdf"
        ) from error
    found = STATES.search(text)
    states = json.loads(found[1])["state"] if found else {}
    # Not lxml, which is not there. Chromium mends the names of SVG that
    # this parser writes small.
    return BeautifulSoup(article, "html.parser").article, states
