"""Rounding as a staircase, and what the backward pass puts in its place."""

from itertools import pairwise

import drawsvg

from figures.shapes import add_text, new_drawing

UNIT = 62
SOLID = "stroke: var(--ink); stroke-width: 3"
LEFT, RIGHT = (210, 190), (625, 190)  # where each panel has its origin


def draw() -> str:
    """The figure as SVG."""
    drawing = new_drawing(840, 372)
    add_text(drawing, LEFT[0], 24, "forward: the value")
    add_text(drawing, RIGHT[0], 24, "backward: the slope")
    for origin in (LEFT, RIGHT):
        _add_axes(drawing, *origin)
    _add_stairs(drawing, *LEFT)
    _add_slopes(drawing, *RIGHT)
    return drawing.as_svg() + "\n"


def _add_axes(drawing, x: int, y: int) -> None:
    """A cross with ticks at the whole numbers from −2 to 2."""
    reach = 2.6 * UNIT
    drawing.append(drawsvg.Line(x - reach, y, x + reach, y, class_="flow"))
    drawing.append(drawsvg.Line(x, y - 2.4 * UNIT, x, y + 2.4 * UNIT, class_="flow"))
    for number in (-2, -1, 1, 2):
        label = str(number).replace("-", "−")
        at, height = x + number * UNIT, y - number * UNIT
        drawing.append(drawsvg.Line(at, y - 3, at, y + 3, class_="flow"))
        drawing.append(drawsvg.Line(x - 3, height, x + 3, height, class_="flow"))
        add_text(drawing, at, y + 18, label, "quiet")
        add_text(drawing, x - 8, height + 4, label, "quiet", "end")


def _add_stairs(drawing, x: int, y: int) -> None:
    """The staircase, and the ramp through the middles of its steps."""
    for step in range(-2, 3):
        start, end = max(step - 0.5, -2.5), min(step + 0.5, 2.5)
        height = y - step * UNIT
        _add_step(drawing, x + start * UNIT, x + end * UNIT, height)
    reach = 2.4 * UNIT
    ends = x - reach, y + reach, x + reach, y - reach
    drawing.append(drawsvg.Line(*ends, class_="draw"))
    add_text(drawing, x - 1.45 * UNIT, y - 1.9 * UNIT, "solid: round(x)", "quiet")
    add_text(drawing, x + 1.5 * UNIT, y + 1.9 * UNIT, "dashed: the surrogate", "quiet")


def _add_slopes(drawing, x: int, y: int) -> None:
    """The true derivative, with its gaps, and the estimator's."""
    edges = (-2.5, -1.5, -0.5, 0.5, 1.5, 2.5)
    for start, end in pairwise(edges):
        left, right = x + start * UNIT + 3, x + end * UNIT - 3
        _add_step(drawing, left, right, y)
    for edge in edges[1:-1]:
        drawing.append(drawsvg.Circle(x + edge * UNIT, y, 3.5, class_="box"))
    height = y - UNIT
    ends = x - 2.5 * UNIT, height, x + 2.5 * UNIT, height
    drawing.append(drawsvg.Line(*ends, class_="draw"))
    for line, words in enumerate(("dashed: the estimator,", "1 everywhere")):
        add_text(drawing, x + 14, height - 30 + 17 * line, words, "quiet", "start")
    for line, words in enumerate(("solid: the truth, 0,", "and none at the halves")):
        add_text(drawing, x + 14, y + 44 + 17 * line, words, "quiet", "start")


def _add_step(drawing, x1: float, x2: float, y: float) -> None:
    """A level piece of a solid curve."""
    drawing.append(drawsvg.Line(x1, y, x2, y, class_="flow", style=SOLID))
