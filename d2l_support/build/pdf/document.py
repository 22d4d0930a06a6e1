"""Puts the pages of one edition into one HTML document, to be printed."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from bs4 import BeautifulSoup, Tag
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from d2l_support.build.pdf.edition import Edition
from d2l_support.build.pdf.frames import unroll_steppers
from d2l_support.build.pdf.links import (
    link_sources,
    name_place,
    name_places,
    point_images,
    point_links,
    unlink_lost,
)
from d2l_support.build.pdf.pages import Page, read_page
from d2l_support.build.pdf.paper import keep_short_whole, lower_headings, put_on_paper
from d2l_support.build.pdf.variant import choose_variants

HEADINGS = ("h2", "h3", "h4", "h5", "h6")
STATIC = Path(__file__).parent / "static"


@dataclass(frozen=True)
class Entry:
    """A line of the contents, and the page that it leads to.

    Attributes:
        place: The name of its title in the document.
        title: In plain words.
        level: 1 for a chapter, 2 for what stands under one.
        part: The part that begins with it, or nothing.
        headings: All its headings in plain words, the title among them.
        body: The page's HTML.
    """

    place: str
    title: str
    level: int
    part: str
    headings: tuple[str, ...]
    body: Markup


def collect_entries(html: Path, pages: Iterable[Page], edition: Edition) -> list[Entry]:
    """The pages of an edition, each as it is printed.

    Args:
        html: The folder of the built book.
        pages: What is printed, in order.
        edition: The edition.

    Raises:
        CannotWork: A page is not built.
    """
    pages = list(pages)
    names = {page.name for page in pages}
    articles = [(page, _prepare(html, page, names, edition)) for page in pages]
    whole = BeautifulSoup("", "html.parser")
    whole.extend([article for _, article in articles])
    unlink_lost(whole)
    return [_enter(page, article) for page, article in articles]


def _prepare(html: Path, page: Page, names: set[str], edition: Edition) -> Tag:
    article, states = read_page(html, page.name)
    choose_variants(article, edition.framework)
    unroll_steppers(article, states)
    put_on_paper(article)
    keep_short_whole(article)
    name_places(article, page.name)
    point_links(article, page.name, names)
    point_images(article, page.name, html)
    link_sources(article)
    title = article.h1
    title["id"] = name_place(page.name)
    lower_headings(article, page.level)
    return article


def _enter(page: Page, article: Tag) -> Entry:
    title = article.find(id=name_place(page.name)).get_text()
    found = article.find_all(HEADINGS)
    headings = tuple(heading.get_text() for heading in found)
    body = Markup(article.decode_contents())  # noqa: S704 - our own built pages
    return Entry(name_place(page.name), title, page.level, page.part, headings, body)


def make_document(
    edition: Edition,
    entries: list[Entry],
    numbers: Mapping[str, int] | None = None,
    printer: str = "",
    colours: str = "",
) -> str:
    """The whole document as HTML: cover, contents and pages.

    Args:
        edition: The edition.
        entries: The pages.
        numbers: On which page each title stands; not yet known for the first print.
        printer: The browser that prints it.
        colours: The style sheet for code.
    """
    loader = FileSystemLoader(STATIC)
    environment = Environment(
        loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    return environment.get_template("book.html").render(
        edition=edition,
        entries=entries,
        numbers=numbers or {},
        printer=printer,
        # Both are style sheets: read from our own files.
        colours=Markup(colours),  # noqa: S704
        style=Markup((STATIC / "book.css").read_text(encoding="utf-8")),  # noqa: S704
    )
