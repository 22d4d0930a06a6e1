"""Three ways in which a function gets its random numbers."""

from figures.shapes import add_arrow, add_box, add_draw, add_text, new_drawing

WIDTH, GAP, LEFT = 250, 25, 20
FUNCTION, SOURCE, COST = 92, 196, 292
COLUMNS = (
    (
        ("implicit", "MXNet"),
        "add_noise(x)",
        (("the shared stream", "hidden"),),
        (
            "The signature says nothing.",
            "Callers can fix this draw only by",
            "fixing all.",
        ),
    ),
    (
        ("a global one, and objects", "PyTorch, TensorFlow"),
        "add_noise(x, generator=None)",
        (("shared stream", "if None"), ("generator", "if given")),
        (
            "One more argument to hand on.",
            "Forget it once, and that draw",
            "is shared again.",
        ),
    ),
    (
        ("explicit", "JAX, TensorFlow's stateless draws"),
        "add_noise(x, key)",
        (("a key", "a value, used once"),),
        (
            "One key per draw, made by hand.",
            "A key used twice gives the same",
            "numbers, and no error.",
        ),
    ),
)


def draw() -> str:
    """The figure as SVG."""
    drawing = new_drawing(840, 356)
    add_text(drawing, LEFT, 22, "the caller sees nothing", "quiet", "start")
    add_text(drawing, 820, 22, "the caller decides everything", "quiet", "end")
    add_arrow(drawing, 170, 18, 640, 18)
    for index, (heading, function, sources, cost) in enumerate(COLUMNS):
        x = LEFT + index * (WIDTH + GAP)
        add_text(drawing, x + WIDTH / 2, 56, heading[0])
        add_text(drawing, x + WIDTH / 2, 76, heading[1], "quiet")
        add_box(drawing, x, FUNCTION, WIDTH, 44, (function,))
        _add_sources(drawing, x, sources)
        for line, words in enumerate(cost):
            add_text(drawing, x + WIDTH / 2, COST + 18 * line, words, "quiet")
    return drawing.as_svg() + "\n"


def _add_sources(drawing, x: int, sources: tuple[tuple[str, str], ...]) -> None:
    """What a function draws from, side by side under its box."""
    width = WIDTH / 2 - 5 if len(sources) > 1 else 150
    start = x + (WIDTH - width * len(sources) - 10 * (len(sources) - 1)) / 2
    for index, lines in enumerate(sources):
        left = start + index * (width + 10)
        add_box(drawing, left, SOURCE, width, 56, lines, "random")
        middle = left + width / 2
        add_draw(drawing, middle, SOURCE, middle, FUNCTION + 44)
