"""The report on what is not finite; see test_origins for who made it."""

import dataclasses

import pytest

from d2l_support.inspection import Value, build_nonfinite

FINE, NAN = (0, 0, 0, 0), (2, 0, 0, 1)
POSINF, NEGINF, MIXED = (0, 1, 0, 5), (0, 0, 3, 0), (1, 2, 3, 4)
SOME = (1, 0, 1, -1)


def value(numbers):
    return Value((2, 3), "float32", numbers)


@pytest.fixture
def chain(make_run):
    def make(*numbers, **rest):
        calls = ("a", [0], [1]), ("b", [1], [2]), ("", [0], [2])
        return make_run(*calls, numbers=numbers, **rest)

    return make


def test_finite_run(chain):
    report = build_nonfinite(chain(FINE, FINE, FINE))
    assert (report.found, report.first, report.rows) == (False, None, ())
    assert str(report) == (
        "Values that are not finite (none)\n\n"
        "Every value of the forward pass is finite.\n\nSeen: 3 of 3 modules."
    )


def test_a_run_without_calls_is_not_called_finite(make_run):
    report = build_nonfinite(make_run())
    assert report.found is False
    assert report.explanation == ("No module was seen, so no activation was checked.",)


def test_first_is_named_with_kinds_and_place(chain):
    report = build_nonfinite(chain(FINE, MIXED, NAN))
    assert (report.found, report.first) == (True, "a")
    assert str(report).splitlines() == [
        "Values that are not finite (none)",
        "",
        "First: the output of a holds 1 NaN and 2 +inf and 3 -inf of 6, the first at",
        "  [1, 1].",
        "a (Layer) makes it: its inputs are finite, its output is not.",
        "",
        "where  shape  NaN  +inf  -inf  first at  role",
        "-----  -----  ---  ----  ----  --------  -------",
        "a      2x3      1     2     3  [1, 1]    origin",
        "b      2x3      2     -     -  [0, 1]    carries",
        "",
        "Seen: 3 of 3 modules.",
    ]


def test_a_look_that_did_not_count_claims_no_counts(chain):
    report = build_nonfinite(chain(FINE, FINE, SOME))
    assert report.explanation[0] == "First: the output of b holds NaN and -inf."
    assert "b      2x3    some     -  some  ?         origin" in str(report)
    assert report.rows[0].place is None


def test_wrong_argument_of_the_model_is_named(chain):
    report = build_nonfinite(chain(NAN, NAN, NAN))
    assert report.first == "x"
    assert report.explanation[1].startswith("It is given to (model)")


def test_own_parameters_of_the_origin_are_told(chain):
    run = chain(FINE, NAN, NAN, weights=((("a.weight",), value(NAN)),))
    report = build_nonfinite(run)
    assert report.explanation[-1] == "a.weight holds 2 NaN of 6, the first at [0, 1]."
    assert report.rows[-1].role == "weight"


def test_parameter_alone_is_found(chain):
    run = chain(FINE, FINE, FINE, weights=((("a.weight", "tied"), value(POSINF)),))
    report = build_nonfinite(run)
    assert report.first == "a.weight"
    assert report.explanation == (
        "Every activation is finite.",
        "a.weight = tied holds 1 +inf of 6, the first at [1, 2].",
    )


def test_gradient_is_found_where_activations_are_finite(chain):
    run = chain(FINE, FINE, FINE, gradients=((2, value(FINE)), (1, value(NAN))))
    report = build_nonfinite(run)
    assert report.first == "b"
    assert report.explanation == (
        "Every activation is finite.",
        "First: the gradient of the output of a holds 2 NaN of 6, the first at [0, 1].",
        "It came back through b (Layer).",
    )
    assert report.rows[0].phase == "backward"


def test_gradient_of_a_parameter_alone_is_found(chain):
    run = chain(
        FINE,
        FINE,
        FINE,
        gradients=((2, value(FINE)),),
        weight_gradients=((("b.bias",), value(FINE)), (("a.bias",), value(NEGINF))),
    )
    report = build_nonfinite(run)
    assert report.first == "a.bias"
    assert report.explanation[1].startswith(
        "First: the gradient of a.bias holds 3 -inf"
    )


def test_finite_forward_and_backward_pass(chain):
    report = build_nonfinite(chain(FINE, FINE, FINE, gradients=((2, value(FINE)),)))
    assert report.explanation == (
        "Every value of the forward and backward pass is finite.",
    )


@pytest.mark.parametrize("pattern", ["a", "*a*", "x"])
def test_neginf_is_allowed_by_name(make_run, pattern):
    run = make_run(("a", [], [0]), ("b", [0], [1]), numbers=(NEGINF, FINE))
    assert build_nonfinite(run).first == "a"
    report = build_nonfinite(run, (pattern,))
    assert not report.found
    assert f"-inf in {pattern} is allowed, and is there." in report.notes


def test_neginf_is_allowed_in_a_buffer(chain):
    run = chain(FINE, FINE, FINE, weights=((("a.mask",), value(NEGINF)),))
    assert build_nonfinite(run).first == "a.mask"
    assert not build_nonfinite(run, ("*.mask",)).found


def test_allowing_neginf_allows_nothing_else(make_run):
    run = make_run(("a", [], [0]), numbers=(MIXED,))
    assert build_nonfinite(run, ("a",)).first == "a"


def test_a_pattern_that_fits_nothing_is_told(chain):
    report = build_nonfinite(chain(FINE, FINE, FINE), ("msk", "a"))
    assert report.notes[:2] == (
        "allow_neginf 'msk' fits no output, argument or buffer.",
        "-inf in a is allowed, but is not there.",
    )


def test_the_pass_is_named_if_it_is_not_the_first(chain):
    run = dataclasses.replace(chain(FINE, NAN, NAN), number=7)
    assert build_nonfinite(run).explanation[0] == "In pass 7."


def test_a_long_table_is_cut(make_run):
    calls = [(f"layer{i}", [i], [i + 1]) for i in range(30)]
    report = build_nonfinite(make_run(*calls, numbers=[FINE, *[NAN] * 30]))
    assert "18 more tensors are in the report's rows." in str(report)
    assert len(report.rows) == 30
