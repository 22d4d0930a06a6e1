"""The worker: one notebook, one kernel, one answer; run as a program.

It reads a job from stdin and writes the outcome to what was its stdout; all
else that is printed goes to stderr. It ends its kernel and itself when it is
told to (SIGTERM), or when the pipe whose number is its argument closes, which
it does however its caller ends.
"""

import sys

if __name__ == "__main__":
    # A grammar of internet addresses that jsonschema loads where it is installed:
    # three quarters of this program's start, and no notebook's schema asks for it.
    sys.modules["rfc3987_syntax"] = None

import asyncio
import copy
import os
import resource
import signal
import time
from pathlib import Path

from d2l_support.build.environments import environment_python
from d2l_support.build.execute import FAULTS
from d2l_support.build.failures import explain_start
from d2l_support.build.frameworks import ENVIRONMENTS
from d2l_support.build.isolation.attestation import build_installation
from d2l_support.build.isolation.cells import QuestioningClient, Run
from d2l_support.build.isolation.environment import build_variables, keep_variables
from d2l_support.build.isolation.faults import mark_rest
from d2l_support.build.isolation.job import Job
from d2l_support.build.isolation.meter import MeteredSession, make_context
from d2l_support.build.isolation.outcome import OUTPUT, UNSTARTED, Outcome
from d2l_support.build.isolation.processes import (
    adopt_orphans,
    end_descendants,
    find_descendants,
    limit_resources,
)
from d2l_support.build.isolation.sandbox import SANDBOX, build_prefix
from d2l_support.build.isolation.scratch import remove_scratch
from d2l_support.build.isolation.watch import DISK, watch_connections, watch_kernel
from d2l_support.build.launch import Launch, last_words, start_kernel
from d2l_support.build.layout import Book

INSTALL_SECONDS = 30
"""Seconds that the attestation may take to be in place."""

OWN_MEMORY = 2**30
"""Bytes of data that the worker itself may hold beside some outputs."""

SPARE_MEMORY = 2**31
"""Bytes of data that one process may ask for beyond the memory limit: the four
frameworks ask for no more than half of this before they hold any (measured:
0.5 GB on two cores; a thread's stack counts 8 MB). One huge request fails at
once; what is held is watched."""

THREADS = 4096
"""Threads that a user may have where a run's kernel counts them."""


async def run_job(job: Job) -> Outcome:
    """Runs the job's notebook; what became of it."""
    started = time.monotonic()
    notebook = copy.deepcopy(job.notebook)
    completed: list[str] = []
    try:
        ending, detail = await _run_notebook(job, notebook, completed)
    except FAULTS as error:
        words = last_words(Path(job.folder))
        detail = explain_start(error, job.framework, words).message
        ending = UNSTARTED
        mark_rest(notebook.cells, detail)
    finally:
        end_descendants()
    seconds = time.monotonic() - started
    return Outcome(notebook, ending, detail, tuple(completed), seconds, job.isolation)


async def _run_notebook(job: Job, notebook, completed: list[str]) -> tuple[str, str]:
    book = Book(Path(job.root))
    folder = Path(job.folder, "kernel")
    folder.mkdir()
    cut = asyncio.get_running_loop().create_future()

    def cut_off(ending: str, detail: str) -> None:
        if not cut.done():
            cut.set_result((ending, detail))

    session = MeteredSession()
    launch = _build_launch(job, book, folder, session)
    variables = build_variables(str(folder / "home"), str(folder / "tmp"))
    kernel = ENVIRONMENTS[job.framework].kernel
    kernels = book.jupyter / "kernels"
    async with start_kernel(kernels, kernel, folder, variables, launch) as started:
        manager, client = started
        _limit_processes(job)
        await client.execute(
            build_installation(), silent=True, reply=True, timeout=INSTALL_SECONDS
        )
        session.limit = job.limits.output
        session.excess = lambda sentence: cut_off(OUTPUT, sentence)
        watches = [
            watch_kernel(manager, job.limits, folder, cut_off),
            watch_connections(manager, client, job.limits, cut_off),
        ]
        tasks = [asyncio.ensure_future(watch) for watch in watches]
        # An interrupt that reached bubblewrap itself would end the sandbox.
        outer = {manager.provisioner.pid} if job.isolation == SANDBOX else ()
        run = Run(notebook, manager, client, job.limits, cut, outer, completed)
        try:
            return await run.run_cells()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)


def _build_launch(job: Job, book: Book, folder: Path, session) -> Launch:
    for name in ("home", "tmp"):
        (folder / name).mkdir()
    context = make_context(job.limits.output)
    kept = keep_variables(environment_python(book, job.framework))
    sandboxed = job.isolation == SANDBOX
    return Launch(
        prefix=build_prefix(book, job.framework, folder, kept) if sandboxed else (),
        inherited=kept,
        log=Path(job.folder, "log"),
        traits={"session": session, "client_factory": QuestioningClient},
        client_traits={"session": session, "context": context},
    )


def _limit_processes(job: Job) -> None:
    """Limits the kernel, before it runs any cell, and then this process."""
    limits = {
        resource.RLIMIT_DATA: job.limits.memory + SPARE_MEMORY,
        resource.RLIMIT_FSIZE: DISK,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_NPROC: THREADS,
    }
    limit_resources(find_descendants(), limits)
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, (OWN_MEMORY + 8 * job.limits.output, hard))


async def _run_until_told(job: Job, lifeline: int) -> Outcome:
    loop = asyncio.get_running_loop()
    task = asyncio.ensure_future(run_job(job))
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, task.cancel)
    loop.add_reader(lifeline, task.cancel)
    try:
        return await task
    finally:
        loop.remove_reader(lifeline)


def main() -> int:
    """Runs the job on stdin; 0 after an answer, 1 when told to end."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    adopt_orphans()
    job = Job.from_json(sys.stdin.read())
    try:
        outcome = asyncio.run(_run_until_told(job, int(sys.argv[1])))
    except asyncio.CancelledError:
        remove_scratch(job.folder)  # its owner may be gone
        return 1
    with answers:
        answers.write(outcome.to_json())
    return 0


if __name__ == "__main__":
    sys.exit(main())
