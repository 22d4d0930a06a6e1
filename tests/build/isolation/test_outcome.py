"""Limits and outcomes on their way through a pipe."""

import pytest

from d2l_support.build.isolation.faults import build_error
from d2l_support.build.isolation.job import Job
from d2l_support.build.isolation.outcome import Limits, Outcome

from .conftest import build_notebook


def test_limits_pass_through_json():
    limits = Limits(cell_seconds=1.5, output=7)
    assert Limits.from_json(limits.to_json()) == limits


@pytest.mark.parametrize("name", ["cell_seconds", "seconds", "memory", "output"])
def test_limits_are_positive(name):
    with pytest.raises(ValueError, match=f"found {name} 0, expected it above 0"):
        Limits(**{name: 0})


def test_outcome_passes_through_json():
    notebook = build_notebook("1")
    notebook.cells[0].outputs = [build_error("CutOff", "too long")]
    outcome = Outcome(notebook, "timeout", "too long", ("c0",), 1.5, "process")
    read = Outcome.from_json(outcome.to_json())
    assert read == outcome
    assert read.notebook.cells[0].outputs[0].ename == "CutOff"


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"notebook": {}, "completed": []}'])
def test_outcome_from_what_is_none(text):
    with pytest.raises(ValueError):  # noqa: PT011 - json's own words, or ours
        Outcome.from_json(text)


def test_job_passes_through_json():
    job = Job(build_notebook("1"), "jax", "/book", "/tmp/x", Limits(), "sandbox")  # noqa: S108
    assert Job.from_json(job.to_json()) == job
