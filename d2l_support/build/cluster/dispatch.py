"""Hands jobs to the workers of a Dask cluster.

Each job is bound to one worker, so that it is known where it runs. A worker
that is lost may have been taken along by the notebook, so its jobs are tried
on another worker once, not for ever.
"""

import time
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar

import distributed

from d2l_support.build.cluster.workers import (
    CONNECT_SECONDS,
    Need,
    Workers,
    connect,
)
from d2l_support.build.problems import CannotWork

POLL_SECONDS = 1
TRIES = 2
"""Workers that one job may be tried on."""

Job = TypeVar("Job")


@dataclass(frozen=True)
class Task(Generic[Job]):
    """What is done with each job.

    Attributes:
        call: A function of this package, and its arguments; run on a worker.
        start: Told of a job that begins.
        receive: Given a job and what its call returned.
        give_up: Given a job, and in words why nothing came of it.
        kept: What is said of the finished jobs if all workers are gone.
    """

    call: Callable[[Job], tuple[Callable, tuple]]
    start: Callable[[Job], None]
    receive: Callable[[Job, Any], None]
    give_up: Callable[[Job, str], None]
    kept: str


@dataclass(frozen=True)
class _Try(Generic[Job]):
    """A job on a worker, and how often it was tried before."""

    job: Job
    worker: str = ""
    before: int = 0


def dispatch_jobs(
    address: str, need: Need, jobs: Iterable[Job], task: Task[Job]
) -> None:
    """Runs every job on some worker of a scheduler.

    Args:
        address: The scheduler's, such as ``tcp://10.0.0.1:8786``.
        need: What the workers have to have.
        jobs: What to run.
        task: What is done with each.

    Raises:
        CannotWork: There is no scheduler, or no worker that can do the work;
            every worker is gone, or one said that it cannot work.
    """
    waiting = deque(_Try(job) for job in jobs)
    with connect(address) as client, client.as_current():
        _Dispatch(client, Workers(client, need), waiting, task).run()


@dataclass
class _Dispatch:
    client: distributed.Client
    workers: Workers
    waiting: deque[_Try]
    task: Task
    running: dict[distributed.Future, _Try] = field(default_factory=dict)
    seen: float = field(default_factory=time.monotonic)

    def run(self) -> None:
        """Runs every job that waits."""
        try:
            while self.waiting or self.running:
                self._submit()
                with suppress(TimeoutError):
                    distributed.wait(
                        list(self.running), POLL_SECONDS, return_when="FIRST_COMPLETED"
                    )
                for future in [each for each in self.running if each.done()]:
                    self._take(future, self.running.pop(future))
                self._find_lost()
        finally:
            self.client.cancel(list(self.running))

    def _submit(self) -> None:
        """Fills the free places of every worker."""
        for worker, places in self.workers.slots.items():
            busy = sum(one.worker == worker for one in self.running.values())
            for _ in range(places - busy):
                if self.waiting:
                    one = replace(self.waiting.popleft(), worker=worker)
                    self.task.start(one.job)
                    self.running[self._send(one)] = one

    def _send(self, one: _Try) -> distributed.Future:
        function, arguments = self.task.call(one.job)
        return self.client.submit(
            function,
            *arguments,
            workers=[one.worker],
            allow_other_workers=False,
            pure=False,
        )

    def _take(self, future: distributed.Future, one: _Try) -> None:
        if error := future.exception():
            if isinstance(error, CannotWork):
                raise error
            said = f"{type(error).__name__}: {error}"[:200]
            self.task.give_up(one.job, f"found that its Dask worker failed ({said})")
        else:
            self.task.receive(one.job, future.result())

    def _find_lost(self) -> None:
        """Tries the jobs of workers that are gone on another one, once."""
        self.workers.refresh()
        slots = self.workers.slots
        self.seen = time.monotonic() if slots else self.seen
        if time.monotonic() - self.seen > CONNECT_SECONDS:
            raise CannotWork(
                "found that every Dask worker is gone, expected one. "
                f"{self.task.kept}: start workers, and run this again"
            )
        for future in [f for f, one in self.running.items() if one.worker not in slots]:
            one = self.running.pop(future)
            self.client.cancel([future])
            again = replace(one, worker="", before=one.before + 1)
            if again.before < TRIES:
                self.waiting.appendleft(again)
            else:
                self.task.give_up(one.job, f"found its Dask worker lost, {TRIES} times")
