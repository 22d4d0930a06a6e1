"""A call runs a wrapper around forward; hooks stand inside it."""

import drawsvg

from figures.shapes import add_arrow, add_box, add_text, new_drawing

LEFT, RIGHT, TOP, BOTTOM = 120, 740, 84, 206
MIDDLE, HEIGHT, WIDTH = 160, 56, 150
STARTS = (146, 355, 564)
BOXES = (
    (("pre-hooks", "may look at inputs"), "random"),
    (("forward(X)", "the layer's own work"), "box"),
    (("forward hooks", "may look at output"), "random"),
)


def draw() -> str:
    """The figure as SVG."""
    drawing = new_drawing(860, 320)
    frame = drawsvg.Rectangle(
        LEFT, TOP, RIGHT - LEFT, BOTTOM - TOP, rx=10, class_="flow"
    )
    drawing.append(frame)
    add_text(drawing, LEFT + 12, TOP + 22, "net(X) runs the wrapper", "label", "start")
    for x, (lines, kind) in zip(STARTS, BOXES, strict=True):
        add_box(drawing, x, MIDDLE - 22, WIDTH, HEIGHT, lines, kind)
    ends = (100, *(x + WIDTH for x in STARTS))
    for x1, x2 in zip(ends, (*STARTS, 762), strict=True):
        add_arrow(drawing, x1, MIDDLE + 6, x2, MIDDLE + 6)
    add_box(drawing, 20, MIDDLE - 22, 80, HEIGHT, ("X",))
    add_box(drawing, 762, MIDDLE - 22, 80, HEIGHT, ("output",))
    _add_detour(drawing)
    add_box(drawing, 330, 250, 200, HEIGHT, ("your notes", "outside the model"))
    for x, y in ((STARTS[0] + 75, 194), (STARTS[2] + 75, 194)):
        _add_note(drawing, x, y, 330 if x < 430 else 530, 278)
    return drawing.as_svg() + "\n"


def _add_detour(drawing) -> None:
    """The path of net.forward(X), which meets no hook."""
    middle = STARTS[1] + WIDTH / 2
    into = drawsvg.Path(class_="flow", stroke_dasharray="2 5")
    into.M(60, MIDDLE - 22).V(44).H(middle - 20).V(MIDDLE - 30)
    out = drawsvg.Path(class_="flow", stroke_dasharray="2 5")
    out.M(middle + 20, MIDDLE - 22).V(44).H(802).V(MIDDLE - 30)
    for path, x in ((into, middle - 20), (out, 802)):
        drawing.append(path)
        y = MIDDLE - 22
        head = (x - 4.5, y - 8, x, y, x + 4.5, y - 8)
        drawing.append(drawsvg.Lines(*head, close=True, class_="head"))
    text = "net.forward(X) meets no hook"
    add_text(drawing, middle, 32, text, "quiet")


def _add_note(drawing, x1: float, y1: float, x2: float, y2: float) -> None:
    """A dashed curve from a hook down to the notes."""
    path = drawsvg.Path(class_="draw")
    path.M(x1, y1).C(x1, y2, x1, y2, x2, y2)
    drawing.append(path)
    drawing.append(drawsvg.Circle(x1, y1, 3.5, class_="random"))
