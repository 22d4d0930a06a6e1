"""Times the pipeline on a copy of this checkout: builds, edits, executions.

Run ``make bench``. Machines differ, so read the ratios; each is taken
against the first row of its table, in the same run.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from rich.console import Console
from rich.table import Table

from d2l_support.build.check import load_section
from d2l_support.build.execute import Job, execute_jobs
from d2l_support.build.frameworks import ALL_KEYS
from d2l_support.build.layout import Book, SectionName
from d2l_support.build.split import split_code

IGNORED = shutil.ignore_patterns(".envs", ".git", "_build", ".cache", "__pycache__")
BUILDER = Path(sys.executable).with_name("jupyter-book")
BUILD = [str(BUILDER), "build", "-W", "-n", "--keep-going", "-q", "."]


def main() -> None:
    """Prints both tables."""
    console = Console()
    book = Book.find()
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "book"
        shutil.copytree(book.root, copy, ignore=IGNORED)
        show(console, "strict build", time_builds(copy))
    [section] = book.select_sections(["reproducibility/seeds"])
    show(console, "execution of `seeds`", time_executions(book, section))


def time_builds(root: Path) -> dict[str, float]:
    """Seconds of a cold build, an unchanged one, and one after an edit."""
    source = root / "chapters" / "reproducibility" / "seeds.md"
    times = {"cold": time_build(root), "unchanged": time_build(root)}
    source.write_text(source.read_text().replace("\n# ", "\n# On ", 1))
    times["one section edited"] = time_build(root)
    return times


def time_build(root: Path) -> float:
    """Seconds of one strict build."""
    environment = {**os.environ, "PYTHONPATH": str(root)}
    started = time.monotonic()
    subprocess.run(
        BUILD,
        cwd=root,
        env=environment,
        check=True,
        stdout=subprocess.DEVNULL,
    )
    return time.monotonic() - started


def time_executions(book: Book, name: SectionName) -> dict[str, float]:
    """Seconds to run a section in four kernels, by kernels at a time."""
    section = load_section(book, name)
    jobs = [
        Job(str(name), framework, split_code(section, framework), section.path)
        for framework in ALL_KEYS
    ]
    kernels = book.jupyter / "kernels"
    times = {}
    for parallel in (1, 2, 3):
        started = time.monotonic()
        executions = execute_jobs(jobs, kernels, parallel)
        if failed := [str(done.problem) for done in executions if done.problem]:
            sys.exit("\n".join(failed))
        times[f"{parallel} at a time"] = time.monotonic() - started
    return times


def show(console: Console, title: str, times: dict[str, float]) -> None:
    """Prints a table of seconds, and ratios to its first row."""
    first = next(iter(times.values()))
    table = Table(title, "seconds", "ratio")
    for name, seconds in times.items():
        table.add_row(name, f"{seconds:.1f}", f"{seconds / first:.2f}")
    console.print(table)


if __name__ == "__main__":
    main()
