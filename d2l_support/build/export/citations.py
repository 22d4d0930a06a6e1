"""The cited literature, in author-year form and as a list."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from pybtex.backends.markdown import Backend as MarkdownBackend
from pybtex.backends.plaintext import Backend as PlainBackend
from pybtex.database import Entry, parse_file
from pybtex.exceptions import PybtexError
from pybtex.plugin import find_plugin
from pybtex.richtext import Text

from d2l_support.build.problems import CannotWork

PLAIN = PlainBackend()
CITED = re.compile(r"\{cite\}`([^`]+)`")


@dataclass(frozen=True)
class Source:
    """One cited work.

    Attributes:
        short: Authors and year, such as ``Bengio and Simard, 1994``.
        full: The whole reference in Markdown.
    """

    short: str
    full: str


def read_sources(path: Path) -> dict[str, Source]:
    """The works of a BibTeX file, by key.

    Raises:
        CannotWork: It cannot be read.
    """
    try:
        data = parse_file(str(path), bib_format="bibtex")
    except (OSError, PybtexError) as error:
        raise CannotWork(f"{path.name}: found no readable BibTeX ({error})") from error
    style = find_plugin("pybtex.style.formatting", "plain")()
    backend = MarkdownBackend()
    formatted = style.format_entries(data.entries.values(), bib_data=data)
    return {
        entry.key: Source(
            describe_authors(data.entries[entry.key]),
            " ".join(entry.text.render(backend).split()),
        )
        for entry in formatted
    }


def describe_authors(entry: Entry) -> str:
    """Authors and year of a work: one name, two, or the first with "et al."."""
    people = [
        " ".join(part.render(PLAIN) for part in map(Text.from_latex, names))
        for person in entry.persons.get("author", entry.persons.get("editor", []))
        if (names := [*person.prelast_names, *person.last_names])
    ]
    year = entry.fields.get("year", "")
    if not people:
        return ", ".join(part for part in (entry.key, year) if part)
    shown = f"{people[0]} et al." if len(people) > 2 else " and ".join(people)
    return f"{shown}, {year}" if year else shown


def list_citations(texts: Iterable[str]) -> list[str]:
    """The keys that texts cite, each once, in the order of their first place."""
    found = (
        key
        for text in texts
        for role in CITED.findall(text)
        for key in split_keys(role)
    )
    return list(dict.fromkeys(found))


def split_keys(role: str) -> list[str]:
    """The keys of one ``{cite}`` role."""
    return [key.strip() for key in role.split(",")]
