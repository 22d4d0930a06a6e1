"""The few shapes of the pictures, as SVG text.

Colours are words: on a page of the book they are the theme's, in Jupyter
those of its own theme, and elsewhere the text's. They stand in attributes and
not in a style sheet, which a page may refuse.
"""

from collections.abc import Iterable
from html import escape
from typing import NamedTuple

INK = "var(--pst-color-text-base, var(--jp-ui-font-color1, currentColor))"
LINE = "var(--pst-color-text-muted, var(--jp-ui-font-color2, currentColor))"
ACCENT = "var(--pst-color-link, var(--jp-brand-color1, #3b82f6))"
BAD = "var(--pst-color-danger, var(--jp-error-color1, #d1242f))"
FILL = "var(--pst-color-surface, var(--jp-layout-color2, transparent))"

STROKES = {
    "": f'stroke="{LINE}"',
    "mark": f'stroke="{ACCENT}" stroke-width="2.5"',
    "bad": f'stroke="{BAD}" stroke-width="2.5" stroke-dasharray="5 3"',
    "empty": f'stroke="{LINE}" stroke-dasharray="2 4"',
}
"""How a shape looks: plain, the one to look at, a fault, not there yet."""

LOOKS = {
    **{f"box {kind}": f'fill="{FILL}" {stroke}' for kind, stroke in STROKES.items()},
    **{f"line {kind}": f'fill="none" {stroke}' for kind, stroke in STROKES.items()},
    "dot": f'fill="{ACCENT}"',
    "name": f'fill="{INK}"',
    "label": f'fill="{INK}" text-anchor="middle"',
    "quiet": f'fill="{LINE}" text-anchor="middle" font-size="13"',
}
"""The attributes of each look, from the lowest layer to the highest."""


class Shape(NamedTuple):
    """A shape without its colours.

    Attributes:
        look: One of ``LOOKS``.
        markup: An SVG element.
    """

    look: str
    markup: str


def box(x: float, y: float, width: float, height: float, kind: str = "") -> Shape:
    """A rectangle; sizes in px, ``x`` and ``y`` its upper left corner."""
    # A third shorter than a <rect>, and a picture has many.
    path = f"M{x:g} {y:g}h{width:g}v{height:g}h-{width:g}z"
    return Shape(f"box {check_kind(kind)}", f'<path d="{path}"/>')


def line(points: Iterable[tuple[float, float]], kind: str = "") -> Shape:
    """A line through points (x, y) in px."""
    path = "L".join(f"{x:g} {y:g}" for x, y in points)
    return Shape(f"line {check_kind(kind)}", f'<path d="M{path}"/>')


def dot(x: float, y: float) -> Shape:
    """A dot in the accent colour."""
    return Shape("dot", f'<circle cx="{x:g}" cy="{y:g}" r="6"/>')


def words(x: float, y: float, text: object, look: str = "label") -> Shape:
    """A line of text; ``y`` is its base line, a "name" begins at ``x``."""
    text = escape(str(text), quote=False)
    return Shape(look, f'<text x="{x:g}" y="{y:g}">{text}</text>')


def check_kind(kind: str) -> str:
    """The kind itself.

    Raises:
        ValueError: There is no such kind.
    """
    if kind not in STROKES:
        known = ", ".join(map(repr, STROKES))
        raise ValueError(f"found the kind {kind!r}, expected one of {known}.")
    return kind


def picture(width: float, height: float, shapes: Iterable[Shape]) -> str:
    """The SVG; hidden from screen readers, which get the words of the step."""
    layers: dict[str, str] = {}
    for look, markup in shapes:
        layers[look] = layers.get(look, "") + markup
    groups = "".join(
        f"<g {attributes}>{layers[look]}</g>"
        for look, attributes in LOOKS.items()
        if look in layers
    )
    size = f'width="{width:g}" height="{height:g}" viewBox="0 0 {width:g} {height:g}"'
    look = 'font-family="system-ui, sans-serif" font-size="15" stroke-linejoin="round"'
    fit = 'style="max-width: 100%; height: auto"'
    return f'<svg {size} {fit} {look} aria-hidden="true">{groups}</svg>'
