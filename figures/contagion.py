"""A NaN that spreads: one feature behind the damaged layer, then all of them."""

import drawsvg

from figures.shapes import add_arrow, add_text, new_drawing

FEATURES = 8
COLUMNS = (  # what it is the output of, and which features are NaN
    (("block 2",), ()),
    (("block 3:", "first linear"), (5,)),
    (("block 3:", "ReLU"), (5,)),
    (("block 3:", "second linear"), range(FEATURES)),
    (("block 3",), range(FEATURES)),
    (("block 4",), range(FEATURES)),
)
ROLES = ("finite", "origin", "carries", "carries", "carries", "carries")
LEFT, STEP, WIDTH = 40, 136, 76
TOP, CELL = 66, 26


def draw() -> str:
    """The figure as SVG."""
    drawing = new_drawing(860, 340)
    for index, (names, spoilt) in enumerate(COLUMNS):
        x = LEFT + index * STEP
        for line, name in enumerate(names):
            add_text(drawing, x + WIDTH / 2, 46 - 18 * (len(names) - 1 - line), name)
        for feature in range(FEATURES):
            _add_cell(drawing, x, TOP + feature * CELL, feature in spoilt)
        kind = "label" if ROLES[index] == "origin" else "quiet"
        bottom = TOP + FEATURES * CELL
        add_text(drawing, x + WIDTH / 2, bottom + 28, ROLES[index], kind)
        if index:
            middle = TOP + FEATURES * CELL / 2
            add_arrow(drawing, x - STEP + WIDTH + 8, middle, x - 8, middle)
    add_text(
        drawing,
        LEFT + STEP + WIDTH / 2,
        TOP + FEATURES * CELL + 50,
        "finite in, NaN out",
        "quiet",
    )
    return drawing.as_svg() + "\n"


def _add_cell(drawing, x: float, y: float, spoilt: bool) -> None:
    """One feature; a spoilt one says so."""
    kind = "random" if spoilt else "box"
    cell = drawsvg.Rectangle(x, y, WIDTH, CELL - 4, rx=3, class_=kind)
    drawing.append(cell)
    if spoilt:
        add_text(drawing, x + WIDTH / 2, y + 16, "NaN", "quiet")
