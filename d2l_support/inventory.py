"""An inventory of random streams, as a table in plain text and in HTML."""

import html
import textwrap
from dataclasses import dataclass

from d2l_support.streams import Stream

WIDTH = 78
GAP = "  "
HEADER = ("stream", "seeded", "since then", "reached by set_seed")
SINCE = {True: "has moved", False: "at its start", None: "not known"}


@dataclass(frozen=True, repr=False)
class Inventory:
    """The random streams of a process at one moment.

    Printing it gives a table of at most 78 columns; as the last value of a
    notebook cell it is an HTML table.

    Attributes:
        framework: The framework's key, for example "jax".
        streams: The rows, global streams first.
    """

    framework: str
    streams: tuple[Stream, ...]

    def __str__(self) -> str:
        rows = [HEADER, *map(describe_row, self.streams)]
        widths = measure_columns(rows)
        rows.insert(1, tuple("-" * width for width in widths))
        lines = [
            self._title(),
            "",
            *(align_row(row, widths) for row in rows),
            "",
        ]
        for note in collect_notes(self.streams):
            lines += textwrap.wrap(note, WIDTH, subsequent_indent="  ")
        return "\n".join(lines).rstrip()

    __repr__ = __str__

    def _repr_html_(self) -> str:
        head = "".join(f'<th scope="col">{word}</th>' for word in HEADER)
        rows = "".join(format_html_row(stream) for stream in self.streams)
        notes = collect_notes(self.streams)
        return (
            f"<table><caption>{html.escape(self._title())}</caption>"
            f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
            + "".join(f"<p>{html.escape(note)}</p>" for note in notes)
        )

    def _title(self) -> str:
        return f"Random streams of this process ({self.framework})"


def describe_row(stream: Stream) -> tuple[str, ...]:
    """A stream in words, in the order of `HEADER`; "-" where none apply."""
    reached = "yes" if stream.reached else "no"
    if stream.seeded_by is not None:
        seeded, since = f"with {stream.seeded_by}", SINCE[stream.moved]
    else:
        seeded = "no" if stream.reached else "-"
        since = "-" if stream.moved is None else SINCE[stream.moved]
    return stream.name, seeded, since, reached


def measure_columns(rows: list[tuple[str, ...]]) -> list[int]:
    """The width of each column; the first one gives way to fit the page."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    rest = sum(widths[1:]) + len(GAP) * (len(widths) - 1)
    return [min(widths[0], WIDTH - rest), *widths[1:]]


def align_row(row: tuple[str, ...], widths: list[int]) -> str:
    """The row as one line; a name that is too long is cut."""
    name, *rest = row
    if len(name) > widths[0]:
        name = name[: widths[0] - 3] + "..."
    cells = zip((name, *rest), widths, strict=True)
    return GAP.join(cell.ljust(width) for cell, width in cells).rstrip()


def collect_notes(streams: tuple[Stream, ...]) -> list[str]:
    """Each note once, after the names of the streams that it is about."""
    names: dict[str, list[str]] = {}
    for stream in streams:
        if stream.note:
            names.setdefault(stream.note, []).append(stream.name)
    return [f"{', '.join(who)}: {note}" for note, who in names.items()]


def format_html_row(stream: Stream) -> str:
    """One row of the HTML table; the stream's name heads it."""
    name, *rest = map(html.escape, describe_row(stream))
    cells = "".join(f"<td>{cell}</td>" for cell in rest)
    return f'<tr><th scope="row">{name}</th>{cells}</tr>'
