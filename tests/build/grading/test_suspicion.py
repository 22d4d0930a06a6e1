"""What is seen in a student's code without running it."""

import json

import pytest
from nbformat import v4

from d2l_support.build.grading.bindings import (
    bound_names,
    parse_cell,
    patched_names,
    used_names,
)
from d2l_support.build.grading.frame import grade_id
from d2l_support.build.grading.reading import read_notebook
from d2l_support.build.grading.restore import restore_notebook
from d2l_support.build.grading.suspicion import read_suspicion


@pytest.fixture
def read(classroom, assignment):
    """A function that reads an answer, and cells of the student's own."""

    def read_answer(double: str, *extra: str):
        notebook = classroom.answered(double=double)
        notebook.cells[3:3] = [v4.new_code_cell(source) for source in extra]
        data = json.dumps(notebook).encode()
        restored = restore_notebook(read_notebook(data), assignment)
        return read_suspicion(restored.notebook, assignment)

    return read_answer


def texts(suspicion) -> str:
    return "; ".join(finding.text for finding in suspicion.findings)


@pytest.mark.parametrize(
    "code",
    [
        "import builtins",
        "get_ipython().run_cell = print",
        "import sys\nsys._getframe(1)",
        "import os\nos._exit(0)",
        "from gc import get_objects",
        "%time x = 1\nget_ipython().ast_transformers.clear()",
    ],
)
def test_read_suspicion_reaching_is_seen(read, code):
    found = read(code)
    assert "reaches for the kernel" in texts(found)
    assert all(finding.look for finding in found.findings)


@pytest.mark.parametrize(
    "code",
    [
        "def double(x):\n    return 2 * x",
        "import numpy as np\nx = np.ones(3)",
        "!ls\n%matplotlib inline\ndef double(x): return x",
        "def double(x):\n    same = 3\n    return same",
        "def double(x",
        "",
    ],
)
def test_read_suspicion_usual_code_is_none(read, code):
    assert read(code).findings == ()


@pytest.mark.parametrize(
    "code",
    [
        "def same(one, other):\n    pass",
        "same = print",
        "from os import path as same",
        "def double(x):\n    global same\n    same = None",
        "for same in range(3):\n    pass",
        "class same:\n    pass",
    ],
)
def test_read_suspicion_given_definition_is_put_back(read, code):
    found = read(code)
    assert "bound anew ('same'); put back" in texts(found)
    assert found.again == "def same(one, other):\n    assert one == other"


def test_read_suspicion_given_value_is_put_back(read):
    assert read("limit = 10**6").again == "limit = 3"


def test_read_suspicion_extra_cell_is_read(read):
    assert "'settrace'" in texts(read("x = 1", "import sys\nsys.settrace(print)"))


def test_read_suspicion_too_deep_says_so(read):
    assert "nested too deeply" in texts(read("x = " + "-" * 2000 + "1"))


def test_bound_names_knows_each_kind():
    code = "import a.b, c as d\nfrom e import f\ng, h = 1, 2\nclass I: j = 1\n"
    code += "def k(): l = 1\nwith open('x') as m: pass\n(n := 1)\ndel o\n"
    assert set(bound_names(parse_cell(code))) == set("adfghIkmno")


def test_patched_names_knows_both_ways():
    code = "numpy.testing.check = print\nsetattr(math, 'pi', 3)\nx = [].y"
    assert patched_names(parse_cell(code)) == {"numpy", "math"}


def test_used_names_knows_attributes_and_modules():
    code = "import a.b\nfrom c import d\ne.f(g)"
    assert used_names(parse_cell(code)) == {"a.b", "c", "d", "e", "f", "g"}


def test_grade_id_broken_metadata_is_none():
    for metadata in (None, [], "x", {"nbgrader": 3}, {"nbgrader": {"grade_id": []}}):
        assert grade_id({"metadata": metadata}) == ""
