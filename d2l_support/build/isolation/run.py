"""Runs one notebook in a worker process of its own, and waits for its outcome."""

import copy
import os
import secrets
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

from nbformat import NotebookNode

from d2l_support.build.frameworks import ENVIRONMENTS
from d2l_support.build.isolation.faults import mark_rest
from d2l_support.build.isolation.job import Job
from d2l_support.build.isolation.outcome import DIED, ENDINGS, Limits, Outcome
from d2l_support.build.isolation.processes import MARK, end_marked
from d2l_support.build.isolation.sandbox import choose_isolation
from d2l_support.build.isolation.scratch import make_scratch
from d2l_support.build.isolation.watch import describe_exit
from d2l_support.build.launch import START_TIMEOUT, last_words
from d2l_support.build.layout import Book
from d2l_support.build.problems import CannotWork

__all__ = ["ENDINGS", "Limits", "Outcome", "run_isolated"]

SPARE_SECONDS = START_TIMEOUT + 60
"""Seconds that a worker has beyond the notebook's, for starts and ends."""

END_SECONDS = 15
"""Seconds that a worker has to end its kernel when its caller gives up."""

WORKER_LOG = "worker-log"


def run_isolated(
    notebook: NotebookNode,
    framework: str,
    book: Book,
    limits: Limits | None = None,
    isolation: str = "auto",
) -> Outcome:
    """Runs a notebook apart from everything else; what became of it.

    Args:
        notebook: Whatever it holds is held to be hostile. Cells have ids.
        framework: Whose kernel runs it, whatever the notebook says.
        book: The checkout, with its kernels.
        limits: What it may use (default: ``Limits()``).
        isolation: ``sandbox``: in bubblewrap, which shows it a read-only
            system, the framework's environment and the helpers, and nothing
            else. ``process``: in a process group and a folder of its own,
            under limits, but **as this user**: it can read and write every
            file, reach every process and use the network as this user can.
            ``auto``: in a sandbox where one works, else in a process.

    Raises:
        CannotWork: There is no such framework, or no sandbox though asked for.
        KeyboardInterrupt: After the kernel and all that it started were ended.
    """
    if framework not in ENVIRONMENTS:
        known = ", ".join(ENVIRONMENTS)
        raise CannotWork(f"found framework {framework!r}, expected one of {known}")
    limits = limits or Limits()
    isolation = choose_isolation(isolation)
    started = time.monotonic()
    with make_scratch() as folder:
        job = Job(notebook, framework, str(book.root), folder, limits, isolation)
        answer, ended = _ask_worker(job)
        try:
            return Outcome.from_json(answer)
        except ValueError:
            words = last_words(Path(folder), WORKER_LOG)[:200]
    said = f" (its last words: {words})" if words else ""
    detail = f"found that the worker {ended} with no answer{said}, expected one"
    notebook = copy.deepcopy(notebook)
    mark_rest(notebook.cells, detail)
    seconds = time.monotonic() - started
    return Outcome(notebook, DIED, detail, (), seconds, isolation)


def _ask_worker(job: Job) -> tuple[str, str]:
    """The worker's answer, "" if it gave none, and how it ended, in words."""
    mark = secrets.token_hex(16)
    # It closes when this process ends, however it does; then the worker ends.
    reader, writer = os.pipe()
    command = [sys.executable, "-P", "-m", "d2l_support.build.isolation.worker"]
    process = None
    try:
        with open(Path(job.folder, WORKER_LOG), "wb") as log:
            process = subprocess.Popen(
                [*command, str(reader)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                encoding="utf-8",
                pass_fds=(reader,),
                cwd=job.folder,
                env={**os.environ, MARK: mark},
                start_new_session=True,
            )
        answer, _ = process.communicate(
            job.to_json(), timeout=job.limits.seconds + SPARE_SECONDS
        )
        ended = f"ended {describe_exit(process.returncode)}"
        return answer if process.returncode == 0 else "", ended
    except subprocess.TimeoutExpired:
        return "", "went on for too long"
    finally:
        os.close(writer)
        os.close(reader)
        if process is not None:
            _end_worker(process, mark)


def _end_worker(process: subprocess.Popen, mark: str) -> None:
    """Waits for a worker that was given up; kills what is left, if need be."""
    with suppress(subprocess.TimeoutExpired):
        process.wait(END_SECONDS)
    if process.poll() is None:
        process.kill()
        process.wait()
    for pipe in (process.stdin, process.stdout):
        with suppress(OSError):
            pipe.close()
    if process.returncode:
        end_marked(mark)
