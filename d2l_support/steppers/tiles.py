"""Rows of tiles: who got what, in order."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from d2l_support.steppers.shapes import box, picture, words

HEIGHT, GAP, NAME, NOTE, EDGE = 30, 6, 22, 18, 8


@dataclass(frozen=True)
class Row:
    """A row of tiles with its name.

    Attributes:
        name: What stands above it.
        tiles: The texts on the tiles.
        kinds: The look of each tile: "", "mark", "bad" or "empty"; plain
            where there are fewer.
        notes: What stands below each tile; nothing where there are fewer.
    """

    name: str
    tiles: Sequence[object]
    kinds: Sequence[str] = field(default=())
    notes: Sequence[str] = field(default=())


def draw_tiles(
    rows: Sequence[Row], width: int = 40, columns: int = 0, lines: int = 0
) -> str:
    """The rows as an SVG.

    Args:
        rows: From top to bottom.
        width: Width of a tile in px.
        columns: Room for so many tiles in a row, that all pictures of a
            series have one width; 0 for the longest row's.
        lines: Room for so many rows; 0 for these.
    """
    columns = columns or max((len(row.tiles) for row in rows), default=0)
    pitch = NAME + HEIGHT + (NOTE if any(row.notes for row in rows) else 0) + GAP
    shapes = []
    for number, row in enumerate(rows):
        top = number * pitch + NAME
        shapes.append(words(EDGE, top - 7, row.name, "name"))
        for place, text in enumerate(row.tiles):
            left = EDGE + place * (width + GAP)
            middle = left + width / 2
            kind = row.kinds[place] if place < len(row.kinds) else ""
            shapes.append(box(left, top, width, HEIGHT, kind))
            shapes.append(words(middle, top + HEIGHT / 2 + 5, text))
            if place < len(row.notes) and row.notes[place]:
                note = row.notes[place]
                shapes.append(words(middle, top + HEIGHT + 14, note, "quiet"))
    size = 2 * EDGE + columns * (width + GAP), max(lines, len(rows)) * pitch
    return picture(*size, shapes)
