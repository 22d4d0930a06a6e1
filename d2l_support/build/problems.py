"""Problems in the book's content, and the errors that prevent work.

Content problems are values: they are collected and reported together.
Exceptions are for what stops a command::

    BookError
    ├── ContentError        problems in sources or records    exit code 1
    └── CannotWork          the machine or the call           exit code 2
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path


@dataclass(frozen=True)
class Problem:
    """One thing wrong in one place.

    Attributes:
        code: A short name for the kind, such as ``stale`` or ``mark``.
        message: "found ..., expected ...".
        path: The file, relative to the book.
        line: Line in that file, counted from 1.
        cell: The cell's id.
        framework: The framework key.
        run: The command that mends it, where there is one.
    """

    code: str
    message: str
    path: Path | None = None
    line: int | None = None
    cell: str | None = None
    framework: str | None = None
    run: str | None = None

    def __str__(self) -> str:
        place = ":".join(str(p) for p in (self.path, self.line) if p is not None)
        cell = f"cell {self.cell!r}" if self.cell else ""
        framework = f"({self.framework})" if self.framework else ""
        subject = " ".join(part for part in (cell, framework) if part)
        text = ": ".join(part for part in (place, subject, self.message) if part)
        return f"{text}. Run: {self.run}" if self.run else f"{text}."

    def at(self, **where) -> "Problem":
        """The same problem with its place filled in."""
        return replace(self, **where)


class BookError(Exception):
    """Whatever stops a command of the book, with its exit code."""

    exit_code = 2


class CannotWork(BookError):
    """The machine, an environment or the call is not fit for the work."""


class ContentError(BookError):
    """Sources or records have problems; each is listed."""

    exit_code = 1

    def __init__(self, problems: Iterable[Problem]):
        self.problems = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))
