"""Names of calls, and which call was made inside which."""

import pytest

from d2l_support.inspection import Call
from d2l_support.inspection.runs import (
    Labels,
    describe_value,
    encloses,
    find_enclosing,
    fits,
)


def call(*names, number=1, phase="forward"):
    return Call(names, "Layer", number, phase, (), ())


def test_labels_name_phase_and_number_only_where_needed():
    calls = [
        call("a"),
        call("b", "c.d"),
        call("b", "c.d", number=2),
        call("a", phase="recompute"),
        call(""),
    ]
    labels = Labels(calls)
    assert [labels(i) for i in range(5)] == [
        "a",
        "b = c.d, call 1",
        "b = c.d, call 2",
        "a, recompute",
        "(model)",
    ]
    assert labels(2, "[0]") == "b = c.d[0], call 2"


@pytest.mark.parametrize(
    ("outer", "inner", "expected"),
    [
        (call(""), call("a"), True),
        (call("a"), call("a.b.c"), True),
        (call("a"), call("ab"), False),
        (call("a"), call("a"), False),
        (call("a"), call(""), False),
        (call("x", "a"), call("b", "a.b"), True),
        (call("a", phase="recompute"), call("a.b"), False),
    ],
)
def test_encloses_goes_by_names_and_phase(outer, inner, expected):
    assert encloses(outer, inner) is expected


@pytest.mark.parametrize(
    ("name", "pattern", "expected"),
    [
        ("3.body.0", "?.body.0", True),
        ("3.body.0", "3", False),
        ("scores[0]", "scores[0]", True),
        ("scores0", "scores[0]", True),
        ("Attn", "attn", False),
    ],
)
def test_fits_takes_names_as_they_are_and_patterns(name, pattern, expected):
    assert fits(name, [pattern]) is expected


def test_find_enclosing_takes_the_next_to_end():
    calls = [
        call("a.b"),
        call("a"),
        call("a.b", number=2),
        call("a", number=2),
        call(""),
    ]
    assert [find_enclosing(calls, i) for i in range(5)] == [1, 4, 3, 4, None]


def test_describe_value_tells_where_it_turns_up_first(make_run):
    run = make_run(("a", [0], [1]), ("b", [1], [2]), numbers=[()] * 3)
    assert describe_value(run, 1) == "the output of a"
    assert describe_value(run, 0) == "the argument x of a"
    with pytest.raises(IndexError, match="value 7 is in no call of this run"):
        describe_value(run, 7)
