"""Runs notebooks in fresh kernels, several at a time from one event loop."""

import asyncio
import copy
import json
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from jupyter_client.kernelspec import NoSuchKernel
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from nbformat import NotebookNode, v4
from zmq import ZMQError

from d2l_support.build.background import run_in_background
from d2l_support.build.failures import explain_cell, explain_probe, explain_start
from d2l_support.build.frameworks import ENVIRONMENTS, FRAMEWORKS
from d2l_support.build.launch import Start, last_words, start_kernel
from d2l_support.build.problems import Problem

CELL_TIMEOUT = 120
"""Seconds that one cell may take."""

DESCRIBE = """
import json
from d2l_support import {framework} as _book_helpers
print(json.dumps(_book_helpers.describe_environment()))
"""

FAULTS = (NoSuchKernel, OSError, RuntimeError, CellExecutionError, ZMQError)
"""What a kernel that does not start, dies, hangs or raises comes out as."""


@dataclass(frozen=True)
class Job:
    """One notebook to run.

    Attributes:
        section: The section's name, for messages and progress.
        framework: Whose kernel runs it.
        notebook: Code cells, each with its id.
        path: The section's source, for messages.
        variables: What the kernel's process finds in its environment besides.
        prepare: Code that runs before the first cell; its output is dropped.
        environment: Whose kernel runs it, if not the framework's own.
    """

    section: str
    framework: str
    notebook: NotebookNode
    path: Path
    variables: Mapping[str, str] = field(default_factory=dict)
    prepare: str = ""
    environment: str = ""

    @property
    def kernel_key(self) -> str:
        """Whose kernel runs it, in ``ENVIRONMENTS``."""
        return self.environment or self.framework


@dataclass(frozen=True)
class Execution:
    """What became of a job.

    Attributes:
        job: The job.
        seconds: How long it took, the kernel's start included.
        notebook: The notebook with outputs, or None if the run failed.
        environment: What the kernel said of itself.
        problem: Why the run failed, or None.
        reached: The cells that had run when a cell made it fail, or None.
    """

    job: Job
    seconds: float
    notebook: NotebookNode | None = None
    environment: dict[str, Any] | None = None
    problem: Problem | None = None
    reached: NotebookNode | None = None


Report = Callable[[Job, str], None]
"""Told of a job's state as it changes: a cell's id, ``done`` or ``failed``."""

Receive = Callable[[Execution], None]
"""Given each execution as soon as it is over."""


def execute_jobs(
    jobs: list[Job],
    kernels: Path | Start,
    parallel: int = 2,
    timeout: float = CELL_TIMEOUT,
    report: Report = lambda job, state: None,
    receive: Receive = lambda execution: None,
) -> list[Execution]:
    """Runs every job in a fresh kernel of its own, heaviest first.

    Args:
        jobs: What to run.
        kernels: The folder that holds our kernelspecs, or how else a kernel is had.
        parallel: How many kernels may run at a time.
        timeout: Seconds that one cell may take.
        report: Called from the loop's thread as a job's state changes.
        receive: Called from this thread with each execution; if it raises,
            the jobs that are left are given up.

    Returns:
        One execution per job, in the order given.

    Raises:
        KeyboardInterrupt: After every kernel was shut down.
    """
    executions: dict[int, Execution] = {}
    start = kernels if callable(kernels) else partial(start_kernel, kernels)

    def take(execution: Execution) -> None:
        executions[id(execution.job)] = execution
        receive(execution)

    run_in_background(
        lambda put: _run_all(jobs, start, parallel, timeout, report, put), take
    )
    return [executions[id(job)] for job in jobs]


async def _run_all(jobs, start, parallel, timeout, report, put: Receive) -> None:
    slots = asyncio.Semaphore(parallel)

    async def run(job: Job) -> None:
        async with slots:
            execution = await _run_job(job, start, timeout, report)
            report(job, "failed" if execution.problem else "done")
            put(execution)

    async with asyncio.TaskGroup() as group:
        for job in sorted(jobs, key=lambda job: -FRAMEWORKS[job.framework].weight):
            group.create_task(run(job))


async def _run_job(job: Job, start: Start, timeout: float, report) -> Execution:
    started = time.monotonic()
    report(job, "starting")
    notebook = copy.deepcopy(job.notebook)
    # An underscore: no section's cell can have these ids.
    if job.prepare:
        notebook.cells.insert(0, v4.new_code_cell(job.prepare, id="_prepare"))
    code = DESCRIBE.format(framework=job.framework)
    notebook.cells.append(v4.new_code_cell(code, id="_environment"))
    with tempfile.TemporaryDirectory(prefix="d2l-", ignore_cleanup_errors=True) as name:
        problem = await _run_cells(job, notebook, start, Path(name), timeout, report)
    seconds = time.monotonic() - started
    if problem:
        reached = _cut_before(problem.cell, notebook)
        problem = problem.at(path=job.path)
        return Execution(job, seconds, problem=problem, reached=reached)
    try:
        probe = notebook.cells.pop()
        said = "".join(o.text for o in probe.outputs if o.get("name") == "stdout")
        environment = parse_environment(said)
        del notebook.cells[: bool(job.prepare)]
    except ValueError as error:
        problem = explain_probe(error, job.framework).at(path=job.path)
        return Execution(job, seconds, problem=problem)
    return Execution(job, seconds, notebook, environment)


def _cut_before(cell: str, notebook: NotebookNode) -> NotebookNode | None:
    """The notebook without a cell and all after it; None without such a cell."""
    ids = [node.id for node in notebook.cells]
    if cell not in ids:
        return None
    kept = copy.copy(notebook)
    kept.cells = notebook.cells[ids.count("_prepare") : ids.index(cell)]
    return kept


async def _run_cells(
    job: Job, notebook: NotebookNode, start: Start, folder: Path, timeout, report
) -> Problem | None:
    """Runs the notebook in place; returns what stopped it."""
    current: NotebookNode | None = None

    def on_cell_start(cell: NotebookNode, cell_index: int) -> None:
        nonlocal current
        current = cell
        report(job, cell.id)

    kernel = ENVIRONMENTS[job.kernel_key].kernel
    try:
        async with start(kernel, folder, job.variables) as (manager, channels):
            client = NotebookClient(
                notebook,
                km=manager,
                timeout=timeout,
                record_timing=False,
                on_cell_start=on_cell_start,
            )
            client.kc = channels
            await client.async_execute()
    except FAULTS as error:
        # Cancelled from outside, nbclient says that the kernel died.
        if asyncio.current_task().cancelling():
            raise asyncio.CancelledError from None
        words = last_words(folder)
        if current is None:
            return explain_start(error, job.framework, words)
        if current is notebook.cells[-1]:
            return explain_probe(error, job.framework)
        return explain_cell(error, current, job.framework, timeout, words)
    return None


def parse_environment(said: str) -> dict[str, Any]:
    """What ``DESCRIBE`` made a process say of itself, on its last line.

    Raises:
        ValueError: It printed nothing, or something else.
    """
    lines = said.splitlines()
    try:
        return dict(json.loads(lines[-1]))
    except (IndexError, TypeError, ValueError) as error:
        found = repr(lines[-1]) if lines else "nothing"
        raise ValueError(f"it printed {found}, no JSON object") from error
