"""Functions that run in a fresh process."""

import os
import re

import pytest

from d2l_support.processes import run_in_process


def double(number):
    return 2 * number


def read_variable():
    import os

    print("a line before the result")
    return {"value": os.environ.get("BOOK_TEST"), "process": os.getpid()}


def use_helper():
    return double(21)


def fail():
    raise ValueError("this went wrong")


def test_run_in_process_passes_variables_to_another_process():
    result, lines = run_in_process(read_variable, BOOK_TEST="7")
    assert result["value"] == "7"
    assert result["process"] != os.getpid()
    assert lines == ["a line before the result"]
    assert "BOOK_TEST" not in os.environ


def test_run_in_process_brings_helpers():
    assert run_in_process(use_helper, double) == (42, [])


def test_run_in_process_reports_what_failed():
    message = re.escape("fail failed: ValueError: this went wrong")
    with pytest.raises(RuntimeError, match=f"^{message}$"):
        run_in_process(fail)


def test_run_in_process_needs_every_helper():
    with pytest.raises(RuntimeError, match="name 'double' is not defined"):
        run_in_process(use_helper)
