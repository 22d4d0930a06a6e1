"""The directive ``measured-reproducibility``: the ledger as two tables."""

from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from d2l_support.build.frameworks import FRAMEWORKS
from d2l_support.build.layout import Book
from d2l_support.build.render.dependencies import note_ledger
from d2l_support.build.survey.agreement import Agreement
from d2l_support.build.survey.ledger import read_ledger
from d2l_support.build.survey.overview import (
    MeasuredCell,
    count_same,
    list_measured,
    list_worst,
)
from d2l_support.build.survey.settings import SETTINGS

Row = tuple[list[nodes.Node], list[str]]
"""The nodes of a row's cells, and the row's classes."""


class MeasuredReproducibility(SphinxDirective):
    """How the recorded cells fared under the settings of the survey."""

    def run(self) -> list[nodes.Node]:
        """Two tables: by section, and of the cells that printed something else.

        Raises:
            DirectiveError: The ledger cannot be read.
        """
        book = Book(Path(self.env.srcdir))
        note_ledger(self.env, book)
        self.env.metadata[self.env.docname]["measured"] = True
        cells = list_measured(book, read_ledger(book))
        return [
            make_table(
                "Cells that print the same text under every setting",
                ["Section", *(framework.label for framework in FRAMEWORKS.values())],
                self._list_sections(cells),
            ),
            make_table(
                "Cells that once printed something else, the worst first",
                ["Cell", "Rule", *(setting.label for setting in SETTINGS.values())],
                [self._describe(cell) for cell in list_worst(cells)],
                "measured-cells",
            ),
        ]

    def _list_sections(self, cells: list[MeasuredCell]) -> list[Row]:
        rows = []
        for section in dict.fromkeys(cell.section for cell in cells):
            own = [cell for cell in cells if cell.section == section]
            counts = [
                count_same([cell for cell in own if cell.framework == key])
                for key in FRAMEWORKS
            ]
            link = self._link(f"chapters/{section}", section.name)
            rows.append(([link, *map(nodes.Text, counts)], []))
        return rows

    def _describe(self, cell: MeasuredCell) -> Row:
        place = f"?framework={cell.framework}#step-{cell.cell}"
        name = f"{cell.section.name}, {cell.cell}"
        where = nodes.inline()
        where += self._link(f"chapters/{cell.section}", name, place)
        where += nodes.Text(f" ({FRAMEWORKS[cell.framework].label})")
        texts = [_in_short(cell.agreements.get(setting)) for setting in SETTINGS]
        classes = [f"for-{cell.framework}", f"in-{cell.section.name}"]
        return [where, nodes.Text(str(cell.rule)), *map(nodes.Text, texts)], classes

    def _link(self, docname: str, text: str, place: str = "") -> nodes.reference:
        builder = self.env.app.builder
        uri = builder.get_relative_uri(self.env.docname, docname) + place
        return nodes.reference("", text, internal=True, refuri=uri)


def _in_short(agreement: Agreement | None) -> str:
    """An agreement as a table shows it."""
    if agreement is None:
        return "–"
    if agreement.kind == "numbers":
        return f"{agreement.relative or agreement.absolute:.0e}"
    return {"outputs": "other output"}.get(agreement.kind, agreement.kind)


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


def add_filter(
    app: Sphinx, pagename: str, template: str, context: dict, doctree
) -> None:
    """Gives the page with the tables its script (handler of html-page-context)."""
    if app.env.metadata.get(pagename, {}).get("measured"):
        app.add_js_file("measured.js", loading_method="defer")
