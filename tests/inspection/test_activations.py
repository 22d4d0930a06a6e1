"""The report on the spread of activations."""

import re

import pytest

from d2l_support.inspection import Coverage, Value, build_activations


@pytest.fixture
def report(make_run):
    """Two layers in a container that gives its last child's output."""
    numbers = [(0.5, 0.6049, -2.0, 2.0, 0.0), (1e-9, 1.0, 0.0, 3.0, 0.507)]
    return build_activations(
        make_run(
            ("body.0", [], [0]),
            ("body.1", [], [1]),
            ("body", [], [1]),
            numbers=numbers,
            coverage=Coverage(3, (("head", "not called"),)),
        )
    )


def test_str_is_a_table_with_notes(report):
    assert str(report).splitlines() == [
        "Activations of one pass (none)",
        "",
        "output of  kind   shape  mean   std    min   max  zeros",
        "---------  -----  -----  ----  ----  -----  ----  -----",
        "body.0     Layer  2x3    0.50  0.60  -2.00  2.00    0 %",
        "body.1     Layer  2x3    0.00  1.00   0.00  3.00   51 %",
        "",
        "3 outputs, but only 2 tensors: a container that gives its last child's has no",
        "  row.",
        "Seen: 3 of 4 modules.",
        "Silent: head (not called).",
    ]


def test_rows_hold_numbers_and_what_repeats(report):
    assert [row.std for row in report.rows] == [0.6049, 1.0, 1.0]
    assert [row.repeats for row in report.rows] == ["", "", "body.1"]


def test_select_takes_patterns_and_shows_what_stands_alone(report):
    assert [row.label for row in report.select("body.?").rows] == ["body.0", "body.1"]
    alone = report.select("body")
    assert "body       Layer" in str(alone)
    assert "tensors" not in str(alone)


def test_getitem_finds_by_name_and_suggests(report):
    assert report["body.1"].zeros == 0.507
    message = r"no output of 'body\.2' was recorded; there are \['body\.\d', .*\]"
    with pytest.raises(KeyError, match=message):
        report["body.2"]


def test_what_could_not_be_measured_is_told(make_run):
    run = make_run(("a", [], [0]), numbers=[()])
    skipped = Value((2,), "int64", skipped="int64: no floating point")
    report = build_activations(type(run)("none", run.calls, (skipped,), run.coverage))
    assert report.rows[0].std is None
    assert re.search(r"a +Layer +2 +- +- +- +- +-\n", str(report))
    assert "Not checked: a (int64: no floating point)." in str(report)


def test_a_long_table_is_cut(make_run):
    calls = [(f"layer{i}", [], [i]) for i in range(100)]
    report = build_activations(make_run(*calls, numbers=[(0, 1, 0, 1, 0)] * 100))
    assert "layer59" in str(report)
    assert "layer60" not in str(report)
    assert "40 more rows: see rows or select()." in str(report)


def test_an_early_end_is_told(make_run):
    run = make_run(("a", [], [0]), numbers=[(0, 1, 0, 1, 0)], raised="raised in b")
    assert "The pass ended early: raised in b." in str(build_activations(run))
