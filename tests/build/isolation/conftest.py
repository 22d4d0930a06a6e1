"""Notebooks run apart, in a real kernel that has no framework, both ways."""

from collections.abc import Callable
from functools import partial

import pytest
from nbformat import NotebookNode, v4

from d2l_support.build.isolation.run import Limits, Outcome, run_isolated
from d2l_support.build.isolation.sandbox import explain_sandbox


def build_notebook(*codes: str) -> NotebookNode:
    """Code cells with the ids ``c0``, ``c1``, ..."""
    cells = [
        v4.new_code_cell(code, id=f"c{number}") for number, code in enumerate(codes)
    ]
    return v4.new_notebook(cells=cells)


def require_sandbox() -> None:
    """Skips the test, and says why, where bubblewrap does not work."""
    if reason := explain_sandbox():
        pytest.skip(f"no sandbox here: {reason}")


@pytest.fixture(params=["process", "sandbox"])
def isolation(request) -> str:
    """Each way of running apart, where it works."""
    if request.param == "sandbox":
        require_sandbox()
    return request.param


Run = Callable[..., Outcome]


@pytest.fixture
def run_codes_by(lend_kernels) -> Run:
    """A function that runs codes one of the ways, as cells, under some limits."""
    book = lend_kernels("jax")

    def run(isolation: str, *codes: str, **limits) -> Outcome:
        notebook = build_notebook(*codes)
        return run_isolated(notebook, "jax", book, Limits(**limits), isolation)

    return run


@pytest.fixture
def run_codes(run_codes_by, isolation) -> Run:
    """The same function, for each of the ways in turn."""
    return partial(run_codes_by, isolation)


@pytest.fixture
def run_in_process(run_codes_by) -> Run:
    """The same function, for what does not depend on the way."""
    return partial(run_codes_by, "process")


def errors_of(outcome: Outcome, cell: int = 0) -> list[str]:
    """The names of a cell's error outputs."""
    outputs = outcome.notebook.cells[cell].outputs
    return [output.ename for output in outputs if output.output_type == "error"]


def text_of(outcome: Outcome, cell: int = 0) -> str:
    """What a cell printed, or showed as its value."""
    outputs = outcome.notebook.cells[cell].outputs
    streams = "".join(o.text for o in outputs if o.output_type == "stream")
    values = (o.data["text/plain"] for o in outputs if "data" in o)
    return streams + "".join(values)
