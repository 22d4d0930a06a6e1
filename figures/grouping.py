"""One sum, grouped in two ways, on a machine that keeps three digits."""

import drawsvg

from figures.shapes import add_box, add_text, new_drawing

TERMS = ("1.00", "0.004", "0.004", "0.004")
RUNNING = ((1, "1.00"), (2, "1.00"), (3, "1.00"))
"""The running total: the column under which it stands, and its value."""

WIDTH, HEIGHT, STEP, TOP, DROP = 74, 34, 92, 46, 74
LEFT, RIGHT = 24, 452


def draw() -> str:
    """The figure as SVG."""
    drawing = new_drawing(840, 340)
    _draw_running_total(drawing)
    _draw_two_halves(drawing)
    line = "without rounding the sum is 1.012, and the nearest three digits are 1.01"
    add_text(drawing, 420, 330, line, "quiet")
    return drawing.as_svg() + "\n"


def _draw_running_total(drawing) -> None:
    add_text(drawing, LEFT, 26, "one running total, from left to right", anchor="start")
    _add_terms(drawing, LEFT)
    above = (LEFT, TOP)
    for row, (column, total) in enumerate(RUNNING, start=1):
        here = (LEFT + column * STEP - STEP / 2, TOP + row * DROP)
        _add_sum(drawing, here, (above, (LEFT + column * STEP, TOP)), total)
        above = here


def _draw_two_halves(drawing) -> None:
    add_text(drawing, RIGHT, 26, "two halves, added at the end", anchor="start")
    _add_terms(drawing, RIGHT)
    places = [(RIGHT + column * STEP, TOP) for column in range(4)]
    first = (RIGHT + STEP / 2, TOP + DROP)
    second = (RIGHT + 2.5 * STEP, TOP + DROP)
    _add_sum(drawing, first, places[:2], "1.00")
    _add_sum(drawing, second, places[2:], "0.008")
    _add_sum(drawing, (RIGHT + 1.5 * STEP, TOP + 3 * DROP), (first, second), "1.01")


def _add_terms(drawing, left) -> None:
    for column, term in enumerate(TERMS):
        add_box(drawing, left + column * STEP, TOP, WIDTH, HEIGHT, (term,))


def _add_sum(drawing, place, parts, value) -> None:
    """A rounded sum below its two parts; places are top left corners in px."""
    x, y = place
    for left, top in parts:
        start = (left + WIDTH / 2, top + HEIGHT)
        drawing.append(drawsvg.Line(*start, x + WIDTH / 2, y, class_="flow"))
    add_box(drawing, x, y, WIDTH, HEIGHT, (value,), "random")
