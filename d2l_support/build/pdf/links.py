"""Names and links of pages that have become one document."""

import posixpath
import re
from collections.abc import Collection
from html import escape
from pathlib import Path
from urllib.parse import unquote, urlsplit

from bs4 import BeautifulSoup, Tag

SOURCE = re.compile(r"https?://[^\s,\"]*[^\s,.\"]|arXiv:(?P<number>\d{4}\.\d{4,5})")
NAMING = ("aria-labelledby", "aria-describedby")
REFERENCE = re.compile(r"url\(\s*['\"]?#([^)'\"]+)['\"]?\s*\)")


def name_place(page: str, place: str = "") -> str:
    """The name in the document of a place on a page; of the page without one."""
    name = re.sub(r"[^A-Za-z0-9_-]+", "-", page)
    return f"{name}--{place}" if place else name


def name_places(article: Tag, page: str) -> None:
    """Makes the names on a page differ from all other pages'; changes the page."""
    for element in article.find_all(id=True):
        element["id"] = name_place(page, element["id"])
    for element in article.find_all(True):
        for key, value in element.attrs.items():
            if key in NAMING:
                element[key] = " ".join(name_place(page, v) for v in value.split())
            elif isinstance(value, str) and "url(" in value:
                element[key] = REFERENCE.sub(
                    lambda found: f"url(#{name_place(page, found[1])})", value
                )
    article["id"] = name_place(page)


def point_links(article: Tag, page: str, pages: Collection[str]) -> None:
    """Points links between pages into the document; changes the page.

    A link to a page that is not printed becomes plain words.

    Args:
        article: A page's, with its names made different.
        page: The page's name.
        pages: The names of all pages in the document.
    """
    for link in article.find_all("a", href=True):
        address = urlsplit(link["href"])
        if address.scheme or address.netloc:
            continue
        target = _find_page(page, address.path)
        if target in pages:
            link["href"] = f"#{name_place(target, unquote(address.fragment))}"
        else:
            link.unwrap()


def link_sources(article: Tag) -> None:
    """Makes links of the addresses in the bibliography; changes the page."""
    for words in article.select(".citation p"):
        for text in words.find_all(string=SOURCE):
            linked = SOURCE.sub(_link_source, escape(text, quote=False))
            text.replace_with(BeautifulSoup(linked, "html.parser"))


def _link_source(found: re.Match) -> str:
    number = found["number"]
    address = f"https://arxiv.org/abs/{number}" if number else found[0]
    return f'<a href="{address}">{found[0]}</a>'


def _find_page(page: str, path: str) -> str:
    """The page that a relative address leads to."""
    if not path:
        return page
    joined = posixpath.join(posixpath.dirname(page), unquote(path))
    return posixpath.normpath(joined).removesuffix(".html")


def unlink_lost(document: Tag) -> list[str]:
    """Makes links whose place is not in the document lead to its page.

    A step or a paragraph may exist in another framework alone.

    Returns:
        The links that lead nowhere at all.
    """
    places = {element["id"] for element in document.find_all(id=True)}
    lost = []
    for link in document.select("a[href^='#']"):
        place = link["href"].removeprefix("#")
        if place not in places:
            page = place.partition("--")[0]
            link["href"] = f"#{page}"
            if page not in places:
                lost.append(place)
    return lost


def point_images(article: Tag, page: str, html: Path) -> None:
    """Points pictures to the built book's files; changes the page."""
    folder = (html / page).parent
    for image in article.find_all("img", src=True):
        if not urlsplit(image["src"]).scheme:
            path = (folder / unquote(image["src"])).resolve()
            image["src"] = path.as_uri()
