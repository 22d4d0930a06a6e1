"""The exercises of a section as values."""

import re
from dataclasses import dataclass

from d2l_support.build.exercises.options import MUTANT, SOLUTION, TESTS, WRITTEN
from d2l_support.build.section import Cell, Section

HEADING = re.compile(r"^## +(\S.*?) *$", re.MULTILINE)


@dataclass(frozen=True)
class Exercise:
    """One exercise: the cells from the mark that opens it to the next.

    Attributes:
        opening: The prose that carries the mark: heading and statement.
        cells: The cells after it.
        before: The code before the first exercise, which all of them share.
    """

    opening: Cell
    cells: tuple[Cell, ...]
    before: tuple[Cell, ...] = ()

    @property
    def name(self) -> str:
        """The label by which pages and reports name it."""
        return str(self.opening.options["exercise"])

    @property
    def title(self) -> str:
        """The text of its heading, or the empty text."""
        found = HEADING.search(self.opening.source)
        return found[1] if found else ""

    @property
    def minutes(self) -> int | None:
        """The estimated time, in minutes."""
        return self.opening.options.get("minutes")

    @property
    def difficulty(self) -> str | None:
        """One of ``DIFFICULTIES``."""
        return self.opening.options.get("difficulty")

    def of_grade(self, grade: str, framework: str | None = None) -> list[Cell]:
        """The cells that are one part of it, in one framework or in all."""
        return [
            cell
            for cell in self.cells
            if cell.grade == grade and (not framework or framework in cell.frameworks)
        ]

    def solutions(self, framework: str) -> list[Cell]:
        """The code of the worked solution."""
        cells = self.of_grade(SOLUTION, framework)
        return [cell for cell in cells if cell.kind == "code"]

    def mutants(self, framework: str) -> list[Cell]:
        """What stands in for a solution, wrong or sound."""
        return self.of_grade(MUTANT, framework)

    def test_points(self, framework: str) -> int:
        """The points that its tests give, in one framework."""
        return sum(_points(cell) for cell in self.of_grade(TESTS, framework))

    def written_points(self) -> int:
        """The points that its answers in words give."""
        return sum(_points(cell) for cell in self.of_grade(WRITTEN))

    def runs_in(self, framework: str) -> bool:
        """Whether there is something to write in a framework."""
        return bool(self.solutions(framework))


def _points(cell: Cell) -> int:
    return cell.options.get("points", 0)


def find_exercises(section: Section) -> list[Exercise]:
    """The exercises of a section, in order; an ordinary section has none."""
    starts = [place for place, cell in enumerate(section.cells) if opens(cell)]
    before = [cell for cell in section.cells[: min(starts, default=0)] if is_code(cell)]
    ends = [*starts[1:], len(section.cells)][: len(starts)]
    return [
        Exercise(section.cells[start], section.cells[start + 1 : end], tuple(before))
        for start, end in zip(starts, ends, strict=True)
    ]


def opens(cell: Cell) -> bool:
    """Whether a cell opens an exercise."""
    return "exercise" in cell.options


def is_code(cell: Cell) -> bool:
    """Whether a cell is code."""
    return cell.kind == "code"
