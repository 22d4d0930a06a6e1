"""What a reader is told about a cell."""

from d2l_support.build.rules import CLOSE, EXACT, Rule
from d2l_support.build.survey.agreement import Agreement
from d2l_support.build.survey.ledger import Observation
from d2l_support.build.survey.summary import describe_cell

SEEN = {
    "sse": Observation(
        "a1", "2026-12-01", {}, {"loss": Agreement("numbers", relative=1.3e-7)}
    ),
    "again": Observation("a1", "2026-11-30", {}),
    "one-core": Observation("a1", "2026-11-30", {}),
}


def test_describe_cell_groups_the_settings_in_the_order_of_the_table():
    assert describe_cell(SEEN, "loss", CLOSE) == [
        "The same text: run again, one core.",
        "Numbers differ by 1.3e-07: no vectors beyond SSE4.",
        "Measured 2026-11-30 to 2026-12-01.",
    ]


def test_describe_cell_says_what_differs_by_design():
    rule = Rule("exact", varies=("one-core",), why="it prints the number of threads")
    assert describe_cell({"again": SEEN["again"]}, "threads", rule) == [
        "The same text: run again.",
        "May differ by design: one core. Why: it prints the number of threads.",
        "Measured 2026-11-30.",
    ]


def test_describe_cell_says_what_differs_on_a_gpu():
    rule = Rule("exact", varies=("gpu", "avx2"), why="it names the device")
    assert describe_cell({"again": SEEN["again"]}, "device", rule)[1] == (
        "May differ by design: a GPU, AVX2 at most. Why: it names the device."
    )


def test_describe_cell_that_was_not_observed_is_silent():
    assert describe_cell({}, "loss", EXACT) == []
