"""Looks through a printed book for what a reader must not meet."""

from collections.abc import Iterable, Iterator, Mapping

from d2l_support.build.pdf.document import Entry
from d2l_support.build.pdf.finish import squeeze
from d2l_support.build.pdf.printed import Printed
from d2l_support.build.problems import Problem

OUTSIDE = ("https://", "http://", "mailto:")


def find_faults(
    printed: Printed,
    entries: Iterable[Entry],
    numbers: Mapping[str, int],
    wide: Iterable[str] = (),
) -> list[Problem]:
    """What is wrong with a print; nothing if all is well.

    Args:
        printed: The print.
        entries: The lines of its contents.
        numbers: The page numbers that its contents show.
        wide: What the browser found that does not fit between the margins.
    """
    entries = list(entries)
    return [
        *(
            Problem("wide", f"found {what!r} wider than the page, expected it inside")
            for what in wide
        ),
        *_find_empty(printed, {entry.title for entry in entries}),
        *_find_moved(printed, entries, numbers),
        *_find_lost(printed),
        *(
            Problem("font", f"found font {name} without its data, expected it inside")
            for name, embedded in printed.fonts.items()
            if not embedded
        ),
    ]


def _find_empty(printed: Printed, headers: set[str]) -> Iterator[Problem]:
    for number, text in enumerate(printed.texts, 1):
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        content = [line for line in lines if line not in (*headers, str(number))]
        if not content and not printed.drawn[number - 1]:
            yield Problem("empty", f"found nothing on page {number}, expected content")


def _find_moved(
    printed: Printed, entries: list[Entry], numbers: Mapping[str, int]
) -> Iterator[Problem]:
    for entry in entries:
        told, found = numbers.get(entry.place), printed.places.get(entry.place)
        if told is None or told != found:
            message = f"found {entry.title!r} on page {found}, expected {told}"
            yield Problem("contents", message)
        elif squeeze(entry.title) not in squeeze(printed.texts[told - 1]):
            message = f"found no {entry.title!r} on page {told}, expected its title"
            yield Problem("contents", message)


def _find_lost(printed: Printed) -> Iterator[Problem]:
    for link in sorted(printed.links):
        inside = link.startswith("#")
        lost = link[1:] not in printed.places if inside else ":" not in link
        if lost or not (inside or link.startswith(OUTSIDE)):
            message = f"found a link to {link!r}, expected a place or an address"
            yield Problem("link", message)
