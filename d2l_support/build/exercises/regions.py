"""What stands between nbgrader's comments in a cell.

nbgrader itself cuts at every line that contains ``BEGIN SOLUTION`` and the
like; here such a line has to be the whole comment, so that both see the same.
"""

import re
from typing import NamedTuple

SOLUTION = "SOLUTION"
HIDDEN = "HIDDEN TESTS"
STUB = 'raise NotImplementedError("your answer")'
HIDDEN_STUB = "# Hidden tests run here."

_EDGE = re.compile(rf"\b(BEGIN|END) ({SOLUTION}|{HIDDEN})\b")


class Region(NamedTuple):
    """The lines between two comments, which are lines themselves.

    Attributes:
        name: ``SOLUTION`` or ``HIDDEN``.
        first: The opening comment's line, counted from 0.
        last: The closing comment's.
    """

    name: str
    first: int
    last: int


class RegionFault(NamedTuple):
    """What is wrong in a line of a cell, which counts from 0."""

    line: int
    message: str


def find_regions(source: str) -> tuple[list[Region], list[RegionFault]]:
    """The regions of a cell, and the comments that open or close none."""
    regions: list[Region] = []
    faults: list[RegionFault] = []
    opened: tuple[str, int] | None = None
    for number, line in enumerate(source.splitlines()):
        edge = _EDGE.search(line)
        if not edge:
            continue
        what, name = edge.groups()
        if line.strip() != f"### {what} {name}":
            message = f"found {line.strip()!r}, expected '### {what} {name}' alone"
            faults.append(RegionFault(number, message))
        elif what == "BEGIN" and opened is None:
            opened = (name, number)
        elif what == "END" and opened and opened[0] == name:
            regions.append(Region(name, opened[1], number))
            opened = None
        else:
            within = f"inside {opened[0]}" if opened else "with no beginning"
            faults.append(RegionFault(number, f"found {what} {name} {within}"))
    if opened:
        message = f"found BEGIN {opened[0]} without an end"
        faults.append(RegionFault(opened[1], message))
    return regions, faults


def replace_regions(source: str, name: str, stub: str) -> str:
    """A cell with other lines in place of its regions of one name.

    Args:
        source: The cell.
        name: ``SOLUTION`` or ``HIDDEN``.
        stub: What stands there instead, indented as the region was.
    """
    lines = source.splitlines()
    regions, _ = find_regions(source)
    for region in reversed(regions):
        if region.name == name:
            margin = re.match(r"\s*", lines[region.first])[0]
            put = [margin + line for line in stub.splitlines()]
            lines[region.first : region.last + 1] = put
    return "\n".join(lines)


def drop_edges(source: str) -> str:
    """A cell without the comments, and with what stands between them."""
    return "\n".join(line for line in source.splitlines() if not _EDGE.search(line))


def inside_regions(source: str, name: str) -> list[str]:
    """The lines between the comments of one name, as they stand."""
    lines = source.splitlines()
    return [
        line
        for region in find_regions(source)[0]
        if region.name == name
        for line in lines[region.first + 1 : region.last]
    ]


def make_starter(source: str) -> str:
    """A solution as the student gets it."""
    return replace_regions(source, SOLUTION, STUB)
