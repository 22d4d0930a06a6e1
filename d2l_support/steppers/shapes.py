"""The few shapes of the pictures, as SVG text.

Colours are words: on a page of the book they are the theme's, in Jupyter
those of its own theme, and elsewhere the text's. ``STYLE`` says which; it
stands once beside the pictures, not in each of them.
"""

from collections.abc import Iterable
from html import escape

STYLE = """
.steps svg { --ink: var(--pst-color-text-base, var(--jp-ui-font-color1, currentColor));
  --line: var(--pst-color-text-muted, var(--jp-ui-font-color2, currentColor));
  --accent: var(--pst-color-link, var(--jp-brand-color1, #3b82f6));
  --bad: var(--pst-color-danger, var(--jp-error-color1, #d1242f));
  --fill: var(--pst-color-surface, var(--jp-layout-color2, transparent));
  font: 14px system-ui, sans-serif; max-width: 100%; height: auto; }
.steps text { fill: var(--ink); text-anchor: middle; }
.steps .start { text-anchor: start; }
.steps .quiet { fill: var(--line); font-size: 12px; }
.steps rect { fill: var(--fill); stroke: var(--line); rx: 5px; }
.steps .mark { stroke: var(--accent); stroke-width: 2.5; }
.steps .bad { stroke: var(--bad); stroke-width: 2.5; stroke-dasharray: 5 3; }
.steps .empty { fill: none; stroke-dasharray: 2 4; }
.steps path { fill: none; stroke: var(--line); stroke-width: 1.5; }
.steps path.mark { stroke: var(--accent); stroke-width: 2.5; }
.steps path.bad { stroke: var(--bad); stroke-width: 2.5; stroke-dasharray: 7 4; }
.steps circle { fill: var(--accent); }
"""
KINDS = ("", "mark", "bad", "empty")
"""How a shape looks: plain, the one to look at, a fault, not there yet."""


def tag(kind: str) -> str:
    """The attribute that gives a shape its look; nothing for a plain one.

    Raises:
        ValueError: There is no such look.
    """
    if kind not in KINDS:
        known = ", ".join(map(repr, KINDS))
        raise ValueError(f"found the kind {kind!r}, expected one of {known}.")
    return f' class="{kind}"' if kind else ""


def box(x: float, y: float, width: float, height: float, kind: str = "") -> str:
    """A rectangle; sizes in px, ``x`` and ``y`` its upper left corner."""
    place = f'x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}"'
    return f"<rect {place}{tag(kind)}/>"


def words(x: float, y: float, text: str, look: str = "") -> str:
    """A line of text; ``y`` is its base line, ``look`` "quiet", "start" or both."""
    kind = f' class="{look}"' if look else ""
    return f'<text x="{x:g}" y="{y:g}"{kind}>{escape(text, quote=False)}</text>'


def line(points: Iterable[tuple[float, float]], kind: str = "") -> str:
    """A line through points (x, y) in px."""
    path = "L".join(f"{x:g} {y:g}" for x, y in points)
    return f'<path d="M{path}"{tag(kind)}/>'


def dot(x: float, y: float) -> str:
    """A dot in the accent colour."""
    return f'<circle cx="{x:g}" cy="{y:g}" r="6"/>'


def picture(width: float, height: float, shapes: Iterable[str]) -> str:
    """The SVG; hidden from screen readers, which get the words of the step."""
    box = f'width="{width:g}" height="{height:g}" viewBox="0 0 {width:g} {height:g}"'
    return f'<svg {box} aria-hidden="true">{"".join(shapes)}</svg>'
