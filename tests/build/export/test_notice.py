"""One line on what may differ says only what was measured."""

import nbformat
from nbformat import v4

from d2l_support.build.export.notice import Recorded, write_notice
from d2l_support.build.rules import Rule
from d2l_support.build.survey.agreement import Agreement
from d2l_support.build.survey.ledger import Observation

NUMBERS = {"a": 2, "b": 3, "time": 4}
WITH = {"versions": {"jax": "0.10.2", "jaxlib": "0.10.2", "python": "3.11.7"}}


def cell(rule):
    node = v4.new_code_cell("x")
    node.metadata = nbformat.from_dict({"book": {"compare": rule.to_metadata()}})
    node.outputs = [v4.new_output("stream", text="1\n")]
    return node


CELLS = {
    "a": cell(Rule("exact")),
    "b": cell(Rule("close", rtol=1e-5)),
    "time": cell(Rule("informative", why="a time")),
}


def seen(**cells):
    return Observation("mark", "2026-11-30", {}, cells)


def test_write_notice_names_moved_cells_settings_and_facts():
    moved = seen(b=Agreement("numbers", 1e-6))
    again = seen(time=Agreement("numbers", 0.5))
    recorded = Recorded(CELLS, WITH, {"one-core": moved, "again": again})
    assert write_notice(recorded, NUMBERS) == (
        "Recorded with jax 0.10.2 on a CPU. Other numbers may come out in [3]: "
        "they did under other settings (one core). "
        "Times and facts of the machine: [4]."
    )


def test_write_notice_says_what_was_tried_where_nothing_moved():
    recorded = Recorded({"a": CELLS["a"]}, WITH, {"jax-next": seen()})
    assert write_notice(recorded, NUMBERS) == (
        "Recorded with jax 0.10.2 on a CPU. "
        "Nothing else came out under other settings (JAX 0.12)."
    )


def test_write_notice_without_observation_says_so():
    recorded = Recorded({"a": CELLS["a"]}, WITH)
    assert "Other settings were not tried yet." in write_notice(recorded, NUMBERS)


def test_write_notice_passes_over_cells_that_are_not_in_the_notebook():
    recorded = Recorded(CELLS, WITH, {"one-core": seen(b=Agreement("text"))})
    assert "[" not in write_notice(recorded, {"a": 2})


def test_write_notice_without_record():
    assert write_notice(Recorded(), NUMBERS) == "No outputs are recorded."
