"""Tables made of docutils nodes."""

from docutils import nodes

Row = tuple[list[nodes.Node], list[str]]
"""The nodes of a row's cells, and the row's classes."""


def make_table(
    title: str, head: list[str], rows: list[Row], name: str = ""
) -> nodes.table:
    """A table node with a title.

    Args:
        title: What it shows.
        head: The names of the columns.
        rows: The cells' nodes and the classes of each row.
        name: A class for the table.
    """
    table = nodes.table(classes=[name] if name else [])
    table += nodes.title("", title)
    group = nodes.tgroup(cols=len(head))
    # The first column heads its row.
    group += [nodes.colspec(colwidth=1, stub=int(n == 0)) for n in range(len(head))]
    top, body = nodes.thead(), nodes.tbody()
    top += _make_row([nodes.Text(text) for text in head], [])
    body += [_make_row(*row) for row in rows]
    group += [top, body]
    table += group
    return table


def _make_row(cells: list[nodes.Node], classes: list[str]) -> nodes.row:
    row = nodes.row(classes=classes)
    for cell in cells:
        paragraph = nodes.paragraph()
        paragraph += cell
        entry = nodes.entry()
        entry += paragraph
        row += entry
    return row
