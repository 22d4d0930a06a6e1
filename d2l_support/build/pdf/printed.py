"""What stands in a printed book, as it is read back from the file."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pikepdf
import pypdfium2

FILES = ("/FontFile", "/FontFile2", "/FontFile3")
"""Where a font's own data may be."""


@dataclass(frozen=True)
class Printed:
    """A printed book.

    Attributes:
        texts: The text of each page, its header and footer among it.
        drawn: Whether a picture is on each page.
        places: The page of every place that a link leads to, counted from 1.
        links: Where links lead: ``#place`` or an address.
        fonts: Each font's name, and whether its data is in the file.
        title: In its metadata.
        bookmarks: The titles in its outline.
    """

    texts: tuple[str, ...]
    drawn: tuple[bool, ...]
    places: dict[str, int]
    links: frozenset[str]
    fonts: dict[str, bool]
    title: str
    bookmarks: tuple[str, ...]


def read_printed(path: Path) -> Printed:
    """Reads a printed book back."""
    texts = _read_texts(path)
    with pikepdf.open(path) as pdf, pdf.open_outline() as outline:
        return Printed(
            texts,
            tuple(bool(page.obj.Resources.get("/XObject")) for page in pdf.pages),
            _list_places(pdf),
            frozenset(_list_links(pdf)),
            _list_fonts(pdf),
            str(pdf.docinfo.get("/Title", "")),
            tuple(_list_bookmarks(outline.root)),
        )


def read_places(path: Path) -> dict[str, int]:
    """The page of every place that a link leads to, counted from 1."""
    with pikepdf.open(path) as pdf:
        return _list_places(pdf)


def _list_places(pdf: pikepdf.Pdf) -> dict[str, int]:
    numbers = {page.obj.objgen: number for number, page in enumerate(pdf.pages, 1)}
    return {
        name.removeprefix("/"): numbers[place[0].objgen]
        for name, place in pdf.Root.get("/Dests", {}).items()
    }


def _read_texts(path: Path) -> tuple[str, ...]:
    # PDFium reads the text of a page in milliseconds.
    with pypdfium2.PdfDocument(path) as document:
        texts = [page.get_textpage().get_text_range() for page in document]
    return tuple(t.replace("\r\n", "\n").replace("\ufffe", "-") for t in texts)


def _list_links(pdf: pikepdf.Pdf) -> Iterator[str]:
    for page in pdf.pages:
        for entry in page.obj.get("/Annots", ()):
            if entry.get("/Subtype") == "/Link":
                yield _read_link(entry)


def _read_link(entry: pikepdf.Object) -> str:
    action = entry.get("/A", {})
    place = entry.get("/Dest", action.get("/D"))
    if place is not None:
        return f"#{str(place).removeprefix('/')}"
    return str(action.get("/URI", ""))


def _list_fonts(pdf: pikepdf.Pdf) -> dict[str, bool]:
    fonts: dict[str, bool] = {}
    for page in pdf.pages:
        for _, font in page.obj.Resources.get("/Font", {}).items():
            name = str(font.get("/BaseFont", font.Subtype)).removeprefix("/")
            fonts[name] = fonts.get(name, True) and _is_embedded(font)
    return fonts


def _is_embedded(font: pikepdf.Object) -> bool:
    if font.Subtype == "/Type3":  # drawn in the file itself
        return True
    inner = font.get("/DescendantFonts", [font])[0]
    descriptor = inner.get("/FontDescriptor", {})
    return any(name in descriptor for name in FILES)


def _list_bookmarks(items: Iterable[pikepdf.OutlineItem]) -> Iterator[str]:
    for item in items:
        yield item.title
        yield from _list_bookmarks(item.children)
