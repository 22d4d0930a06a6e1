"""Tables made of docutils nodes."""

from collections.abc import Mapping

from docutils import nodes

Row = tuple[list[nodes.Node], list[str]]
"""The nodes of a row's cells, and the row's classes."""


def make_table(
    title: str,
    head: list[str],
    rows: list[Row],
    name: str = "",
    columns: Mapping[str, list[str]] | None = None,
) -> nodes.table:
    """A table node with a title.

    Args:
        title: What it shows.
        head: The names of the columns.
        rows: The cells' nodes and the classes of each row.
        name: A class for the table.
        columns: The classes of a column's entries, by its name.
    """
    table = nodes.table(classes=[name] if name else [])
    table += nodes.title("", title)
    group = nodes.tgroup(cols=len(head))
    # The first column heads its row.
    group += [nodes.colspec(colwidth=1, stub=int(n == 0)) for n in range(len(head))]
    top, body = nodes.thead(), nodes.tbody()
    marks = [(columns or {}).get(text, []) for text in head]
    top += _make_row([nodes.Text(text) for text in head], [], marks)
    body += [_make_row(*row, marks) for row in rows]
    group += [top, body]
    table += group
    return table


def _make_row(
    cells: list[nodes.Node], classes: list[str], marks: list[list[str]]
) -> nodes.row:
    row = nodes.row(classes=classes)
    for cell, mark in zip(cells, marks, strict=True):
        paragraph = nodes.paragraph()
        paragraph += cell
        entry = nodes.entry(classes=[*mark])
        entry += paragraph
        row += entry
    return row
