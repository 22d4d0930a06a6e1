"""Parameter, buffer and plain attribute: trained, saved, moved."""

from figures.shapes import add_box, add_text, new_drawing

QUESTIONS = ("the optimizer changes it", "it is in the saved state", "it moves along")
ROWS = (
    ("parameter", "a weight, a gain", (("yes",), ("yes",), ("yes",))),
    ("buffer", "a mask, a running mean", (("no",), ("yes",), ("yes",))),
    (
        "plain attribute",
        "an array that nobody was told of",
        (("no",), ("no", "in NNX: yes"), ("no", "in NNX: yes")),
    ),
)
LEFT, TOP, FIRST, WIDTH, HEIGHT, GAP = 20, 52, 240, 164, 64, 12


def draw() -> str:
    """The figure as SVG."""
    drawing = new_drawing(800, 292)
    for column, question in enumerate(QUESTIONS):
        middle = _left_of(column) + WIDTH / 2
        add_text(drawing, middle, TOP - 18, question, "quiet")
    for row, (name, example, answers) in enumerate(ROWS):
        top = TOP + row * (HEIGHT + GAP)
        kind = "random" if name == "buffer" else "box"
        add_box(drawing, LEFT, top, FIRST, HEIGHT, (name, example), kind)
        for column, lines in enumerate(answers):
            add_box(drawing, _left_of(column), top, WIDTH, HEIGHT, lines, kind)
    return drawing.as_svg() + "\n"


def _left_of(column: int) -> float:
    """Where a column of answers begins."""
    return LEFT + FIRST + GAP + column * (WIDTH + GAP)
