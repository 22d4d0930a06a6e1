"""Tables that read well in a terminal, in a notebook and in a screen reader."""

import html
import textwrap
from dataclasses import dataclass

WIDTH = 78
GAP = "  "
NAME = 16  # a first column wider than this gives way before the others


@dataclass(frozen=True)
class Table:
    """A table with what is said before and after it.

    Attributes:
        title: The caption.
        header: The names of the columns.
        rows: One text for each column.
        lead: Paragraphs between the title and the table.
        notes: Paragraphs after the table.
        align: "<" or ">" for each column; left where it is too short.
        keep: Which end of a name that is too long is kept, "start" or "end".
    """

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    lead: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    align: str = ""
    keep: str = "start"


class Tabular:
    """A value that shows itself as a table; `_table` says which one."""

    def _table(self) -> Table:
        raise NotImplementedError

    def __str__(self) -> str:
        return render_text(self._table())

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return render_html(self._table())


def render_text(table: Table) -> str:
    """The table in plain text, at most 78 columns wide."""
    blocks = [[table.title]]
    if table.lead:
        blocks.append([wrap(line) for line in table.lead])
    if table.rows:
        rows = [table.header, *table.rows]
        widths = measure_columns(rows)
        rows.insert(1, tuple("-" * width for width in widths))
        blocks.append([align_row(row, widths, table) for row in rows])
    if table.notes:
        blocks.append([wrap(note) for note in table.notes])
    return "\n\n".join("\n".join(block) for block in blocks)


def wrap(text: str) -> str:
    """The paragraph in lines that fit, all but the first set in."""
    lines = textwrap.wrap(text, WIDTH, subsequent_indent=GAP)
    return "\n".join(lines)


def measure_columns(rows: list[tuple[str, ...]]) -> list[int]:
    """The width of each column; names give way first, then the widest."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    room = WIDTH - len(GAP) * (len(widths) - 1)
    while sum(widths) > room:
        widest = 0 if widths[0] > NAME else widths.index(max(widths))
        widths[widest] -= 1
    return widths


def align_row(row: tuple[str, ...], widths: list[int], table: Table) -> str:
    """The row as one line; what is too long for its column is cut."""
    sides = table.align.ljust(len(row), "<")
    cells = zip(row, sides, widths, strict=True)
    line = GAP.join(
        f"{cut(cell, width, table.keep):{side}{width}}" for cell, side, width in cells
    )
    return line.rstrip()


def cut(name: str, width: int, keep: str) -> str:
    """The name in at most `width` characters, with dots where it was cut."""
    if len(name) <= width:
        return name
    return name[: width - 3] + "..." if keep == "start" else "..." + name[3 - width :]


def render_html(table: Table) -> str:
    """The table in plain HTML: a caption, heads for columns and rows."""
    lead = "".join(map(format_paragraph, table.lead))
    notes = "".join(map(format_paragraph, table.notes))
    caption = f"<caption>{html.escape(table.title)}</caption>"
    if not table.rows:
        return format_paragraph(table.title) + lead + notes
    head = "".join(f'<th scope="col">{html.escape(word)}</th>' for word in table.header)
    rows = "".join(map(format_html_row, table.rows))
    body = f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody>"
    return f"{lead}<table>{caption}{body}</table>{notes}"


def format_paragraph(text: str) -> str:
    """The text as a paragraph of HTML."""
    return f"<p>{html.escape(text)}</p>"


def format_html_row(row: tuple[str, ...]) -> str:
    """One row of the HTML table; its first cell heads it."""
    name, *rest = map(html.escape, row)
    cells = "".join(f"<td>{cell}</td>" for cell in rest)
    return f'<tr><th scope="row">{name}</th>{cells}</tr>'
