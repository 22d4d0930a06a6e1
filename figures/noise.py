"""Two days of two helpers, under three rules for who draws which numbers."""

from figures.shapes import add_box, add_text, new_drawing

ROWS = ("day 1, Anna", "day 1, Ben", "day 2, Anna", "day 2, Ben")
RULES = (
    ("photocopies", ("85  63  51  26",) * 4),
    (
        "a notebook for each helper",
        ("52  77  52  64", "24  65  8  26", "45  71  78  72", "73  0  8  81"),
    ),
    (
        "a number for each cake and day",
        ("52  67  55  12", "19  82  38  70", "97  96  16  24", "47  49  54  99"),
    ),
)
NOTES = ("all the same", "as long as it is Anna and Ben", "whoever bakes")

LEFT, WIDTH, GAP, TOP, HEIGHT = 120, 220, 20, 48, 34


def draw() -> str:
    """The figure as SVG."""
    drawing = new_drawing(860, 240)
    for index, row in enumerate(ROWS):
        add_text(drawing, LEFT - 14, _y(index) + 22, row, "quiet", "end")
    for column, ((rule, numbers), note) in enumerate(zip(RULES, NOTES, strict=True)):
        x = LEFT + column * (WIDTH + GAP)
        add_text(drawing, x + WIDTH / 2, 28, rule)
        for index, row in enumerate(numbers):
            kind = "box" if row in numbers[:index] else "random"
            add_box(drawing, x, _y(index), WIDTH, HEIGHT, (row,), kind)
        add_text(drawing, x + WIDTH / 2, _y(len(ROWS)) + 14, note, "quiet")
    return drawing.as_svg() + "\n"


def _y(row: int) -> int:
    return TOP + row * (HEIGHT + 8)
