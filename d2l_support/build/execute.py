"""Runs notebooks in fresh kernels, several at a time from one event loop.

Each kernel talks over its own ipc path: two processes that pick TCP ports at
the same moment can pick the same one. The loop runs in a thread of its own,
so that an interrupt reaches us and not nbclient's handlers, and every kernel
is shut down before it goes on.
"""

import asyncio
import json
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jupyter_client.kernelspec import KernelSpecManager, NoSuchKernel
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from nbformat import NotebookNode, v4

from d2l_support.build.frameworks import FRAMEWORKS
from d2l_support.build.problems import Problem

CELL_TIMEOUT = 120
"""Seconds that one cell may take."""

DESCRIBE = """
import json
from d2l_support import {framework} as _book_helpers
print(json.dumps(_book_helpers.describe_environment()))
"""


@dataclass(frozen=True)
class Job:
    """One notebook to run.

    Attributes:
        section: The section's name, for messages and progress.
        framework: Whose kernel runs it.
        notebook: Code cells, each with its id.
        path: The section's source, for messages.
    """

    section: str
    framework: str
    notebook: NotebookNode
    path: Path


@dataclass(frozen=True)
class Execution:
    """What became of a job.

    Attributes:
        job: The job.
        seconds: How long it took, the kernel's start included.
        notebook: The notebook with outputs, or None if the run failed.
        environment: What the kernel said of itself.
        problem: Why the run failed, or None.
    """

    job: Job
    seconds: float
    notebook: NotebookNode | None = None
    environment: dict[str, Any] | None = None
    problem: Problem | None = None


Report = Callable[[Job, str], None]
"""Told of a job's state as it changes: a cell's id, ``done`` or ``failed``."""


def execute_jobs(
    jobs: list[Job],
    kernels: Path,
    parallel: int = 2,
    timeout: float = CELL_TIMEOUT,
    report: Report = lambda job, state: None,
) -> list[Execution]:
    """Runs every job in a fresh kernel of its own, heaviest first.

    Args:
        jobs: What to run.
        kernels: The folder that holds our kernelspecs.
        parallel: How many kernels may run at a time.
        timeout: Seconds that one cell may take.
        report: Called from the loop's thread as a job's state changes.

    Returns:
        One execution per job, in the order given.

    Raises:
        KeyboardInterrupt: After every kernel was shut down.
    """
    outcome: list[Execution] = []
    failure: list[BaseException] = []
    loop = asyncio.new_event_loop()
    work = _run_all(jobs, kernels, parallel, timeout, report)

    def run_loop() -> None:
        try:
            outcome.extend(loop.run_until_complete(task))
        except BaseException as error:
            failure.append(error)

    task = loop.create_task(work)
    thread = threading.Thread(target=run_loop, name="kernels")
    thread.start()
    try:
        while thread.is_alive():
            thread.join(timeout=0.2)
    except KeyboardInterrupt:
        loop.call_soon_threadsafe(task.cancel)
        thread.join()
        raise
    finally:
        loop.close()
    if failure:
        raise failure[0]
    return outcome


async def _run_all(jobs, kernels, parallel, timeout, report) -> list[Execution]:
    slots = asyncio.Semaphore(parallel)
    heaviest_first = sorted(jobs, key=lambda job: -FRAMEWORKS[job.framework].weight)

    async def run(job: Job) -> Execution:
        async with slots:
            execution = await _run_job(job, kernels, timeout, report)
            report(job, "failed" if execution.problem else "done")
            return execution

    async with asyncio.TaskGroup() as group:
        tasks = {id(job): group.create_task(run(job)) for job in heaviest_first}
    return [tasks[id(job)].result() for job in jobs]


async def _run_job(job: Job, kernels: Path, timeout, report) -> Execution:
    started = time.monotonic()
    current: dict[str, str | None] = {"cell": None}
    probe = v4.new_code_cell(DESCRIBE.format(framework=job.framework), id="describe")
    notebook = v4.new_notebook(cells=[*job.notebook.cells, probe])
    notebook.metadata = job.notebook.metadata

    def on_cell_start(cell: NotebookNode, cell_index: int) -> None:
        current["cell"] = cell.id
        report(job, cell.id)

    report(job, "starting")
    with tempfile.TemporaryDirectory(prefix="d2l-") as folder:
        manager = AsyncKernelManager(
            kernel_name=FRAMEWORKS[job.framework].kernel,
            kernel_spec_manager=KernelSpecManager(
                kernel_dirs=[str(kernels)], ensure_native_kernel=False
            ),
            transport="ipc",
            ip=f"{folder}/kernel",
        )
        client = NotebookClient(
            notebook,
            km=manager,
            timeout=timeout,
            startup_timeout=60,
            shutdown_kernel="immediate",
            resources={"metadata": {"path": folder}},
            on_cell_start=on_cell_start,
        )
        problem = None
        try:
            await client.async_execute(stderr=asyncio.subprocess.DEVNULL)
        except (NoSuchKernel, OSError, RuntimeError, CellExecutionError) as error:
            problem = _explain(error, job, current["cell"], timeout)
        finally:
            if manager.has_kernel:
                await manager.shutdown_kernel(now=True)
    seconds = time.monotonic() - started
    if problem:
        return Execution(job, seconds, problem=problem)
    environment = json.loads(notebook.cells.pop().outputs[0].text)
    return Execution(job, seconds, notebook, environment)


def _explain(error: Exception, job: Job, cell: str | None, timeout) -> Problem:
    """The problem behind an exception of nbclient or jupyter_client."""
    line = None
    for node in job.notebook.cells:
        if node.id == cell:
            line = node.metadata.get("book", {}).get("line")
    where = {"path": job.path, "line": line, "cell": cell, "framework": job.framework}
    repair = f"d2l-support kernels --create --framework {job.framework}"
    if cell is None:
        missing = isinstance(error, NoSuchKernel)
        found = (
            "no such kernel" if missing else f"a kernel that does not start ({error})"
        )
        return Problem(
            "kernel",
            f"found {found}, expected {FRAMEWORKS[job.framework].kernel}",
            run=repair,
            **where,
        )
    if isinstance(error, CellTimeoutError):
        message = (
            f"found no end after {timeout:g} s, expected one (--timeout raises it)"
        )
        return Problem("timeout", message, **where)
    if isinstance(error, DeadKernelError):
        message = "found that the kernel died in this cell, expected it to live"
        return Problem("died", message, **where)
    if isinstance(error, CellExecutionError):
        message = (
            f"found {error.ename}: {error.evalue}, expected no error "
            "(`:tags: [raises-exception]` where it is the lesson)"
        )
        return Problem("raised", message, **where)
    return Problem("kernel", f"found {error}, expected a run", run=repair, **where)
