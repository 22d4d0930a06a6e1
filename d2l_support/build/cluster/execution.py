"""Runs the book's notebooks on an existing Dask cluster."""

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

import dask

from d2l_support.build.cluster.checkout import find_checkout
from d2l_support.build.cluster.dispatch import Task, dispatch_jobs
from d2l_support.build.cluster.workers import Need
from d2l_support.build.execute import Execution, Job, Receive, Report, execute_jobs
from d2l_support.build.frameworks import FRAMEWORKS
from d2l_support.build.launch import Launch, start_kernel
from d2l_support.build.layout import Book
from d2l_support.build.problems import Problem


def execute_on_cluster(
    address: str,
    book: Book,
    jobs: list[Job],
    timeout: float,
    report: Report = lambda job, state: None,
    receive: Receive = lambda execution: None,
) -> list[Execution]:
    """Runs every job in a fresh kernel on some worker, heaviest first.

    Args:
        address: The scheduler's, such as ``tcp://10.0.0.1:8786``.
        book: This checkout; a worker that has no such folder uses its own.
        jobs: What to run.
        timeout: Seconds that one cell may take.
        report: Called as a job's state changes: ``starting``, ``done``, ``failed``.
        receive: Called with each execution.

    Returns:
        One execution per job, in the order given.

    Raises:
        CannotWork: There is no scheduler, or no worker that has the kernels.
    """
    executions: dict[int, Execution] = {}
    jobs_by_weight = sorted(jobs, key=lambda job: -FRAMEWORKS[job.framework].weight)

    def call(job: Job) -> tuple[Callable, tuple]:
        return run_remote, (job, str(book.root), timeout)

    def take(job: Job, execution: Execution) -> None:
        executions[id(job)] = execution = replace(execution, job=job)
        report(job, "failed" if execution.problem else "done")
        receive(execution)

    def give_up(job: Job, text: str) -> None:
        message = f"{text}, expected the notebook to run"
        problem = Problem("lost", message, job.path, framework=job.framework)
        take(job, Execution(job, 0, problem=problem))

    keys = sorted({job.kernel_key for job in jobs})
    module = "d2l_support.build.cluster.checkout"
    need = Need("execute", module, (str(book.root), keys))
    start = partial(_tell_start, report)
    task = Task(call, start, take, give_up, "What was executed is kept")
    dispatch_jobs(address, need, jobs_by_weight, task)
    return [executions[id(job)] for job in jobs]


def _tell_start(report: Report, job: Job) -> None:
    report(job, "starting")


def run_remote(job: Job, root: str, timeout: float) -> Execution:
    """Runs one notebook; this is what happens on a worker."""
    kernels = find_checkout(root).jupyter / "kernels"
    start = partial(
        start_kernel, kernels, launch=Launch(inherited=list_own_variables(os.environ))
    )
    (execution,) = execute_jobs([job], start, parallel=1, timeout=timeout)
    return execution


def list_own_variables(variables: Mapping[str, str]) -> dict[str, str]:
    """A worker's variables without those that Dask gave it.

    Dask tells its workers to compute in one thread; a kernel run here would not.
    """
    given = dask.config.get("distributed.nanny.pre-spawn-environ", {})
    return {
        name: value
        for name, value in variables.items()
        if str(given.get(name)) != value
    }
