"""The cheat sheet: which lines of which cells do a task, in four frameworks.

One file lists the tasks. The lines are copied from recorded cells, and
``find_faults`` says where they no longer stand there.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from d2l_support.build.frameworks import FRAMEWORKS
from d2l_support.build.problems import Problem
from d2l_support.build.section import Cell, Section

PATH = Path("chapters") / "cheat-sheet.yml"

GAP = "..."
"""The line that stands for lines of the cell that are left out."""

HALVES = ("finally:", "except", "else:", "elif ")
"""How lines begin that mean nothing without those before them."""

OPEN = (":", ",", "(", "[", "{")
"""How lines end that mean nothing without those after them."""

MOST_LINES = 5
"""Lines of code that one framework may have for one task."""


@dataclass(frozen=True)
class Excerpt:
    """What one framework has for a task.

    Attributes:
        framework: The framework key.
        section: The section, as ``part/name``.
        step: The step in it.
        line: Line of the excerpt in the sheet's file, from 1.
        text: Lines of that step's cell, without the indentation that they
            share; empty where ``why`` says why there are none.
        why: Why there are none.
    """

    framework: str
    section: str
    step: str
    line: int
    text: str = ""
    why: str = ""


@dataclass(frozen=True)
class Task:
    """A line of the sheet: what is to be done, and how four frameworks do it.

    Attributes:
        name: What is to be done.
        section: The section that is about it, as ``part/name``.
        excerpts: What each framework has for it, in page order.
    """

    name: str
    section: str
    excerpts: tuple[Excerpt, ...]

    @property
    def part(self) -> str:
        """The part of the book that it belongs to."""
        return self.section.partition("/")[0]


def find_faults(
    tasks: tuple[Task, ...], sections: Mapping[str, Section], known: set[str]
) -> list[tuple[Excerpt, Problem]]:
    """The excerpts that do not hold, each with what is wrong.

    Args:
        tasks: The tasks.
        sections: The sections to look into, by ``part/name``; excerpts of
            others are passed over.
        known: The names of all sections.
    """
    return [
        (excerpt, problem)
        for task in tasks
        for excerpt in task.excerpts
        for message in _find_fault(excerpt, sections, known)
        for problem in [make_problem(message, excerpt.line, task.name, excerpt)]
    ]


def make_problem(
    message: str, line: int, task: str = "", excerpt: Excerpt | None = None
) -> Problem:
    """A problem at a place of the sheet's file.

    Args:
        message: "found ..., expected ...".
        line: Line in the file.
        task: The task's name.
        excerpt: What is wrong, if it is one framework's.
    """
    told = f"task {task!r}: {message}" if task else message
    if excerpt is None:
        return Problem("sheet", told, PATH, line)
    return Problem("sheet", told, PATH, line, excerpt.step, excerpt.framework)


def _find_fault(
    excerpt: Excerpt, sections: Mapping[str, Section], known: set[str]
) -> Iterator[str]:
    if excerpt.section not in known:
        yield f"found no section {excerpt.section!r}, expected one as part/name"
    elif section := sections.get(excerpt.section):
        cells = [cell for cell in section.cells if cell.step == excerpt.step]
        if not cells:
            yield f"found no such step in {section.path}, expected one with this id"
        elif excerpt.text:
            yield from _compare(excerpt, cells, section.path)


def _compare(excerpt: Excerpt, cells: list[Cell], path: Path) -> Iterator[str]:
    sources = [
        cell.source
        for cell in cells
        if cell.is_run and not cell.grade and excerpt.framework in cell.frameworks
    ]
    if not sources:
        label = FRAMEWORKS[excerpt.framework].label
        yield (
            f"found no {label} code in this step of {path}, expected a code cell "
            "that is recorded and no answer to an exercise"
        )
        return
    standing = [line.strip() for line in sources[0].splitlines()]
    whole = _drop_empty(excerpt.text)
    if whole[0].startswith(HALVES) or whole[-1].endswith(OPEN):
        yield f"found half a statement, expected all of it, or {GAP} for its rest"
    lines = [line for line in whole if line.strip() != GAP]
    gone = [line.strip() for line in lines if line.strip() not in standing]
    if gone:
        yield f"found the line {gone[0]!r}, expected a line of that cell in {path}"
    elif not stands_in(excerpt.text, sources[0]):
        yield (
            "found its lines otherwise in that cell, expected the same order and "
            f"indentation, and {GAP} where lines are left out"
        )


def stands_in(text: str, source: str) -> bool:
    """Whether an excerpt stands in a cell, apart from a common indentation.

    Empty lines do not count. Lines on either side of a gap may be apart.
    """
    lines, own = _drop_empty(source), _drop_empty(text)
    indents = {len(line) - len(line.lstrip()) for line in lines}
    return any(_follow(own, lines, " " * indent) for indent in indents)


def _follow(own: list[str], lines: list[str], indent: str) -> bool:
    place = 0
    for run in _split_at_gaps(own):
        wanted = [indent + line for line in run]
        starts = range(place, len(lines) - len(wanted) + 1)
        found = [at for at in starts if lines[at : at + len(wanted)] == wanted]
        if not found:
            return False
        place = found[0] + len(wanted)
    return True


def _split_at_gaps(lines: list[str]) -> list[list[str]]:
    runs: list[list[str]] = [[]]
    for line in lines:
        if line.strip() == GAP:
            runs.append([])
        else:
            runs[-1].append(line)
    return [run for run in runs if run]


def _drop_empty(text: str) -> list[str]:
    return [line.rstrip() for line in text.splitlines() if line.strip()]
