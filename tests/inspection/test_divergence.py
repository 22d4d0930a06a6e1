"""The report on two runs: where they part, and what else differs."""

import dataclasses

import numpy as np
import pytest

from d2l_support.inspection import (
    Call,
    Coverage,
    Run,
    Tolerance,
    Value,
    build_divergence,
    build_trace,
)


def make_trace(x=1.0, a=2.0, b=3.0, **changes):
    """A trace of Model(a, b): the input, and what the two layers give."""
    values = tuple(
        Value((2,), "float32", data=np.asarray([1.0, number], "float32").tobytes())
        for number in (x, a, b)
    )
    calls = tuple(
        Call((name,), "Layer", 1, "forward", (("x", taken),), (("", given),))
        for name, taken, given in (("a", 0, 1), ("b", 1, 2), ("", 0, 2))
    )
    run = Run(changes.pop("framework", "none"), calls, values, Coverage(3))
    streams = changes.pop("streams", {"Python random": "00"})
    environment = {"threads": changes.pop("threads", 2), "flags": {}}
    trace = build_trace(run, streams, environment)
    return dataclasses.replace(trace, weights=changes.pop("weights", {"a.w": "11"}))


def without_values(trace):
    values = tuple(dataclasses.replace(v, data=None) for v in trace.run.values)
    run = dataclasses.replace(trace.run, values=values)
    return dataclasses.replace(trace, run=run)


def test_equal_runs_agree():
    report = build_divergence(make_trace(), make_trace())
    assert (report.found, report.first, report.compared) == (False, None, 3)
    assert str(report).splitlines() == [
        "Two runs compared (none)",
        "",
        "All 3 outputs that were compared agree bit by bit.",
        "",
        "Seen: 3 of 3 modules.",
    ]


def test_first_module_to_part_is_named_with_distances():
    changed = make_trace(a=np.nextafter(np.float32(2), np.float32(3)), b=5.0)
    report = build_divergence(make_trace(), changed)
    assert (report.found, report.first) == (True, "a")
    assert str(report).splitlines() == [
        "Two runs compared (none)",
        "",
        "First: the output of a differs in 1 of 2 elements, by at most 2.4e-07 "
        "(1 ulp),",
        "  the first at [1].",
        "a (Layer) makes it: its inputs are equal, its output is not.",
        "",
        "output of  shape  differ  largest     ulps  first at  role",
        "---------  -----  ------  -------  -------  --------  -------",
        "a          2           1  2.4e-07        1  [1]       origin",
        "b          2           1  2.0e+00  6291456  [1]       carries",
        "",
        "Seen: 3 of 3 modules.",
    ]


def test_tolerance_passes_small_distances_on_to_the_next():
    changed = make_trace(a=2.0001, b=5.0)
    report = build_divergence(make_trace(), changed, Tolerance(rtol=1e-3))
    assert report.first == "b"
    report = build_divergence(make_trace(), make_trace(a=2.0001), Tolerance(1e-3, 1e-6))
    assert report.explanation == (
        "All 3 outputs that were compared agree within rtol=0.001 and atol=1e-06.",
    )


def test_different_arguments_are_not_blamed_on_a_module():
    report = build_divergence(make_trace(), make_trace(x=9.0, a=8.0, b=7.0))
    assert report.first == "x"
    assert report.explanation[1] == "It is given to (model) (Layer) as its argument x."
    assert "origin" not in [row.role for row in report.rows]


def test_weights_of_the_origin_are_told():
    report = build_divergence(make_trace(), make_trace(a=9.0, weights={"a.w": "22"}))
    assert report.explanation[-1] == "Its own values differ: a.w."


def test_streams_and_settings_that_differ_are_told():
    other = make_trace(a=9.0, streams={"Python random": "ff"}, threads=1)
    notes = build_divergence(make_trace(), other).notes
    assert "Random streams that began differently: Python random." in notes
    assert "Settings that differ: threads: 2 and 1." in notes


def test_a_setting_of_one_run_only_is_told():
    other = make_trace()
    other = dataclasses.replace(other, environment={"threads": 2, "flags": {"X": "1"}})
    notes = build_divergence(make_trace(), other).notes
    assert "Settings that differ: flags.X: not set and 1." in notes


def test_without_values_the_place_is_still_known():
    report = build_divergence(make_trace(), without_values(make_trace(b=9.0)))
    assert report.first == "b"
    assert "by how much is not known without the values" in report.explanation[0]
    assert report.rows[0].difference is None
    assert "b          2         yes        ?     ?  ?         origin" in str(report)


def test_other_shapes_differ_without_a_distance():
    wide = Value((4,), "float32", data=np.zeros(4, "float32").tobytes())
    other = make_trace()
    run = dataclasses.replace(other.run, values=(*other.run.values[:2], wide))
    other = build_trace(run, {}, {})
    report = build_divergence(make_trace(), other)
    assert report.explanation[0] == (
        "First: the output of b is 2 float32 in one run and 4 float32 in the other."
    )


def test_a_call_in_one_run_only_is_found():
    short = make_trace()
    run = dataclasses.replace(short.run, calls=short.run.calls[:1])
    report = build_divergence(make_trace(), dataclasses.replace(short, run=run))
    assert report.first == "b"
    assert report.explanation[1] == "Only one of the runs called b, (model)."


def test_runs_without_a_common_module_are_refused():
    other = make_trace()
    call = dataclasses.replace(other.run.calls[0], names=("encoder",))
    run = dataclasses.replace(other.run, calls=(call,))
    message = r"without a module in common \(the first calls are a and encoder\)"
    with pytest.raises(ValueError, match=message):
        build_divergence(make_trace(), dataclasses.replace(other, run=run))


def test_runs_of_two_frameworks_are_refused():
    with pytest.raises(ValueError, match=r"found traces of none and of jax"):
        build_divergence(make_trace(), make_trace(framework="jax"))
