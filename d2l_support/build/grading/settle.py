"""The outputs from which nbgrader takes the points.

nbgrader gives a test its points by its outputs: none for an error or for a
line on stderr, a part for a number that is its last value, else all. Here a
test that is not known to have run to its end always carries an error, and one
that has loses nothing for a warning.
"""

from nbformat import NotebookNode, v4

from d2l_support.build.grading.frame import is_test, max_points
from d2l_support.build.isolation.outcome import Outcome

VOID = (
    "found that a line which must fail did not fail before this test, so the test "
    "says nothing; it gives no points"
)


def settle_outputs(outcome: Outcome, void: set[str]) -> NotebookNode:
    """The executed notebook as nbgrader is to see it.

    Args:
        outcome: What was run, without guards.
        void: The tests that say nothing.
    """
    completed = set(outcome.completed)
    for cell in outcome.notebook.cells:
        if not is_test(cell):
            continue
        earned = cell.id in completed and cell.id not in void
        most = max_points(cell) if earned else 0
        errors = [each for each in cell.outputs if each.output_type == "error"]
        rest = [each for each in cell.outputs if each.output_type != "error"]
        if cell.id in void:
            errors.append(_error("TestSaysNothing", VOID))
        elif not earned and not errors:
            reason = outcome.detail or "it is not known to have run to its end"
            errors.append(_error("NotCompleted", reason))
        # The first output that says something counts, so errors come first.
        cell.outputs = [*errors, *(_settle(each, most) for each in rest)]
    return outcome.notebook


def _error(name: str, text: str) -> NotebookNode:
    said = [f"{name}: {text}"]
    return v4.new_output("error", ename=name, evalue=text, traceback=said)


def _settle(output: NotebookNode, most: float) -> NotebookNode:
    """An output of a test that ran to its end, in a form that costs nothing."""
    if output.output_type == "stream" and output.name == "stderr":
        return v4.new_output("stream", name="stdout", text=output.text)
    if output.output_type == "execute_result" and not _is_partial(output, most):
        return v4.new_output("display_data", output.data, metadata=output.metadata)
    return output


def _is_partial(output: NotebookNode, most: float) -> bool:
    """Whether a value is a part of the points, as nbgrader's tests may say."""
    try:
        return 0 <= float(output.data["text/plain"]) <= most
    except (KeyError, TypeError, ValueError):
        return False
