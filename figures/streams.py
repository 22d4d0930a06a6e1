"""What one more draw does to everybody on a shared stream, and the mend."""

from figures.shapes import add_box, add_text, new_drawing

LEFT, SIDE, GAP = 196, 50, 8
ROWS = (
    (44, "one shared stream", ("weights",) * 3 + ("split",) * 3 + ("noise",) * 3),
    (
        138,
        "one draw added",
        ("weights",) * 3 + ("log",) + ("split",) * 3 + ("noise",) * 3,
    ),
    (272, "shared stream", ("weights",) * 3 + ("log",) + ("noise",) * 3),
    (358, "the split's own", ("split",) * 3),
)


def draw() -> str:
    """The figure as SVG."""
    drawing = new_drawing(800, 434)
    add_text(drawing, 20, 24, "everybody draws from one stream", "quiet", "start")
    add_text(drawing, 20, 252, "the split has a private stream", "quiet", "start")
    for top, name, users in ROWS:
        add_text(drawing, 20, top + SIDE / 2 + 5, name, "label", "start")
        for index, user in enumerate(users):
            kind = "random" if user == "split" else "box"
            place = (LEFT + index * (SIDE + GAP), top, SIDE, SIDE)
            add_box(drawing, *place, (str(index + 1),), kind)
        for user in dict.fromkeys(users):
            add_text(drawing, _middle(users, user), top + SIDE + 18, user, "quiet")
    return drawing.as_svg() + "\n"


def _middle(users: tuple[str, ...], user: str) -> float:
    """The middle, in px, of the tiles that one user takes."""
    first, count = users.index(user), users.count(user)
    return LEFT + (2 * first + count) * (SIDE + GAP) / 2 - GAP / 2
