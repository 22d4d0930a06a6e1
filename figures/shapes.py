"""The few shapes that the book's figures are made of.

Colours are words, not numbers: on a page they are the theme's, in a file of
its own the drawing brings a light and a dark set.
"""

import drawsvg

STYLE = """
svg.drawing { --ink: #24292f; --line: #59636e; --accent: #0a58ca; --fill: #f3f6fa;
  font-family: system-ui, sans-serif; font-size: 14px; max-width: 100%;
  height: auto; }
@media (prefers-color-scheme: dark) { svg.drawing { --ink: #e6edf3;
  --line: #9aa4ae; --accent: #79b8ff; --fill: #20262d; } }
html[data-theme="light"] svg.drawing, html[data-theme="auto"] svg.drawing {
  --ink: #24292f; --line: #59636e; --accent: #0a58ca; --fill: #f3f6fa; }
html[data-theme="dark"] svg.drawing { --ink: #e6edf3; --line: #9aa4ae;
  --accent: #79b8ff; --fill: #20262d; }
svg.drawing text { fill: var(--ink); stroke: none; }
svg.drawing .quiet { fill: var(--line); font-size: 12px; }
svg.drawing .box { fill: var(--fill); stroke: var(--line); }
svg.drawing .random { fill: var(--fill); stroke: var(--accent); stroke-width: 2; }
svg.drawing .flow { stroke: var(--line); fill: none; stroke-width: 1.5; }
svg.drawing .draw { stroke: var(--accent); fill: none; stroke-width: 1.5;
  stroke-dasharray: 5 4; }
svg.drawing .head { fill: var(--line); stroke: none; }
"""


def new_drawing(width: int, height: int) -> drawsvg.Drawing:
    """An empty drawing with the book's style; sizes in px."""
    drawing = drawsvg.Drawing(width, height, class_="drawing")
    drawing.append(drawsvg.Raw(f"<style>{STYLE}</style>"))
    return drawing


def add_box(drawing, x, y, width, height, lines, kind="box") -> None:
    """A rounded box with centred lines; the first line is its name."""
    drawing.append(drawsvg.Rectangle(x, y, width, height, rx=6, class_=kind))
    step = 18
    top = y + height / 2 - step * (len(lines) - 1) / 2 + 5
    for index, line in enumerate(lines):
        kind = "label" if index == 0 else "quiet"
        add_text(drawing, x + width / 2, top + index * step, line, kind)


def add_text(drawing, x, y, text, kind="label", anchor="middle") -> None:
    """A line of text; ``y`` is its base line."""
    font = 12 if kind == "quiet" else 14
    drawing.append(drawsvg.Text(text, font, x, y, text_anchor=anchor, class_=kind))


def add_arrow(drawing, x1, y1, x2, y2) -> None:
    """A horizontal arrow with its head at (x2, y2)."""
    drawing.append(drawsvg.Line(x1, y1, x2 - 7, y2, class_="flow"))
    head = (x2 - 8, y2 - 4.5, x2, y2, x2 - 8, y2 + 4.5)
    drawing.append(drawsvg.Lines(*head, close=True, class_="head"))


def add_draw(drawing, x1, y1, x2, y2) -> None:
    """A dashed curve from a generator up to the place that draws from it."""
    middle = (y1 + y2) / 2
    path = drawsvg.Path(class_="draw")
    path.M(x1, y1).C(x1, middle, x2, middle, x2, y2)
    drawing.append(path)
    drawing.append(drawsvg.Circle(x2, y2, 3.5, class_="random"))
