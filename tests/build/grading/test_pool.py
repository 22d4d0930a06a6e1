"""Notebooks on this machine; an interruption leaves no process behind."""

import threading
from pathlib import Path

import psutil
import pytest
from nbformat import v4

from d2l_support.build.grading.pool import WORKER, Job, Terms, make_local_runner
from d2l_support.build.isolation.outcome import Limits
from d2l_support.build.layout import Book

ROOT = Path(__file__).parents[3]
TERMS = Terms(Limits(cell_seconds=300, seconds=300))


def make_job(name: str, code: str) -> Job:
    notebook = v4.new_notebook(cells=[v4.new_code_cell(code, id="only")])
    return Job(("doubles-jax", name), "jax", notebook)


def list_workers() -> list[psutil.Process]:
    """The worker processes of this process."""
    children = psutil.Process().children()
    return [child for child in children if WORKER in child.cmdline()]


def test_make_local_runner_interrupted_ends_its_workers():
    jobs = [make_job("ada", "1"), make_job("bob", "while True: pass")]
    jobs += [make_job("cleo", "while True: pass")]
    seen = []

    def interrupt(job, outcome):
        seen.append((job.key[1], outcome.ending))
        raise KeyboardInterrupt

    run = make_local_runner(Book(ROOT), TERMS, parallel=2)
    before = set(threading.enumerate())
    with pytest.raises(KeyboardInterrupt):
        run(jobs, lambda job: None, interrupt)
    assert seen == [("ada", "whole")]
    assert list_workers() == []
    assert set(threading.enumerate()) <= before
