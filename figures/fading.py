"""A complaint passed on by twelve cooks: it fades, or it swells."""

import drawsvg

from figures.shapes import add_text, new_drawing

COOKS, LEFT, STEP, BAR = 12, 190, 44, 26
TALL = 96
ROWS = (
    (128, "each repeats it", "four fifths as loudly", 0.8),
    (268, "each repeats it", "five fourths as loudly", 1.25),
)


def draw() -> str:
    """The figure as SVG."""
    drawing = new_drawing(800, 312)
    for base, first, second, factor in ROWS:
        add_text(drawing, 20, base - 42, first, "label", "start")
        add_text(drawing, 20, base - 24, second, "label", "start")
        _add_bars(drawing, base, factor)
    for cook in range(COOKS):
        add_text(drawing, _middle(cook), 290, str(cook + 1), "quiet")
    add_text(drawing, _middle(0), 307, "first cook", "quiet")
    add_text(drawing, _middle(COOKS - 1), 307, "guest", "quiet")
    return drawing.as_svg() + "\n"


def _middle(cook: int) -> float:
    """The middle, in px, of the place of a cook, counted from 0."""
    return LEFT + cook * STEP + BAR / 2


def _add_bars(drawing: drawsvg.Drawing, base: float, factor: float) -> None:
    """How loud the complaint is at each cook; the tallest bar is the loudest."""
    loudness = [factor ** (COOKS - 1 - cook) for cook in range(COOKS)]
    for cook, loud in enumerate(loudness):
        height = TALL * loud / max(loudness)
        place = (LEFT + cook * STEP, base - height, BAR, height)
        drawing.append(drawsvg.Rectangle(*place, class_="random"))
    ends = (LEFT - 8, base, LEFT + COOKS * STEP, base)
    drawing.append(drawsvg.Line(*ends, class_="flow"))
