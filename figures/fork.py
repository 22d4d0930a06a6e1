"""One state copied into two workers, and each worker with a state of its own."""

import drawsvg

from figures.shapes import add_box, add_text, new_drawing

COPIED = (
    ("worker 0", "draws 85, 63, 51, 26"),
    ("worker 1", "draws 85, 63, 51, 26"),
)
MENDED = (
    ("worker 0", "replaces it: base + 0", "draws 52, 77, 52, 64"),
    ("worker 1", "replaces it: base + 1", "draws 24, 65, 8, 26"),
)
STATE = ("the dataset's generator", "next: 85, 63, 51, 26")

WIDTH, GAP, TOP, HEIGHT, LOWER = 172, 36, 76, 58, 196
HALF = 2 * WIDTH + GAP


def draw() -> str:
    """The figure as SVG."""
    drawing = new_drawing(860, 300)
    _add_half(drawing, 20, "copied", "a copy each", COPIED)
    _add_half(drawing, 860 - 20 - HALF, "mended", "and a seed each", MENDED)
    divider = drawsvg.Line(430, 20, 430, 280, class_="flow", stroke_dasharray="2 6")
    drawing.append(divider)
    return drawing.as_svg() + "\n"


def _add_half(drawing, left: float, title: str, sent: str, workers) -> None:
    """The main process above, two workers below, and what goes between them."""
    middle = left + HALF / 2
    add_text(drawing, middle, 28, title)
    add_text(drawing, middle, 56, "main process", "quiet")
    main = middle - 102
    add_box(drawing, main, TOP, 204, HEIGHT, STATE, "random")
    for index, lines in enumerate(workers):
        x = left + index * (WIDTH + GAP)
        add_box(drawing, x, LOWER, WIDTH, 78, lines, "random")
        start = middle + (-60, 60)[index]
        _add_fall(drawing, start, TOP + HEIGHT, x + WIDTH / 2, LOWER)
    add_text(drawing, middle, LOWER - 26, sent, "quiet")


def _add_fall(drawing, x1: float, y1: float, x2: float, y2: float) -> None:
    """A slanting arrow that ends straight above (x2, y2)."""
    middle = (y1 + y2) / 2
    path = drawsvg.Path(class_="flow")
    path.M(x1, y1).C(x1, middle, x2, middle, x2, y2 - 7)
    drawing.append(path)
    head = (x2 - 4.5, y2 - 8, x2, y2, x2 + 4.5, y2 - 8)
    drawing.append(drawsvg.Lines(*head, close=True, class_="head"))
