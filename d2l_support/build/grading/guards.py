"""Cells around the tests that tell whether a test can still fail.

Before each test stands a cell that must fail. Where it comes to its end, the
kernel no longer runs what it is sent (a patched ``run_cell``, a transformer
that drops asserts), and the test after it says nothing. The cell before it
puts back the given definitions that the student's code bound anew.
"""

import copy
import random
from dataclasses import replace

from nbformat import NotebookNode, v4

from d2l_support.build.grading.frame import is_test
from d2l_support.build.isolation.outcome import Outcome

# An underscore: no cell of an assignment has these ids.
GUARD, AGAIN = "_guard-", "_again-"


def add_guards(notebook: NotebookNode, again: str) -> NotebookNode:
    """The notebook to run: a guard before each test.

    Args:
        notebook: A restored notebook; it stays as it is.
        again: Definitions to run before each guard, or "".
    """
    cells = []
    for cell in copy.deepcopy(notebook.cells):
        if is_test(cell):
            if again:
                cells.append(v4.new_code_cell(again, id=f"{AGAIN}{len(cells)}"))
            cells.append(v4.new_code_cell(_must_fail(), id=f"{GUARD}{len(cells)}"))
        cells.append(cell)
    return v4.new_notebook(cells=cells, metadata=notebook.metadata)


def _must_fail() -> str:
    """An assert that does not hold, no two alike."""
    one, other = random.randint(10, 99), random.randint(10, 99)
    return f"assert {one} * {other} == {one * other + random.randint(1, 9)}"


def remove_guards(outcome: Outcome) -> tuple[Outcome, set[str]]:
    """The outcome without guards, and the ids of the tests that say nothing."""
    cells, void, fooled = [], set(), False
    for cell in outcome.notebook.cells:
        if cell.id.startswith(GUARD):
            fooled = cell.id in outcome.completed
        elif not cell.id.startswith(AGAIN):
            if fooled:
                void.add(cell.id)
            fooled = False
            cells.append(cell)
    notebook = v4.new_notebook(cells=cells, metadata=outcome.notebook.metadata)
    return replace(outcome, notebook=notebook), void
