"""Curves in one frame, with a dot that moves along."""

from collections.abc import Sequence
from dataclasses import dataclass

from d2l_support.steppers.shapes import dot, line, picture, words

WIDTH, HEIGHT, EDGE, ASIDE = 380, 230, 26, 110


@dataclass(frozen=True)
class Curve:
    """A curve through points.

    Attributes:
        name: What it is called at its right end.
        x: Places, from left to right.
        y: Values at these places.
        kind: Its look: "", "mark" or "bad".
    """

    name: str
    x: Sequence[float]
    y: Sequence[float]
    kind: str = ""


def draw_curves(
    curves: Sequence[Curve],
    at: tuple[float, float] | None = None,
    span: tuple[float, float] = (-1.5, 1.5),
    reach: tuple[float, float] = (-1.5, 1.5),
) -> str:
    """The curves as an SVG, over two axes through zero.

    Args:
        curves: What to draw; names stand to the right.
        at: Where the dot is.
        span: The least and the greatest place shown.
        reach: The least and the greatest value shown.
    """

    def place(x: float, y: float) -> tuple[float, float]:
        right = (x - span[0]) / (span[1] - span[0])
        up = (y - reach[0]) / (reach[1] - reach[0])
        left = EDGE + right * (WIDTH - 2 * EDGE)
        return round(left, 1), round(HEIGHT - EDGE - up * (HEIGHT - 2 * EDGE), 1)

    shapes = [
        line([place(span[0], 0), place(span[1], 0)], "empty"),
        line([place(0, reach[0]), place(0, reach[1])], "empty"),
    ]
    for number, curve in enumerate(curves):
        points = [place(x, y) for x, y in zip(curve.x, curve.y, strict=True)]
        shapes.append(line(points, curve.kind))
        right, end = points[-1]
        # One below the other where curves end in one place.
        shapes.append(words(right + 8, end + 5 + 20 * number, curve.name, "name"))
    if at is not None:
        shapes.append(dot(*place(*at)))
        shapes.append(words(place(at[0], 0)[0], HEIGHT - 8, f"x = {at[0]:g}", "quiet"))
    return picture(WIDTH + ASIDE, HEIGHT, shapes)
