"""Rows of tiles: who got what, in order."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from d2l_support.steppers.shapes import box, picture, words

LEFT, HEIGHT, GAP, PITCH = 150, 32, 6, 62


@dataclass(frozen=True)
class Row:
    """A row of tiles with its name.

    Attributes:
        name: What stands to the left of it.
        tiles: The texts on the tiles.
        kinds: The look of each tile: "", "mark", "bad" or "empty"; plain
            where there are fewer.
        notes: What stands below each tile; nothing where there are fewer.
    """

    name: str
    tiles: Sequence[object]
    kinds: Sequence[str] = field(default=())
    notes: Sequence[str] = field(default=())


def draw_tiles(rows: Sequence[Row], width: int = 52, columns: int = 0) -> str:
    """The rows as an SVG.

    Args:
        rows: From top to bottom.
        width: Width of a tile in px.
        columns: Room for so many tiles, that all pictures of a series have
            one size; 0 for the longest row's.
    """
    columns = columns or max((len(row.tiles) for row in rows), default=0)
    shapes = []
    for number, row in enumerate(rows):
        top = 4 + number * PITCH
        shapes.append(words(0, top + HEIGHT / 2 + 5, row.name, "start"))
        for place, text in enumerate(row.tiles):
            left = LEFT + place * (width + GAP)
            kind = row.kinds[place] if place < len(row.kinds) else ""
            middle = left + width / 2
            shapes.append(box(left, top, width, HEIGHT, kind))
            shapes.append(words(middle, top + HEIGHT / 2 + 5, str(text)))
            if place < len(row.notes) and row.notes[place]:
                note = row.notes[place]
                shapes.append(words(middle, top + HEIGHT + 14, note, "quiet"))
    size = LEFT + columns * (width + GAP), len(rows) * PITCH - 8
    return picture(*size, shapes)
