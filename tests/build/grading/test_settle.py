"""The outputs by which nbgrader gives points."""

import pytest
from nbformat import NotebookNode, v4
from nbgrader.utils import determine_grade

from d2l_support.build.grading.guards import add_guards, remove_guards
from d2l_support.build.grading.settle import settle_outputs
from d2l_support.build.isolation.outcome import WHOLE, Outcome


def make_test(*outputs) -> NotebookNode:
    cell = v4.new_code_cell("assert x", id="tests", outputs=list(outputs))
    marks = {"grade": True, "solution": False, "locked": True, "points": 2}
    cell.metadata = NotebookNode(nbgrader=NotebookNode(marks, grade_id="tests"))
    return cell


def settle(cell, completed=("tests",), void=()) -> float:
    """The points that nbgrader gives after settling."""
    notebook = v4.new_notebook(cells=[cell])
    outcome = Outcome(notebook, WHOLE, "", tuple(completed), 1, "process")
    [settled] = settle_outputs(outcome, set(void)).cells
    return determine_grade(settled)[0]


ERROR = v4.new_output("error", ename="E", evalue="e", traceback=["E: e"])


def value(text: str) -> NotebookNode:
    return v4.new_output("execute_result", {"text/plain": text}, execution_count=1)


@pytest.mark.parametrize(
    ("outputs", "points"),
    [
        ((), 2),
        ((v4.new_output("stream", name="stderr", text="warning"),), 2),
        ((v4.new_output("stream", name="stdout", text="x"),), 2),
        ((value("0.5"),), 0.5),
        ((value("0"),), 0),
        ((value("7"),), 2),
        ((value("-1"),), 2),
        ((value("nan"),), 2),
        ((value("'text'"),), 2),
        ((v4.new_output("execute_result", {"image/png": "x"}),), 2),
        ((ERROR,), 0),
        ((value("2"), ERROR), 0),
    ],
)
def test_settle_outputs_completed_gets(outputs, points):
    assert settle(make_test(*outputs)) == points


def test_settle_outputs_not_completed_gets_nothing():
    assert settle(make_test(), completed=()) == 0
    assert settle(make_test(value("2")), completed=()) == 0


def test_settle_outputs_void_gets_nothing():
    assert settle(make_test(), void=("tests",)) == 0
    assert settle(make_test(value("2")), void=("tests",)) == 0


def test_settle_outputs_says_why():
    cell = make_test()
    outcome = Outcome(v4.new_notebook(cells=[cell]), "died", "it died", (), 1, "x")
    [settled] = settle_outputs(outcome, set()).cells
    assert settled.outputs[-1].evalue == "it died"


def guard(again: str, completed: tuple[str, ...]):
    """The guards of a notebook of one test, and what they say."""
    guarded = add_guards(v4.new_notebook(cells=[make_test()]), again)
    ids = [cell.id for cell in guarded.cells]
    done = tuple(each for each in ids if each.startswith(completed))
    outcome = Outcome(guarded, WHOLE, "", done, 1, "process")
    return guarded, remove_guards(outcome)


def test_guards_fail_before_each_test():
    guarded, _ = guard("limit = 3", ())
    assert [cell.id for cell in guarded.cells] == ["_again-0", "_guard-1", "tests"]
    with pytest.raises(AssertionError):
        exec(guarded.cells[1].source)  # noqa: S102 it is ours


def test_remove_guards_failed_guard_lets_tests_count():
    _, (outcome, void) = guard("limit = 3", ("_again-", "tests"))
    assert [cell.id for cell in outcome.notebook.cells] == ["tests"]
    assert void == set()


def test_remove_guards_completed_guard_makes_tests_void():
    _, (_, void) = guard("", ("_guard-", "tests"))
    assert void == {"tests"}
