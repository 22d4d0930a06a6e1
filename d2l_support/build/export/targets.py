"""What the prose of a section points at: pages, numbered figures, sources.

Read once from the checkout; the prose is then made plain without a look at
any file.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

import yaml

from d2l_support.build.blocks import walk_blocks
from d2l_support.build.export.citations import Source, read_sources
from d2l_support.build.layout import Book
from d2l_support.build.problems import CannotWork

NUMBERED = {"{drawing}": "Figure", "{list-table}": "Table"}


@dataclass(frozen=True)
class Numbered:
    """A figure or table of the book.

    Attributes:
        name: Such as ``Figure 3``, with the book's own number.
        page: The page it is on, such as ``chapters/inspection/hooks``.
    """

    name: str
    page: str


@dataclass(frozen=True)
class Targets:
    """Whatever the book's prose refers to.

    Attributes:
        address: Where the book is published, without a slash at the end; the
            empty text if it is not.
        titles: The title of each page.
        numbered: Figures and tables by their label.
        sources: The cited literature by its key.
        pictures: The stills of drawn figures as PNG, by the name of the file.
    """

    address: str = ""
    titles: dict[str, str] = field(default_factory=dict)
    numbered: dict[str, Numbered] = field(default_factory=dict)
    sources: dict[str, Source] = field(default_factory=dict)
    pictures: dict[str, bytes] = field(default_factory=dict)

    def link(self, page: str, text: str, framework: str = "", label: str = "") -> str:
        """A link to a page of the published book, or the words alone.

        Args:
            page: Such as ``chapters/inspection/hooks``.
            text: The words, in Markdown.
            framework: The choice with which the page opens.
            label: The place on the page.
        """
        if not self.address:
            return text
        choice = f"?framework={framework}" if framework else ""
        place = f"#{label}" if label else ""
        return f"[{text}]({self.address}/{page}.html{choice}{place})"


def read_targets(book: Book) -> Targets:
    """The targets of a checkout.

    Raises:
        CannotWork: The configuration or the contents cannot be read.
    """
    pages = list(list_pages(_read_yaml(book, "_toc.yml")))
    texts = {page: _read_page(book.root / f"{page}.md") for page in pages}
    stills = sorted((book.root / "figures" / "stills").glob("*.png"))
    return Targets(
        read_address(book),
        {page: find_title(text) for page, text in texts.items()},
        number_figures(texts),
        read_sources(book.root / "references.bib"),
        {path.stem: path.read_bytes() for path in stills},
    )


def read_address(book: Book) -> str:
    """Where the book is published (``html.baseurl``), or the empty text."""
    html = _read_yaml(book, "_config.yml").get("html") or {}
    return str(html.get("baseurl") or "").rstrip("/")


def list_pages(contents: Any) -> Iterator[str]:
    """The pages that a table of contents names, in its order."""
    if isinstance(contents, list):
        for entry in contents:
            yield from list_pages(entry)
    elif isinstance(contents, dict):
        for key, value in contents.items():
            if key in ("root", "file"):
                yield str(PurePosixPath(value).with_suffix(""))
            else:
                yield from list_pages(value)


def find_title(text: str) -> str:
    """The first heading of a page, or the empty text."""
    body = text.split("\n---\n", 1)[1] if text.startswith("---\n") else text
    lines = (line for line in body.splitlines() if line.startswith("# "))
    return next(lines, "").removeprefix("# ").strip()


def number_figures(texts: dict[str, str]) -> dict[str, Numbered]:
    """The labelled figures and tables with the numbers that the book gives.

    Args:
        texts: The pages' sources, in the order of the book.
    """
    counts = dict.fromkeys(NUMBERED.values(), 0)
    numbered = {}
    for page, text in texts.items():
        if not any(directive in text for directive in NUMBERED):
            continue
        for token, _ in walk_blocks(text):
            kind = NUMBERED.get(token.info.partition(" ")[0])
            if kind is None:
                continue
            counts[kind] += 1
            if label := find_option(token.content, "name"):
                numbered[label] = Numbered(f"{kind} {counts[kind]}", page)
    return numbered


def find_option(content: str, name: str) -> str:
    """The value of an option at the head of a directive, or the empty text."""
    for line in content.splitlines():
        if not line.startswith(":"):
            break
        if line.startswith(f":{name}:"):
            return line.removeprefix(f":{name}:").strip()
    return ""


def _read_page(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise CannotWork(
            f"{path.name}: found no readable page ({error}), "
            "expected one that _toc.yml names"
        ) from error


def _read_yaml(book: Book, name: str) -> dict:
    try:
        return yaml.safe_load((book.root / name).read_text(encoding="utf-8")) or {}
    except (OSError, yaml.YAMLError) as error:
        raise CannotWork(f"{name}: found no readable YAML ({error})") from error
