"""The directive ``measured-reproducibility``: the ledger as tables."""

from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from d2l_support.build.frameworks import ALL_KEYS, FRAMEWORKS
from d2l_support.build.layout import Book, SectionName
from d2l_support.build.render.dependencies import note_ledger
from d2l_support.build.render.table import Row, make_table
from d2l_support.build.render.titles import link_title, order_sections
from d2l_support.build.survey.agreement import Agreement
from d2l_support.build.survey.ledger import read_ledger
from d2l_support.build.survey.overview import (
    MeasuredCell,
    count_same,
    list_measured,
    list_worst,
)
from d2l_support.build.survey.published import (
    Line,
    Pairing,
    Value,
    list_published,
)
from d2l_support.build.survey.settings import SETTINGS


class MeasuredReproducibility(SphinxDirective):
    """How the recorded cells fared under the settings of the survey."""

    def run(self) -> list[nodes.Node]:
        """Three tables: sections, cells that moved, and published figures.

        Raises:
            ContentError: The ledger or the published figures cannot be read.
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
                _mark_columns(),
            ),
            make_table(
                "What the reference edition printed, and how far the records are",
                ["Figure", "Rule", *(known.label for known in FRAMEWORKS.values())],
                self._list_published(book),
                "measured-published",
            ),
        ]

    def _list_published(self, book: Book) -> list[Row]:
        return [
            ([self._link_figure(line), *map(nodes.Text, _tell_line(line))], [])
            for line in list_published(book)
        ]

    def _link_figure(self, line: Line) -> nodes.inline:
        framework = next(iter(line.pairings), "pytorch")
        place = f"?framework={framework}#step-{line.step}"
        return self._link_place(line.section, line.name, place)

    def _list_sections(self, cells: list[MeasuredCell]) -> list[Row]:
        rows = []
        for section in order_sections(self.env, {cell.section for cell in cells}):
            own = [cell for cell in cells if cell.section == section]
            counts = [
                count_same([cell for cell in own if cell.framework == key])
                for key in FRAMEWORKS
            ]
            title = link_title(self.env, section)
            rows.append(([title, *map(nodes.Text, counts)], []))
        return rows

    def _describe(self, cell: MeasuredCell) -> Row:
        place = f"?framework={cell.framework}#step-{cell.cell}"
        where = self._link_place(cell.section, cell.cell, place)
        where += nodes.Text(f" ({FRAMEWORKS[cell.framework].label})")
        texts = [_in_short(cell.agreements.get(setting)) for setting in SETTINGS]
        classes = [f"for-{cell.framework}", f"in-{cell.section.name}"]
        return [where, nodes.Text(str(cell.rule)), *map(nodes.Text, texts)], classes

    def _link_place(self, section: SectionName, name: str, place: str) -> nodes.inline:
        """A section's title, and the name of a place in it that links there."""
        builder, page = self.env.app.builder, f"chapters/{section}"
        uri = builder.get_relative_uri(self.env.docname, page) + place
        where = nodes.inline()
        where += [link_title(self.env, section), nodes.Text(", ")]
        where += nodes.reference("", name, internal=True, refuri=uri)
        return where


def _mark_columns() -> dict[str, list[str]]:
    """Whose columns the settings are that some frameworks do not have."""
    return {
        setting.label: [f"for-{key}" for key in setting.setups]
        for setting in SETTINGS.values()
        if len(setting.setups) < len(ALL_KEYS)
    }


def _in_short(agreement: Agreement | None) -> str:
    """An agreement as a table shows it."""
    if agreement is None:
        return "–"
    if agreement.kind == "numbers":
        return f"{agreement.relative or agreement.absolute:.0e}"
    names = {"outputs": "other output", "unseen": "not reached"}
    return names.get(agreement.kind, agreement.kind)


def _tell_line(line: Line) -> list[str]:
    """Its rules, then for each framework what was published and how it agrees."""
    told = [_tell_pairing(line.pairings.get(framework)) for framework in FRAMEWORKS]
    return [", ".join(line.rules), *told]


def _tell_pairing(pairing: Pairing | None) -> str:
    if pairing is None:
        return "–"
    values = pairing.published
    shown = _shorten(values[0]) if len(values) == 1 else f"{len(values)} values"
    if not pairing.agrees:
        return f"{shown}, not so here"
    distance = pairing.distance
    return f"{shown}, {f'{distance:.0e} off' if distance else 'equal'}"


def _shorten(value: Value) -> str:
    """A value as a table shows it, a float to six digits."""
    return f"{value:.6g}" if type(value) is float else str(value)


def add_filter(
    app: Sphinx, pagename: str, template: str, context: dict, doctree
) -> None:
    """Gives the page with the tables its script (handler of html-page-context)."""
    if app.env.metadata.get(pagename, {}).get("measured"):
        app.add_js_file("measured.js", loading_method="defer")
