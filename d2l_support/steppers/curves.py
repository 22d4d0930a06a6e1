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
    height: tuple[float, float] = (-1.5, 1.5),
) -> str:
    """The curves as an SVG, over two axes through zero.

    Args:
        curves: What to draw; names stand to the right.
        at: Where the dot is.
        span: The least and the greatest place shown.
        height: The least and the greatest value shown.
    """

    def place(x: float, y: float) -> tuple[float, float]:
        right = (x - span[0]) / (span[1] - span[0])
        up = (y - height[0]) / (height[1] - height[0])
        left = EDGE + right * (WIDTH - 2 * EDGE)
        return round(left, 1), round(HEIGHT - EDGE - up * (HEIGHT - 2 * EDGE), 1)

    shapes = [
        line([place(span[0], 0), place(span[1], 0)], "empty"),
        line([place(0, height[0]), place(0, height[1])], "empty"),
    ]
    for curve in curves:
        points = [place(x, y) for x, y in zip(curve.x, curve.y, strict=True)]
        shapes.append(line(points, curve.kind))
        shapes.append(words(points[-1][0] + 8, points[-1][1] + 5, curve.name, "name"))
    if at is not None:
        shapes.append(dot(*place(*at)))
        shapes.append(words(place(at[0], 0)[0], HEIGHT - 8, f"x = {at[0]:g}", "quiet"))
    return picture(WIDTH + ASIDE, HEIGHT, shapes)
