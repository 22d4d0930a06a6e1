"""Every float on the pages is guarded: change one, and its cell's rule objects.

The rule is applied as the regression run applies it, to all records.
"""

import copy
from collections.abc import Iterator
from decimal import Decimal
from math import isfinite
from pathlib import Path

import pytest
from nbformat import NotebookNode, v4

from d2l_support.build.compare import FLOAT, TEXTUAL, compare_outputs
from d2l_support.build.diff import rule_of
from d2l_support.build.rules import Rule

ROOT = Path(__file__).parents[2]
RECORDS = sorted(ROOT.glob("chapters/*/recorded/*.ipynb"))


def change(number: str, rule: Rule) -> str:
    """A number changed by 1e-3, or more where less could not be seen.

    That is: ten times what an absolute rule allows, and ten units of the last
    printed place where the cell prints fewer digits than 1e-3 would show.
    """
    value = float(number)
    if not isfinite(value):
        return "1.0"
    unit = 10.0 ** Decimal(number).as_tuple().exponent
    coarse = 10 * unit if unit > 1e-4 * abs(value) else 0.0
    step = max(1e-3 * abs(value), 10 * rule.atol, coarse) or 1e-3
    return repr(value + step)


def list_texts(outputs: list[NotebookNode]) -> Iterator[tuple[NotebookNode, str]]:
    """Each text that a reader sees: what holds it, and under which key."""
    for output in outputs:
        if output.output_type == "stream" and output.name == "stdout":
            yield output, "text"
        elif output.output_type == "error":
            yield output, "evalue"
        elif "data" in output:
            for mime in output.data:
                if mime in TEXTUAL:
                    yield output.data, mime


def list_survivors(cell: NotebookNode) -> tuple[int, list[str]]:
    """How many floats a cell prints, and which of them nothing guards."""
    rule, count, survivors = rule_of(cell), 0, []
    for place, (holder, key) in enumerate(list_texts(cell.outputs)):
        text = holder[key]
        for found in FLOAT.finditer(text):
            count += 1
            fresh = copy.deepcopy(cell.outputs)
            changed, name = list(list_texts(fresh))[place]
            mutant = change(found[0], rule)
            changed[name] = text[: found.start()] + mutant + text[found.end() :]
            if compare_outputs(cell.outputs, fresh, rule) is None:
                survivors.append(found[0])
    return count, survivors


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem)
def test_changing_any_float_of_a_record_is_noticed(path):
    notebook = v4.reads(path.read_text(encoding="utf-8"))
    unguarded = {}
    for cell in notebook.cells:
        _, survivors = list_survivors(cell)
        if survivors and rule_of(cell).kind != "informative":
            unguarded[cell.id] = survivors
    assert unguarded == {}


def test_the_records_print_floats_in_every_framework():
    counts = dict.fromkeys(("pytorch", "tensorflow", "jax", "mxnet"), 0)
    for path in RECORDS:
        notebook = v4.reads(path.read_text(encoding="utf-8"))
        framework = path.suffixes[0].removeprefix(".")
        counts[framework] += sum(list_survivors(cell)[0] for cell in notebook.cells)
    assert min(counts.values()) > 50
