"""A section as a value: its cells with their marks."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from d2l_support.build.exercises.options import MUTANT
from d2l_support.build.frameworks import ALL_KEYS
from d2l_support.build.rules import Rule

DEPTHS = ("beginner", "developer", "researcher")
"""How deep a reader wants to go; what carries no mark is for developers."""


@dataclass(frozen=True)
class Cell:
    """One cell of a section.

    Attributes:
        kind: ``code`` or ``markdown``.
        source: The text, without marks.
        line: Line of its mark or fence in the section, from 1; of its text
            if it has neither.
        frameworks: The frameworks it belongs to, in page order.
        step: The id that it shares with its variants; None on plain prose.
        rule: The comparison rule it declares; None means the default.
        options: Every option or mark as written, the ones above included.
        gap: Empty lines between the mark of prose and its text.
    """

    kind: str
    source: str
    line: int
    frameworks: tuple[str, ...] = ALL_KEYS
    step: str | None = None
    rule: Rule | None = None
    options: dict[str, Any] = field(default_factory=dict)
    gap: int = 0

    @property
    def text_line(self) -> int:
        """The line at which the text of prose begins."""
        return self.line + self.gap + (1 if self.options else 0)

    @property
    def is_variant(self) -> bool:
        """Whether only some readers see it, by framework or by depth."""
        return "framework" in self.options or "depth" in self.options

    @property
    def depth(self) -> str | None:
        """The depth it is marked for, or None."""
        return self.options.get("depth")

    @property
    def grade(self) -> str | None:
        """Which part of an exercise it is, or None."""
        return self.options.get("grade")

    @property
    def is_run(self) -> bool:
        """Whether the section's notebook runs it: code, and no planted answer."""
        return self.kind == "code" and self.grade != MUTANT

    @property
    def may_raise(self) -> bool:
        """Whether an error is the lesson of this cell."""
        return "raises-exception" in self.options.get("tags", [])


@dataclass(frozen=True)
class Section:
    """A section: one MyST notebook with the cells of four frameworks.

    Attributes:
        path: The source file, relative to the book.
        cells: The cells in the order of the page.
        metadata: The front matter.
    """

    path: Path
    cells: tuple[Cell, ...]
    metadata: dict[str, Any] = field(default_factory=dict)

    def code_cells(self, framework: str) -> list[Cell]:
        """The code cells of one framework, in order of execution."""
        return [
            cell for cell in self.cells if cell.is_run and framework in cell.frameworks
        ]

    def steps(self) -> Iterator[tuple[str, list[Cell]]]:
        """Each step's id with its cells, in the order of the page."""
        grouped: dict[str, list[Cell]] = {}
        for cell in self.cells:
            if cell.step:
                grouped.setdefault(cell.step, []).append(cell)
        yield from grouped.items()
