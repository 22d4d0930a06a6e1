"""Runs notebooks on an existing Dask cluster: the same as ``pool``, elsewhere.

Each job is bound to one worker, so that it is known where it runs. A worker
that is lost may have been taken along by the notebook, so its jobs are tried
on another worker once, not for ever.
"""

import json
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace

import distributed
from nbformat import from_dict

from d2l_support.build.grading.pool import Job, Receive, Runner, Terms
from d2l_support.build.grading.workers import CONNECT_SECONDS, Workers, connect
from d2l_support.build.isolation.outcome import UNSTARTED, Limits, Outcome
from d2l_support.build.problems import CannotWork

POLL_SECONDS = 1
TRIES = 2
"""Workers that one notebook may be tried on."""


@dataclass(frozen=True)
class _Try:
    """A job on a worker, and how often it was tried before."""

    job: Job
    worker: str = ""
    before: int = 0


def make_cluster_runner(address: str, root: str, terms: Terms) -> Runner:
    """A runner that uses the workers of a Dask scheduler.

    Args:
        address: The scheduler's, such as ``tcp://10.0.0.1:8786``.
        root: This checkout; a worker that has no such folder uses its own.
        terms: On what terms notebooks are run.
    """

    def run(jobs: list[Job], start: Callable[[Job], None], receive: Receive) -> None:
        with connect(address) as client, client.as_current():
            need = root, sorted({job.framework for job in jobs}), terms.isolation
            workers = Workers(client, need)
            waiting = deque(_Try(job) for job in jobs)
            _Dispatch(client, workers, waiting, (root, terms), start, receive).run()

    return run


@dataclass
class _Dispatch:
    """Hands jobs to workers, and takes what became of them."""

    client: distributed.Client
    workers: Workers
    waiting: deque[_Try]
    terms: tuple[str, Terms]
    start: Callable[[Job], None]
    receive: Receive
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
                    self.start(one.job)
                    self.running[self._send(one)] = one

    def _send(self, one: _Try) -> distributed.Future:
        root, terms = self.terms
        return self.client.submit(
            run_remote,
            (json.dumps(one.job.notebook), one.job.framework, root),
            (terms.limits.to_json(), terms.isolation),
            workers=[one.worker],
            allow_other_workers=False,
            pure=False,
        )

    def _take(self, future: distributed.Future, one: _Try) -> None:
        if error := future.exception():
            if isinstance(error, CannotWork):
                raise error
            said = f"{type(error).__name__}: {error}"[:200]
            self._give_up(one, f"found that its Dask worker failed ({said})")
        else:
            self.receive(one.job, Outcome.from_json(future.result()))

    def _find_lost(self) -> None:
        """Tries the jobs of workers that are gone on another one, once."""
        self.workers.refresh()
        slots = self.workers.slots
        self.seen = time.monotonic() if slots else self.seen
        if time.monotonic() - self.seen > CONNECT_SECONDS:
            raise CannotWork(
                "found that every Dask worker is gone, expected one. What was graded "
                "is kept: start workers, and run this again"
            )
        for future in [f for f, one in self.running.items() if one.worker not in slots]:
            one = self.running.pop(future)
            self.client.cancel([future])
            again = replace(one, worker="", before=one.before + 1)
            if again.before < TRIES:
                self.waiting.appendleft(again)
            else:
                self._give_up(one, f"found its Dask worker lost, {TRIES} times")

    def _give_up(self, one: _Try, text: str) -> None:
        notebook = one.job.notebook
        self.receive(one.job, Outcome(notebook, UNSTARTED, text, (), 0, "process"))


def run_remote(what: tuple[str, str, str], terms: tuple[str, str]) -> str:
    """Runs one notebook; this is what happens on a worker."""
    from d2l_support.build.grading.remote import find_checkout
    from d2l_support.build.isolation.run import run_isolated

    text, framework, root = what
    limits, isolation = terms
    notebook = from_dict(json.loads(text))
    book = find_checkout(root)
    limits = Limits.from_json(limits)
    return run_isolated(notebook, framework, book, limits, isolation).to_json()
