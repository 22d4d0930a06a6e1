"""An uninterrupted run, an interrupted one, and what the checkpoint carries."""

from figures.shapes import add_arrow, add_box, add_text, new_drawing

ITEMS = (
    ("model", "weights, buffers"),
    ("optimizer", "moments, settings"),
    ("scheduler", "count of steps"),
    ("random streams", "state of each"),
    ("loader position", "order and cursor"),
)
STEPS = 6
STOP = 3
LEFT, STEP, GAP = 130, 62, 18
TOP, BOTTOM = 20, 250
CHECKPOINT = 284  # width of the place between the two processes


def draw() -> str:
    """The figure as SVG."""
    drawing = new_drawing(880, 340)
    _add_run(drawing, TOP, ("uninterrupted", "one process"))
    _add_run(drawing, BOTTOM, ("interrupted", "two processes"))
    left = _x(STOP - 1) + STEP + 2
    width = CHECKPOINT - 2 * GAP - 4
    add_text(drawing, left + width / 2, 94, "checkpoint on disk")
    for index, (name, detail) in enumerate(ITEMS):
        _add_item(drawing, left, 104 + index * 30, width, name, detail)
    add_text(
        drawing, _x(1) + STEP / 2, BOTTOM + 72, "seed 0, then thrown away", "quiet"
    )
    add_text(drawing, _x(4) + STEP / 2, BOTTOM + 72, "built anew, then loaded", "quiet")
    add_text(drawing, _x(STEPS) - 85, 152, "equal,", "label")
    add_text(drawing, _x(STEPS) - 85, 170, "bit for bit?", "label")
    return drawing.as_svg() + "\n"


def _add_run(drawing, top: int, words: tuple[str, str]) -> None:
    """One run as a row of steps, open where the checkpoint stands."""
    add_text(drawing, 20, top + 22, words[0], "label", "start")
    add_text(drawing, 20, top + 40, words[1], "quiet", "start")
    for step in range(1, STEPS + 1):
        x = _x(step - 1)
        add_box(drawing, x, top, STEP - GAP, 46, (str(step),), "random")
        end = x + STEP
        if step == STOP:
            end += CHECKPOINT - GAP
        if step < STEPS:
            add_arrow(drawing, x + STEP - GAP, top + 23, end, top + 23)


def _add_item(drawing, x: int, y: int, width: int, name: str, detail: str) -> None:
    """One thing that the checkpoint carries, on one line."""
    add_box(drawing, x, y, width, 26, ())
    add_text(drawing, x + 8, y + 18, name, "label", "start")
    add_text(drawing, x + width - 8, y + 18, detail, "quiet", "end")


def _x(index: int) -> int:
    """The left edge of a step's box, counted from 0."""
    shift = CHECKPOINT - GAP if index >= STOP else 0
    return LEFT + index * STEP + shift
