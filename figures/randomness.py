"""Where randomness enters a training run, and from which generator."""

from figures.shapes import add_arrow, add_box, add_draw, add_text, new_drawing

PLACES = (
    ("shuffle", "order of examples"),
    ("loader workers", "one process each"),
    ("augment", "crop, flip, noise"),
    ("weights", "drawn at the start"),
    ("dropout", "a mask each step"),
)
GENERATORS = (
    (30, 150, ("Python random", "seeded on its own")),
    (200, 150, ("NumPy", "global and objects")),
    (480, 220, ("the framework's generator", "one per device")),
)
DRAWS = ((0, 0), (0, 1), (1, 0), (1, 1), (1, 2), (2, 0), (2, 3), (2, 4))

WIDTH, GAP, LEFT, TOP = 124, 20, 20, 52


def draw() -> str:
    """The figure as SVG."""
    drawing = new_drawing(840, 290)
    add_text(drawing, LEFT, 26, "data", "quiet", "start")
    add_text(drawing, _x(3), 26, "model", "quiet", "start")
    for index, lines in enumerate(PLACES):
        add_box(drawing, _x(index), TOP, WIDTH, 62, lines, "random")
        if index:
            add_arrow(drawing, _x(index) - GAP, TOP + 31, _x(index), TOP + 31)
    last = _x(len(PLACES))
    add_arrow(drawing, last - GAP, TOP + 31, last, TOP + 31)
    add_box(drawing, last, TOP, 76, 62, ("loss",))
    for x, width, lines in GENERATORS:
        add_box(drawing, x, 214, width, 56, lines)
    for generator, place in DRAWS:
        x, width, _ = GENERATORS[generator]
        start = x + width * _share(generator, place)
        add_draw(drawing, start, 214, _x(place) + _offset(generator), TOP + 62)
    return drawing.as_svg() + "\n"


def _x(index: int) -> int:
    return LEFT + index * (WIDTH + GAP)


def _share(generator: int, place: int) -> float:
    places = [p for g, p in DRAWS if g == generator]
    return (places.index(place) + 1) / (len(places) + 1)


def _offset(generator: int) -> float:
    return WIDTH * (generator + 1) / 4
