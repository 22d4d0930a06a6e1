"""Runs submissions, each in a fresh kernel, and judges what they scored."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from d2l_support.build.execute import Execution, Job, Report, execute_jobs
from d2l_support.build.exercises.scores import find_accident, score_notebook
from d2l_support.build.exercises.submissions import Submission
from d2l_support.build.layout import Book

TRIAL_TIMEOUT = 60
"""Seconds that one cell of a submission may take."""


@dataclass(frozen=True)
class Trial:
    """What became of a submission.

    Attributes:
        submission: What was run.
        points: The points that its tests gave; 0 if it did not end.
        held: Whether that is what it must get, for a reason that counts.
        detail: Why it lost points, or why the run says nothing; may be empty.
    """

    submission: Submission
    points: int
    held: bool
    detail: str = ""


Run = tuple[Path, Submission]
"""A submission, with its section's source for messages."""


def to_job(run: Run) -> Job:
    """A submission as a job for its framework's kernel."""
    source, submission = run
    notebook = submission.to_notebook()
    return Job(str(submission), submission.framework, notebook, source)


def try_submissions(
    book: Book,
    runs: list[Run],
    parallel: int,
    timeout: float = TRIAL_TIMEOUT,
    report: Report = lambda job, state: None,
    receive: Callable[[Trial], None] = lambda trial: None,
) -> list[Trial]:
    """Runs them all; returns what became of each, in the order given.

    Args:
        book: The checkout, with its kernels.
        runs: What to run.
        parallel: How many kernels may run at a time.
        timeout: Seconds that one cell may take.
        report: Told of each job's state as it changes.
        receive: Given each trial as soon as it is over.
    """
    jobs = [to_job(run) for run in runs]
    submissions = {id(job): run[1] for job, run in zip(jobs, runs, strict=True)}

    def pass_on(execution: Execution) -> None:
        receive(judge_execution(submissions[id(execution.job)], execution))

    executions = execute_jobs(
        jobs, book.jupyter / "kernels", parallel, timeout, report, pass_on
    )
    return [
        judge_execution(submissions[id(execution.job)], execution)
        for execution in executions
    ]


def judge_execution(submission: Submission, execution: Execution) -> Trial:
    """Holds what a submission scored to what it must score.

    One that never ends, or takes its kernel along, scores nothing.
    """
    if execution.problem:
        held = submission.is_held(0) and execution.problem.code in ("timeout", "died")
        return Trial(submission, 0, held, str(execution.problem))
    score = score_notebook(submission, execution.notebook)
    if accident := find_accident(submission, score):
        return Trial(submission, score.points, False, accident)
    detail = "; ".join(f"{step}: {error}" for step, error in score.errors.items())
    return Trial(submission, score.points, submission.is_held(score.points), detail)
