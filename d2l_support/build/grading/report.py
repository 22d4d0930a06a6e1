"""Shows what was graded: a table in the terminal, a text file, progress."""

import io
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Table
from rich.text import Text

from d2l_support.build.grading.lines import Line
from d2l_support.build.grading.planning import CUT_OFF, GRADED, NOT_GRADED, UNCHANGED
from d2l_support.build.grading.pool import Job, Watch
from d2l_support.build.printing import print_plain

COLOURS = {GRADED: "green", UNCHANGED: "green", CUT_OFF: "yellow", NOT_GRADED: "red"}
TEXT_WIDTH = 110


def build_table(lines: list[Line]) -> Table:
    """A table with a row for each line."""
    table = Table("student", "assignment", "tests", "total", "to grade", "state", "")
    for column in table.columns[:2]:
        column.overflow = "fold"  # names are told apart by their ends
    for line in lines:
        scores = line.scores
        table.add_row(
            Text(line.student),
            Text(line.assignment.name),
            f"{scores.tests:g} of {scores.most_tests:g}" if scores else "",
            f"{scores.total:g} of {scores.most:g}" if scores else "",
            f"{scores.awaiting:g}" if scores and scores.awaiting else "",
            Text(line.state, COLOURS.get(line.state, "")),
            Text("look") if line.look else "",
        )
    return table


def describe_line(line: Line) -> str:
    """A line on what is noteworthy in a submission: who, which file, what."""
    said = "; ".join(finding.text for finding in line.findings)
    return f"{line.student}: {line.file or line.assignment.name}: {said}."


def summarise(lines: list[Line]) -> str:
    """How many submissions are in which state, and how they were isolated."""
    states = Counter(line.state for line in lines)
    counted = ", ".join(f"{number} {state}" for state, number in states.items())
    ways = sorted({line.isolation for line in lines} - {""})
    isolation = f" Isolation: {', '.join(ways)}." if ways else ""
    looks = sum(line.look for line in lines)
    need = f" {looks} need your eye." if looks else ""
    return f"{len(lines)} lines: {counted or 'none'}.{need}{isolation}"


def show_lines(lines: list[Line], console: Console) -> None:
    """Prints the table, then what is noteworthy, then the sum."""
    console.print(build_table(lines))
    for line in lines:
        if line.findings:
            print_plain(console, describe_line(line))
    print_plain(console, summarise(lines))


def write_text(lines: list[Line]) -> str:
    """The same as plain text."""
    file = io.StringIO()
    show_lines(lines, Console(file=file, width=TEXT_WIDTH, color_system=None))
    return file.getvalue()


class Lines(Watch):
    """Says on a line each what was run, where no bar can be drawn."""

    def __init__(self, total: int, console: Console):
        self.total, self.console = total, console
        self.number = 0
        self.started = time.monotonic()

    def finish(self, job: Job, state: str) -> None:
        """Prints how many are over."""
        self.number += 1
        seconds = time.monotonic() - self.started
        assignment, student = job.key
        text = f"{self.number} of {self.total}: {student}, {assignment}: {state}"
        print_plain(self.console, f"{text} ({seconds:.0f} s)")


class Bar(Watch):
    """Draws a bar, with the name of the submission that was started last."""

    def __init__(self, progress: Progress, total: int):
        self.progress = progress
        self.task = progress.add_task("", total=total)

    def start(self, job: Job) -> None:
        """Shows whose notebook runs."""
        self.progress.update(self.task, description=" ".join(reversed(job.key)))

    def finish(self, job: Job, state: str) -> None:
        """Moves the bar."""
        self.progress.advance(self.task)


@contextmanager
def show_progress(jobs: list[Job], console: Console) -> Iterator[Watch]:
    """What is to be told of these jobs while they run."""
    if not jobs:
        yield Watch()
    elif not console.is_terminal:
        yield Lines(len(jobs), console)
    else:
        description = TextColumn("{task.description}", markup=False)
        columns = description, BarColumn(), MofNCompleteColumn()
        with Progress(*columns, console=console) as progress:
            yield Bar(progress, len(jobs))
