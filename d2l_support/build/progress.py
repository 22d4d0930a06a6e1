"""Shows long work: a live table of section by framework, or plain lines."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.live import Live
from rich.markup import escape
from rich.table import Table

from d2l_support.build.execute import Job
from d2l_support.build.frameworks import FRAMEWORKS

ROUTINE = ("Looking in", "Collecting", "Using cached", "Downloading", "Requirement")
"""How the lines of pip begin that are too many for a log."""

SYMBOLS = {"done": "[green]✓", "failed": "[red]✗"}


class ExecutionTable:
    """The state of every job, drawn as a table with one column a framework."""

    def __init__(self, jobs: list[Job], console: Console):
        self.console = console
        self.states: dict[tuple[str, str], str] = {
            (job.section, job.framework): "waiting" for job in jobs
        }
        self.started: dict[tuple[str, str], float] = {}
        self.seconds: dict[tuple[str, str], float] = {}

    def report(self, job: Job, state: str) -> None:
        """Takes a job's new state; prints a line where no table can be live."""
        key = (job.section, job.framework)
        self.started.setdefault(key, time.monotonic())
        self.states[key] = state
        if state in SYMBOLS:
            self.seconds[key] = time.monotonic() - self.started[key]
            if not self.console.is_terminal:
                self.console.print(
                    f"{' '.join(key)}: {state}, {self.seconds[key]:.1f} s"
                )

    def __rich__(self) -> Table:
        frameworks = [key for key in FRAMEWORKS if key in {f for _, f in self.states}]
        table = Table("section", *(FRAMEWORKS[key].label for key in frameworks))
        for section in dict.fromkeys(section for section, _ in self.states):
            row = [self._describe((section, key)) for key in frameworks]
            table.add_row(section, *row)
        return table

    def _describe(self, key: tuple[str, str]) -> str:
        state = self.states.get(key, "")
        if state in SYMBOLS:
            return f"{SYMBOLS[state]} {self.seconds[key]:.1f} s"
        if key in self.started:
            return f"{time.monotonic() - self.started[key]:.0f} s  [cyan]{state}"
        return f"[dim]{state}"


@contextmanager
def show_execution(jobs: list[Job], console: Console) -> Iterator[ExecutionTable]:
    """A table of these jobs, live while the block runs."""
    table = ExecutionTable(jobs, console)
    if not console.is_terminal:
        yield table
        return
    with Live(table, console=console, refresh_per_second=4):
        yield table


@contextmanager
def show_installation(console: Console) -> Iterator[Callable[[str, str], None]]:
    """A function that shows a framework and pip's last line, with the time."""
    started = time.monotonic()
    with console.status("") as status:

        def report(framework: str, line: str) -> None:
            seconds = time.monotonic() - started
            # Pip's lines have brackets of their own, as in jax[cpu].
            text = escape(f"{framework}: {line[:60]} ({seconds:.0f} s)")
            if console.is_terminal:
                status.update(text)
            elif not line.startswith(ROUTINE):
                console.print(text, highlight=False, soft_wrap=True)

        yield report
