"""What stands in a printed book, as it is read back from the file."""

from dataclasses import dataclass
from pathlib import Path

import pypdfium2
from pypdf import PdfReader
from pypdf.generic import DictionaryObject

FILES = ("/FontFile", "/FontFile2", "/FontFile3")
"""Where a font's own data may be."""


@dataclass(frozen=True)
class Printed:
    """A printed book.

    Attributes:
        texts: The text of each page, its header and footer among it.
        drawn: Whether anything but text is on each page.
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
    reader = PdfReader(path)
    texts, drawn = _read_pages(path)
    return Printed(
        texts,
        drawn,
        read_places(reader),
        frozenset(_list_links(reader)),
        _list_fonts(reader),
        reader.metadata.title or "",
        tuple(_list_bookmarks(reader.outline)),
    )


def read_places(reader: PdfReader) -> dict[str, int]:
    """The page of every place that a link leads to, counted from 1."""
    pages = {page.indirect_reference.idnum: n for n, page in enumerate(reader.pages, 1)}
    return {
        name.removeprefix("/"): pages[place.page.idnum]
        for name, place in reader.named_destinations.items()
    }


def _read_pages(path: Path) -> tuple[tuple[str, ...], tuple[bool, ...]]:
    # PDFium reads the text of a page in milliseconds.
    texts, drawn = [], []
    with pypdfium2.PdfDocument(path) as document:
        for page in document:
            text = page.get_textpage().get_text_range()
            texts.append(text.replace("\r\n", "\n").replace("\ufffe", "-"))
            kinds = {each.type for each in page.get_objects(max_depth=3)}
            drawn.append(pypdfium2.raw.FPDF_PAGEOBJ_IMAGE in kinds)
    return tuple(texts), tuple(drawn)


def _list_links(reader: PdfReader) -> list[str]:
    links = []
    for page in reader.pages:
        for annotation in page.get("/Annots", ()):
            entry = annotation.get_object()
            if entry.get("/Subtype") == "/Link":
                links.append(_read_link(entry))
    return links


def _read_link(entry: DictionaryObject) -> str:
    if place := entry.get("/Dest"):
        return f"#{str(place).removeprefix('/')}"
    action = entry["/A"].get_object()
    if place := action.get("/D"):
        return f"#{str(place).removeprefix('/')}"
    return str(action.get("/URI", ""))


def _list_fonts(reader: PdfReader) -> dict[str, bool]:
    fonts: dict[str, bool] = {}
    for page in reader.pages:
        for font in page["/Resources"].get("/Font", {}).values():
            entry = font.get_object()
            name = str(entry.get("/BaseFont", entry["/Subtype"]))
            fonts[name] = fonts.get(name, True) and _is_embedded(entry)
    return fonts


def _is_embedded(font: DictionaryObject) -> bool:
    if font["/Subtype"] == "/Type3":  # drawn in the file itself
        return True
    inner = font.get("/DescendantFonts", [font])[0].get_object()
    descriptor = inner.get("/FontDescriptor")
    return descriptor is not None and any(f in descriptor.get_object() for f in FILES)


def _list_bookmarks(outline: list) -> list[str]:
    titles = []
    for entry in outline:
        titles += (
            _list_bookmarks(entry) if isinstance(entry, list) else [entry["/Title"]]
        )
    return titles
