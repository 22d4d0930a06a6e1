"""What a page's scripts have to know of its code cells.

Each cell stands in an element that says whose it is; and a page with cells has
a place under its title that says how to run them, where live cells put the
state of their kernels.
"""

from docutils import nodes
from docutils.transforms import Transform
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator

OTHER_BUILDERS = ("latex", "text", "man", "texinfo")
STATIC = (
    '<p class="live-note">This page is static. To run and edit its cells: '
    "<code>make live</code> in a checkout of the book.</p>"
)


class CodeCell(nodes.General, nodes.Element):
    """A code cell with its output and rule.

    Its attribute ``marks`` holds what becomes a data attribute: ``framework``,
    ``step``, and where the cell has them ``rule`` and ``raises``.
    """


class LivePlace(nodes.General, nodes.Element):
    """Where a page says how its cells are run."""


class PlaceLive(Transform):
    """Puts the place under the title of every page that has code cells."""

    default_priority = 510  # after the variants are grouped

    def apply(self, **kwargs) -> None:
        """Adds it to this page."""
        title = next(self.document.findall(nodes.title), None)
        if title is not None and next(self.document.findall(CodeCell), None):
            title.parent.insert(title.parent.index(title) + 1, LivePlace())


def wrap_cell(metadata: dict, tags: list[str], parts: list[nodes.Node]) -> CodeCell:
    """The element around a cell and what belongs to it.

    Args:
        metadata: What the reader noted of the cell.
        tags: The cell's tags.
        parts: The cell and what stands under it.
    """
    marks = {
        name: metadata[name]
        for name in ("framework", "step", "rule")
        if name in metadata
    }
    if "raises-exception" in tags:
        marks["raises"] = ""
    return CodeCell("", *parts, marks=marks)


def add_cells(app: Sphinx) -> None:
    """Registers the nodes and the transform."""
    others = dict.fromkeys(OTHER_BUILDERS, (_nothing, _nothing))
    skipped = dict.fromkeys(OTHER_BUILDERS, (_skip, None))
    app.add_node(CodeCell, html=(_open_cell, _close), **others)
    app.add_node(LivePlace, html=(_open_place, _close), **skipped)
    app.add_transform(PlaceLive)


def _open_cell(translator: HTML5Translator, node: CodeCell) -> None:
    data = {f"data-{name}": value for name, value in node["marks"].items()}
    opening = translator.starttag(node, "div", CLASS="book-cell", **data)
    translator.body.append(opening)


def _open_place(translator: HTML5Translator, node: LivePlace) -> None:
    translator.body.append(f'<div class="book-live">{STATIC}')


def _close(translator: HTML5Translator, node: nodes.Element) -> None:
    translator.body.append("</div>\n")


def _nothing(translator: nodes.NodeVisitor, node: nodes.Element) -> None:
    """Other formats show what is inside."""


def _skip(translator: nodes.NodeVisitor, node: nodes.Element) -> None:
    raise nodes.SkipNode
