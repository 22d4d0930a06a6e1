"""Every promise of the inspection helpers has the test that the table names."""

import re
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROWS = [
    [cell.strip() for cell in line.split("|")[1:-1]]
    for line in (HERE / "inspection.md").read_text(encoding="utf-8").splitlines()
    if line.startswith("|") and not line.startswith("|--")
]
HEAD, *PROMISES = ROWS


def test_table_has_a_cell_for_each_framework():
    assert HEAD == ["promise", "pytorch", "tensorflow", "jax", "mxnet"]
    assert {len(row) for row in PROMISES} == {5}


@pytest.mark.parametrize("row", PROMISES, ids=lambda row: row[0])
def test_promise_has_its_test_or_says_why_not(row, framework):
    cell = row[HEAD.index(framework)]
    if cell.startswith("none: "):
        return
    file, _, name = cell.partition(": ")
    text = (HERE / f"test_{framework}_{file}.py").read_text(encoding="utf-8")
    assert re.search(rf"^def test_{name}\(", text, re.MULTILINE), cell
