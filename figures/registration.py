"""A model's list of parameters, its four readers, and a tensor on no list."""

from figures.shapes import add_arrow, add_box, add_draw, add_text, new_drawing

ENTRIES = ("linear.weight", "linear.bias", "norm.gain")
READERS = (
    ("optimizer", "moves each entry"),
    ("container", "joins its parts' lists"),
    ("file", "holds each entry"),
    ("device", "takes a copy of each"),
)
LIST, READER = (300, 36, 190, 228), (590, 36, 190, 48)
GAP = 12


def draw() -> str:
    """The figure as SVG."""
    drawing = new_drawing(800, 396)
    _add_layer(drawing, 104, "gain = parameter", "registered by the assignment")
    _add_layer(drawing, 284, "gain = plain tensor", "nobody is told")
    x, y, width, height = LIST
    add_box(drawing, x, y, width, height, ())
    add_text(drawing, x + width / 2, y - 12, "the model's list", "quiet")
    for index, entry in enumerate(ENTRIES):
        kind = "random" if entry == "norm.gain" else "box"
        add_box(drawing, x + 16, y + 24 + index * 68, width - 32, 44, (entry,), kind)
    add_arrow(drawing, 226, 150, x, 150)
    _add_readers(drawing)
    add_draw(drawing, 226, 316, 320, 342)
    add_text(
        drawing, 334, 338, "into the computation, and into no list:", "label", "start"
    )
    add_text(drawing, 334, 356, "the outputs are right", "quiet", "start")
    return drawing.as_svg() + "\n"


def _add_layer(drawing, top: int, name: str, detail: str) -> None:
    """A layer as a box, with how it holds its gain."""
    add_box(drawing, 20, top, 206, 92, ("RMSNorm", name, detail), "random")


def _add_readers(drawing) -> None:
    """The four readers, each with an arrow from the list."""
    x, y, width, height = READER
    for index, lines in enumerate(READERS):
        top = y + index * (height + GAP)
        add_box(drawing, x, top, width, height, lines)
        middle = top + height / 2
        add_arrow(drawing, LIST[0] + LIST[2], middle, x, middle)
