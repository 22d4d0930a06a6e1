"""Takes out of recorded outputs what could act on the page.

The page's policy already refuses scripts that an output brings along. It does
not refuse links, forms and styles, so HTML in an output, also inside Markdown,
is reduced to what shows something: text, tables, pictures that it holds itself.
The name of a recorded widget, which is data and no script, stays.
"""

import json
import re
from collections.abc import Iterator

import nh3
from docutils import nodes
from docutils.transforms import Transform

from d2l_support.build.widgets import VIEW

CLEANED = ("text/html", "text/markdown", "image/svg+xml")
DROPPED = ("application/javascript",)

STYLES = {
    *("background-color", "border", "border-collapse", "color", "font-family"),
    *("font-size", "font-style", "font-weight", "height", "margin", "max-width"),
    *("padding", "text-align", "text-decoration", "vertical-align", "white-space"),
    "width",
}
"""None of them moves a thing out of its place: an output cannot cover the page."""

DRAWN = {
    *("svg", "g", "path", "rect", "circle", "ellipse", "line", "polyline"),
    *("polygon", "text", "tspan", "desc"),
}
DRAWING = {
    *("cx", "cy", "d", "dominant-baseline", "dx", "dy", "fill", "fill-opacity"),
    *("font-family", "font-size", "font-weight", "height", "opacity", "points"),
    *("preserveAspectRatio", "r", "rx", "ry", "stroke", "stroke-dasharray"),
    *("stroke-linecap", "stroke-linejoin", "stroke-opacity", "stroke-width"),
    *("text-anchor", "transform", "viewBox", "width", "x", "x1", "x2", "y", "y1", "y2"),
}
NAMING = {"aria-hidden", "aria-label", "class", "dir", "lang", "role", "style", "title"}
ATTRIBUTES = {
    **nh3.ALLOWED_ATTRIBUTES,
    "*": NAMING,
    **dict.fromkeys(DRAWN, DRAWING),
    "details": {"open"},
}
SCRIPT = re.compile(rf'<script type="{re.escape(VIEW)}">(.*?)</script>', re.DOTALL)
SCHEMES = {"http", "https", "mailto", "data"}


class SanitiseOutputs(Transform):
    """Cleans the HTML of every recorded output on a page."""

    default_priority = 490  # before the variants are grouped

    def apply(self, **kwargs) -> None:
        """Goes through the page's outputs."""
        for container in list(self.document.findall(nodes.container)):
            if container.get("mime_type") in DROPPED:
                container.parent.remove(container)
        for node, mime_type in list(_find_html(self.document)):
            if mime_type in CLEANED:
                cleaned = nodes.raw("", clean_html(node.astext()), **node.attributes)
                node.replace_self(cleaned)


def _find_html(document: nodes.document) -> Iterator[tuple[nodes.raw, str]]:
    """The parts of outputs that are raw HTML, each with the output's type."""
    for container in document.findall(nodes.container):
        if mime_type := container.get("mime_type"):
            for node in container.findall(nodes.raw):
                yield node, mime_type


def clean_html(html: str) -> str:
    """HTML that shows what the given one does and does nothing else.

    Args:
        html: What a cell gave out.
    """
    views = "".join(map(_write_view, SCRIPT.findall(html)))
    cleaned = nh3.clean(
        html,
        tags=nh3.ALLOWED_TAGS | DRAWN,
        clean_content_tags={"script", "style"},
        attributes=ATTRIBUTES,
        attribute_filter=_filter_attribute,
        url_schemes=SCHEMES,
        filter_style_properties=STYLES,
    )
    return cleaned + views


def _write_view(text: str) -> str:
    """The place of a recorded widget, written anew from nothing but its name."""
    try:
        name = json.loads(text)["model_id"]
    except (ValueError, TypeError, KeyError):
        return ""
    view = json.dumps({"version_major": 2, "version_minor": 0, "model_id": str(name)})
    return f'<script type="{VIEW}">{view.replace("<", chr(92) + "u003c")}</script>'


def _filter_attribute(tag: str, name: str, value: str) -> str | None:
    """Pictures come from the output itself, and ``data:`` is for them alone."""
    is_data = value.strip().lower().startswith("data:")
    if name == "src":
        is_picture = value.strip().lower().startswith("data:image/")
        return value if is_picture else None
    return None if name == "href" and is_data else value
