"""The directive ``drawing``: a drawn figure inside the page.

The SVG stands in the page itself, so that its lines and words take the
page's colours and font, in light and in dark. Other builders get its words.
"""

import re
from pathlib import Path
from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx import addnodes
from sphinx.util.docutils import SphinxDirective


class Drawing(SphinxDirective):
    """A numbered figure whose picture is an SVG file.

    The argument is the file, relative to the page; ``:alt:`` says in words
    what it shows and is required; the content is the caption.
    """

    required_arguments = 1
    option_spec: ClassVar[dict] = {
        "alt": directives.unchanged_required,
        "name": directives.unchanged,
    }
    has_content = True

    def run(self) -> list[nodes.Node]:
        """The figure node.

        Raises:
            DirectiveError: The file is missing, or the words for it are.
        """
        _, absolute = self.env.relfn2path(self.arguments[0])
        path = Path(absolute)
        if not path.is_file():
            raise self.error(f"found no drawing {self.arguments[0]}")
        if not self.options.get("alt"):
            raise self.error(f"found no :alt: for {self.arguments[0]}")
        self.env.note_dependency(str(path))
        figure = nodes.figure(classes=["drawn"])
        self.set_source_info(figure)
        alt = self.options["alt"]
        figure += inline_picture(path.read_text(encoding="utf-8"), alt)
        elsewhere = addnodes.only(expr="not html")
        elsewhere += nodes.paragraph("", alt)
        figure += elsewhere
        caption = nodes.caption()
        messages: list[nodes.Node] = []
        if self.content:
            words, messages = self.parse_inline(" ".join(self.content))
            caption += words
            figure += caption
        self.add_name(figure)
        return [figure, *messages]


def inline_picture(svg: str, alt: str) -> nodes.raw:
    """The SVG as a node for HTML, with words for who cannot see it.

    Args:
        svg: A whole SVG file.
        alt: What it shows.
    """
    svg = re.sub(r"^.*?(?=<svg)", "", svg, flags=re.DOTALL)
    label = nodes.unescape(alt).replace("&", "&amp;").replace('"', "&quot;")
    svg = svg.replace("<svg", f'<svg role="img" aria-label="{label}"', 1)
    # On a narrow screen it scrolls: the arrow keys must reach it too.
    frame = f'<div class="drawing-frame" tabindex="0">{svg}</div>'
    return nodes.raw("", frame, format="html")
