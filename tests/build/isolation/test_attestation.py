"""Silence does not pass for success; cells look as if nobody had asked."""

import re

import pytest

from d2l_support.build.isolation.attestation import NAME, Question

from .conftest import errors_of, text_of

FAIL = "assert 1 == 2"


@pytest.mark.parametrize(
    "code",
    [
        "get_ipython().run_cell = lambda *a, **k: get_ipython()._done",
        "shell = get_ipython()\nrun = shell.run_cell_async\n"
        "async def pass_on(code, *a, **k):\n"
        "    k['transformed_cell'] = code = 'pass'\n"
        "    return await run(code, *a, **k)\nshell.run_cell_async = pass_on",
        "get_ipython().set_custom_exc((Exception,), lambda *a, **k: None)",
        "get_ipython().run_code = lambda *a, **k: False\nasync def ok(*a, **k): pass",
        "async def run(*a, **k): return False\nget_ipython().run_code = run",
        "async def run(*a, **k): return False\ntype(get_ipython()).run_code = run",
        "async def run(*a, **k): return False\nget_ipython().run_ast_nodes = run",
        "import ast\nclass Strip(ast.NodeTransformer):\n"
        "    def visit_Assert(self, node): return ast.Pass()\n"
        "get_ipython().ast_transformers.append(Strip())",
        "import ast\nclass Strip(ast.NodeTransformer):\n"
        "    def visit_Assert(self, node): return ast.Pass()\n"
        "get_ipython().ast_transformers.insert(0, Strip())",
        "get_ipython().ast_transformers.clear()",
        "import builtins\nbuiltins.exec = lambda *a, **k: None",
        "import IPython.core.interactiveshell as i\ni.exec = lambda *a, **k: None",
        "get_ipython().input_transformers_post.append(lambda lines: ['pass'])",
        "kernel = get_ipython().kernel\n"
        "async def do(*a, **k): return {'status': 'ok', 'execution_count': 2,"
        " 'payload': [], 'user_expressions': {}}\nkernel.do_execute = do",
        "import builtins\nbuiltins.AssertionError = SystemExit",
        "def print(*a): pass\ndisplay = print",
    ],
)
def test_failing_test_is_not_completed(run_in_process, code):
    done = run_in_process(code, FAIL, cell_seconds=5)
    assert "c1" not in done.completed
    assert errors_of(done, 1) != []


EARLY = [
    "import sys\nsys.exit()",
    "import sys\nsys.exit(0)",
    "raise SystemExit",
    "def check(): raise SystemExit\ncheck()",
    "raise KeyboardInterrupt",
    "this is no Python",
    "def f(:",
    "%no_such_magic",
    "%%no_such_magic\n1",
]


def test_cells_that_end_early_are_not_completed(run_in_process):
    done = run_in_process(*EARLY, "x = 1\nx")
    assert done.completed == (f"c{len(EARLY)}",)
    assert all(errors_of(done, cell) for cell in range(len(EARLY)))


def test_error_output_cleared_by_the_kernel_is_put_back(run_in_process):
    code = """
def clear(result):
    from IPython.display import clear_output
    clear_output()
get_ipython().events.register("post_run_cell", clear)
"""
    done = run_in_process(code, FAIL)
    assert (done.completed, errors_of(done, 1)) == (("c0",), ["AssertionError"])


ENDING = {
    "1 + 1": "2",
    "x = 1": "",
    "1;": "",
    "None": "",
    "x = 1; x": "1",
    "'last' # comment": "'last'",
    "[n for n in range(3)]": "[0, 1, 2]",
    "(1,\n 2)": "(1, 2)",
    "import asyncio\nawait asyncio.sleep(0, 5)": "5",
    "for n in range(2):\n    n": "",
    "from __future__ import annotations": "",
    "def f():\n    'doc'": "",
    "%%time\nx = 3\nx": None,
    "%time 1": None,
    "%%bash\necho 1": "1\n",
    "%%writefile file.txt\ntext": None,
    "!cat file.txt": "text\r\n",
    "get_ipython().run_cell('x = 1')\nNone": "",
    "%%capture said\nprint(1)": "",
    "# no statement": "",
}


def test_cells_that_end_are_completed_and_show_their_value(run_in_process):
    done = run_in_process(*ENDING)
    assert done.completed == tuple(f"c{number}" for number in range(len(ENDING)))
    for number, shown in enumerate(ENDING.values()):
        assert shown is None or text_of(done, number) == shown


COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def test_source_and_traceback_are_those_of_the_cell(run_in_process):
    source = "def f(x):\n    return 1 / x\n\nf(0)"
    look = "print(In[1] == _ih[1] == SOURCE, 'ttestation' in str(dir()))"
    done = run_in_process(source, f"SOURCE = {source!r}", look)
    assert text_of(done, 2) == "True False\n"
    traceback = COLOUR.sub("", "\n".join(done.notebook.cells[0].outputs[0].traceback))
    lines = traceback.splitlines()
    assert "----> 4 f(0)" in lines
    assert "----> 2     return 1 / x" in lines
    assert "answer" not in traceback
    assert "ast_transformers" not in traceback


def test_question_takes_only_its_own_nonce():
    question = Question("x = 1")

    def reply(text: str, status: str = "ok") -> dict:
        data = {"text/plain": text}
        return {"status": status, "user_expressions": {NAME: {"data": data}}}

    assert question.is_answered(reply(repr(question.nonce)))
    assert not question.is_answered(reply(repr(Question("x = 1").nonce)))
    assert not question.is_answered(reply(repr(question.nonce), "error"))
    for content in (None, {}, {"user_expressions": []}, {"status": "ok"}):
        assert not question.is_answered(content)
