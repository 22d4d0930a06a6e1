"""An inventory of random streams, as a table in plain text and in HTML."""

from dataclasses import dataclass

from d2l_support.streams import Stream
from d2l_support.tables import Table, Tabular

HEADER = ("stream", "seeded", "since then", "reached by set_seed")
SINCE = {True: "has moved", False: "at its start", None: "not known"}


@dataclass(frozen=True, repr=False)
class Inventory(Tabular):
    """The random streams of a process at one moment.

    Printing it gives a table of at most 78 columns; as the last value of a
    notebook cell it is an HTML table.

    Attributes:
        framework: The framework's key, for example "jax".
        streams: The rows, global streams first.
    """

    framework: str
    streams: tuple[Stream, ...]

    def _table(self) -> Table:
        return Table(
            title=f"Random streams of this process ({self.framework})",
            header=HEADER,
            rows=tuple(map(describe_row, self.streams)),
            notes=tuple(collect_notes(self.streams)),
        )


def describe_row(stream: Stream) -> tuple[str, ...]:
    """A stream in words, in the order of `HEADER`; "-" where none apply."""
    reached = "yes" if stream.reached else "no"
    if stream.seeded_by is not None:
        seeded, since = f"with {stream.seeded_by}", SINCE[stream.moved]
    else:
        seeded = "no" if stream.reached else "-"
        since = "-" if stream.moved is None else SINCE[stream.moved]
    return stream.name, seeded, since, reached


def collect_notes(streams: tuple[Stream, ...]) -> list[str]:
    """Each note once, after the names of the streams that it is about."""
    names: dict[str, list[str]] = {}
    for stream in streams:
        if stream.note:
            names.setdefault(stream.note, []).append(stream.name)
    return [f"{', '.join(who)}: {note}" for note, who in names.items()]
