"""One backward pass: what travels back, and what is put down on the way."""

import drawsvg

from figures.shapes import add_arrow, add_box, add_text, new_drawing

WIDTH, HEIGHT, GAP, TOP = 112, 50, 46, 40
NAMES = ("input", "first", "tanh", "last", "loss")
KINDS = ("16 numbers", "16 → 32", "slope ≤ 1", "32 → 1", "one number")
NOTES = 160


def draw() -> str:
    """The figure as SVG."""
    drawing = new_drawing(800, 240)
    add_text(drawing, 400, 24, "forward: activations", "quiet")
    add_text(drawing, 400, 132, "backward: gradients of activations", "quiet")
    for index, (name, kind) in enumerate(zip(NAMES, KINDS, strict=True)):
        left = _left(index)
        if 0 < index < len(NAMES) - 1:
            add_box(drawing, left, TOP, WIDTH, HEIGHT, (name, kind))
        else:
            add_text(drawing, left + WIDTH / 2, TOP + 21, name)
            add_text(drawing, left + WIDTH / 2, TOP + 39, kind, "quiet")
        if index:
            _join(drawing, left)
        if name in ("first", "last"):
            middle = left + WIDTH / 2
            _add_drop(drawing, middle, TOP + HEIGHT, NOTES)
            lines = ("gradients of", "its parameters")
            add_box(drawing, left - 8, NOTES, WIDTH + 16, HEIGHT, lines, "random")
    add_text(drawing, 400, 182, "stay until the", "quiet")
    add_text(drawing, 400, 198, "optimizer's step", "quiet")
    return drawing.as_svg() + "\n"


def _left(index: int) -> float:
    """The left edge, in px, of a box in the row."""
    return 32 + index * (WIDTH + GAP)


def _join(drawing: drawsvg.Drawing, right: float) -> None:
    """The two arrows between a box and the one on its left."""
    left = right - GAP
    add_arrow(drawing, left + 4, TOP + 14, right - 4, TOP + 14)
    low = TOP + HEIGHT - 12
    drawing.append(drawsvg.Line(right - 4, low, left + 11, low, class_="draw"))
    head = (left + 12, low - 4.5, left + 4, low, left + 12, low + 4.5)
    drawing.append(drawsvg.Lines(*head, close=True, class_="head"))


def _add_drop(drawing: drawsvg.Drawing, x: float, top: float, bottom: float) -> None:
    """A vertical arrow with its head at the bottom."""
    drawing.append(drawsvg.Line(x, top, x, bottom - 7, class_="flow"))
    head = (x - 4.5, bottom - 8, x, bottom, x + 4.5, bottom - 8)
    drawing.append(drawsvg.Lines(*head, close=True, class_="head"))
