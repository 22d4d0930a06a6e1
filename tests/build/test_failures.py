"""The words for each way in which a notebook does not run."""

import pytest
from jupyter_client.kernelspec import NoSuchKernel
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from nbformat import v4

from d2l_support.build.failures import explain_cell, explain_probe, explain_start

REPAIR = "Run: d2l-support kernels --create --framework jax"
CELL = v4.new_code_cell("x = 0\n  1 / x", id="train", metadata={"book": {"line": 12}})
TRACEBACK = "Traceback\n\x1b[36mCell\x1b[39m \x1b[32mIn[4]\x1b[39m\x1b[32m, line {}\n"


def raised(name: str = "ZeroDivisionError", line: int = 2) -> CellExecutionError:
    return CellExecutionError(TRACEBACK.format(line), name, "division by zero")


@pytest.mark.parametrize(
    ("error", "words", "found"),
    [
        (NoSuchKernel("d2l-jax"), "", "found no kernel d2l-jax, expected one"),
        (
            RuntimeError("Kernel died"),
            "No module named ipykernel",
            "found that kernel d2l-jax does not start (No module named ipykernel), "
            "expected it to",
        ),
        (
            RuntimeError("Kernel died"),
            "",
            "found that kernel d2l-jax does not start (Kernel died), expected it to",
        ),
    ],
)
def test_explain_start(error, words, found):
    assert str(explain_start(error, "jax", words)) == f"(jax): {found}. {REPAIR}"


@pytest.mark.parametrize(
    ("error", "words", "found"),
    [
        (
            CellTimeoutError("..."),
            "",
            "found no end after 2.5 s, expected one (--timeout raises it).",
        ),
        (
            DeadKernelError("Kernel died"),
            "",
            "found that the kernel died in this cell, expected it to live.",
        ),
        (
            DeadKernelError("Kernel died"),
            "bad_alloc",
            "found that the kernel died in this cell (its last words: bad_alloc), "
            "expected it to live.",
        ),
        (
            raised(),
            "",
            "found ZeroDivisionError: division by zero in its line 2, `1 / x`, "
            "expected no error (`:tags: [raises-exception]` where it is the lesson).",
        ),
        (
            OSError("Too many open files"),
            "",
            "found OSError: Too many open files, expected the cell to run. " + REPAIR,
        ),
    ],
)
def test_explain_cell(error, words, found):
    problem = explain_cell(error, CELL, "jax", 2.5, words)
    assert str(problem) == f"12: cell 'train' (jax): {found}"


def test_explain_cell_with_line_outside_of_the_cell():
    problem = explain_cell(raised(line=9), CELL, "jax", 1, "")
    assert "division by zero, expected no error" in problem.message


def test_explain_cell_with_missing_import_names_the_repair():
    problem = explain_cell(raised("ImportError"), CELL, "jax", 1, "")
    assert f"Run: {problem.run}" == REPAIR
    assert explain_cell(raised(), CELL, "jax", 1, "").run is None


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (raised(), "ZeroDivisionError: division by zero"),
        (ValueError("it printed nothing"), "it printed nothing"),
    ],
)
def test_explain_probe(error, reason):
    assert str(explain_probe(error, "jax")) == (
        "(jax): found that d2l_support.jax does not describe the environment "
        f"({reason}), expected versions and device. {REPAIR}"
    )
