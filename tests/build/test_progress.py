"""What a long run shows: a table on a terminal, lines elsewhere."""

import io
import re
from pathlib import Path

from nbformat import v4
from rich.console import Console

from d2l_support.build import progress
from d2l_support.build.execute import Job
from d2l_support.build.progress import (
    ExecutionTable,
    show_execution,
    show_installation,
)

JOBS = [
    Job(section, framework, v4.new_notebook(), Path("x.md"))
    for section, framework in [
        ("part/a", "jax"),
        ("part/a", "pytorch"),
        ("part/b", "jax"),
    ]
]


def make_console(terminal: bool) -> Console:
    return Console(file=io.StringIO(), force_terminal=terminal, width=78)


def text_of(console: Console) -> str:
    """What was written, without the terminal's own codes."""
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", console.file.getvalue())


def stop_the_clock(monkeypatch) -> list[float]:
    clock = [100.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: clock[0])
    return clock


def read_rows(table: ExecutionTable) -> list[list[str]]:
    console = make_console(terminal=False)
    console.print(table)
    lines = [line for line in text_of(console).splitlines() if re.search(r"\w", line)]
    return [[cell.strip() for cell in re.split("[│┃]", line)[1:-1]] for line in lines]


def test_execution_table_has_a_row_per_section_and_a_column_per_framework(monkeypatch):
    clock = stop_the_clock(monkeypatch)
    table = ExecutionTable(JOBS, make_console(terminal=True))
    table.report(JOBS[0], "starting")
    table.report(JOBS[1], "starting")
    clock[0] += 2.5
    table.report(JOBS[0], "done")
    table.report(JOBS[1], "train")
    clock[0] += 10
    assert read_rows(table) == [
        ["section", "PyTorch", "JAX"],
        ["part/a", "12 s  train", "✓ 2.5 s"],
        ["part/b", "", "waiting"],
    ]
    table.report(JOBS[1], "failed")
    assert read_rows(table)[1] == ["part/a", "✗ 12.5 s", "✓ 2.5 s"]


def test_show_execution_on_a_terminal_draws_the_table():
    console = make_console(terminal=True)
    with show_execution(JOBS, console) as table:
        table.report(JOBS[0], "starting")
        table.report(JOBS[0], "done")
    shown = text_of(console)
    assert "part/a" in shown
    assert "✓ 0.0 s" in shown
    assert "part/a jax: done" not in shown


def test_show_execution_elsewhere_prints_a_line_per_notebook(monkeypatch):
    clock = stop_the_clock(monkeypatch)
    console = make_console(terminal=False)
    with show_execution(JOBS, console) as table:
        table.report(JOBS[0], "starting")
        table.report(JOBS[1], "starting")
        clock[0] += 1.25
        table.report(JOBS[0], "one")
        table.report(JOBS[0], "done")
        clock[0] += 1
        table.report(JOBS[1], "failed")
    assert text_of(console).splitlines() == [
        "part/a jax: done, 1.2 s",
        "part/a pytorch: failed, 2.2 s",
    ]


def test_show_installation_on_a_terminal_shows_the_line_with_its_brackets(monkeypatch):
    stop_the_clock(monkeypatch)
    console = make_console(terminal=True)
    with show_installation(console) as report:
        report("jax", "Collecting jax[cpu]==0.10 and [/x]")
    assert "jax: Collecting jax[cpu]==0.10 and [/x] (0 s)" in text_of(console)


def test_show_installation_elsewhere_leaves_routine_out(monkeypatch):
    clock = stop_the_clock(monkeypatch)
    console = make_console(terminal=False)
    with show_installation(console) as report:
        report("jax", "broken: No module named 'jax[cpu]'")
        clock[0] += 61
        report("jax", "Collecting flax==0.12")
        report("jax", "Successfully installed " + "flax-0.12 " * 9)
    assert text_of(console).splitlines() == [
        "jax: broken: No module named 'jax[cpu]' (0 s)",
        "jax: Successfully installed flax-0.12 flax-0.12 flax-0.12 flax-0. (61 s)",
    ]
