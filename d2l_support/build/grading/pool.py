"""Runs notebooks on this machine, some at a time, each in processes of its own."""

from collections.abc import Callable, Collection
from concurrent.futures import Future, ThreadPoolExecutor, as_completed, wait
from contextlib import suppress
from dataclasses import dataclass, field

import psutil
from nbformat import NotebookNode

from d2l_support.build.isolation.outcome import Limits, Outcome
from d2l_support.build.isolation.run import run_isolated
from d2l_support.build.layout import Book


@dataclass(frozen=True)
class Job:
    """A notebook to run.

    Attributes:
        key: The assignment's name and the student's.
        framework: Whose kernel runs it.
        notebook: The notebook, guards included.
    """

    key: tuple[str, str]
    framework: str
    notebook: NotebookNode


@dataclass(frozen=True)
class Terms:
    """On what terms a notebook is run.

    Attributes:
        limits: What it may use.
        isolation: ``auto``, ``sandbox`` or ``process``.
    """

    limits: Limits = field(default_factory=Limits)
    isolation: str = "auto"


class Watch:
    """Told of progress; this one keeps it to itself."""

    def start(self, job: Job) -> None:
        """A notebook begins to run."""

    def finish(self, job: Job, state: str) -> None:
        """A notebook was run, and what came of it recorded."""


Receive = Callable[[Job, Outcome], None]
"""Given each outcome in the calling thread, as soon as it is there."""

WORKER = "d2l_support.build.isolation.worker"
"""The module by which the processes of ``run_isolated`` are known."""

Runner = Callable[[list[Job], Callable[[Job], None], Receive], None]
"""Runs jobs; tells of each as it starts, and gives each outcome away."""


def make_local_runner(book: Book, terms: Terms, parallel: int) -> Runner:
    """A runner that uses this machine.

    Args:
        book: The checkout, with its kernels.
        terms: On what terms.
        parallel: How many notebooks may run at a time.
    """

    def run(jobs: list[Job], start: Callable[[Job], None], receive: Receive) -> None:
        def run_one(job: Job) -> Outcome:
            start(job)
            return run_isolated(
                job.notebook, job.framework, book, terms.limits, terms.isolation
            )

        with ThreadPoolExecutor(parallel) as pool:
            futures = {pool.submit(run_one, job): job for job in jobs}
            try:
                for future in as_completed(futures):
                    receive(futures[future], future.result())
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                end_workers(futures)
                raise

    return run


def end_workers(futures: Collection[Future]) -> None:
    """Ends the processes that runs of this process wait for.

    A thread may be about to start one, so it asks again until all are over.
    """
    left = set(futures)
    while left:
        for child in psutil.Process().children():
            with suppress(psutil.Error):
                if WORKER in child.cmdline():
                    child.terminate()
        _, left = wait(left, timeout=0.2)
