"""Grades notebooks on an existing Dask cluster: the same as ``pool``, elsewhere."""

import json
from collections.abc import Callable

from nbformat import from_dict

from d2l_support.build.cluster.dispatch import Task, dispatch_jobs
from d2l_support.build.cluster.workers import Need
from d2l_support.build.grading.pool import Job, Receive, Runner, Terms
from d2l_support.build.isolation.outcome import UNSTARTED, Limits, Outcome


def make_cluster_runner(address: str, root: str, terms: Terms) -> Runner:
    """A runner that uses the workers of a Dask scheduler.

    Args:
        address: The scheduler's, such as ``tcp://10.0.0.1:8786``.
        root: This checkout; a worker that has no such folder uses its own.
        terms: On what terms notebooks are run.
    """

    def run(jobs: list[Job], start: Callable[[Job], None], receive: Receive) -> None:
        def call(job: Job) -> tuple[Callable, tuple]:
            what = json.dumps(job.notebook), job.framework, root
            return run_remote, (what, (terms.limits.to_json(), terms.isolation))

        def take(job: Job, returned: str) -> None:
            receive(job, Outcome.from_json(returned))

        def give_up(job: Job, text: str) -> None:
            receive(job, Outcome(job.notebook, UNSTARTED, text, (), 0, "process"))

        frameworks = sorted({job.framework for job in jobs})
        need = Need(
            "grade",
            "d2l_support.build.grading.remote",
            (root, frameworks, terms.isolation),
        )
        task = Task(call, start, take, give_up, "What was graded is kept")
        dispatch_jobs(address, need, jobs, task)

    return run


def run_remote(what: tuple[str, str, str], terms: tuple[str, str]) -> str:
    """Runs one notebook; this is what happens on a worker."""
    from d2l_support.build.cluster.checkout import find_checkout
    from d2l_support.build.isolation.run import run_isolated

    text, framework, root = what
    limits, isolation = terms
    notebook = from_dict(json.loads(text))
    book = find_checkout(root)
    limits = Limits.from_json(limits)
    return run_isolated(notebook, framework, book, limits, isolation).to_json()
