"""The rule that a cell declares, and what it may not declare."""

import pytest

from d2l_support.build.rules import CLOSE, EXACT, Rule, parse_rule


@pytest.mark.parametrize(
    ("options", "rule"),
    [
        ({}, None),
        ({"id": "a", "tags": []}, None),
        ({"compare": "exact"}, EXACT),
        ({"compare": "close"}, CLOSE),
        ({"compare": "close", "rtol": "1e-3"}, Rule("close", rtol=1e-3)),
        ({"compare": "close", "atol": 0.5}, Rule("close", atol=0.5)),
        (
            {"compare": "close", "rtol": 1e-3, "atol": 2, "why": "sums differ"},
            Rule("close", rtol=1e-3, atol=2.0, why="sums differ"),
        ),
        (
            {"compare": "statistical", "band": 0.1, "seeds": 20},
            Rule("statistical", atol=0.1, seeds=20),
        ),
        (
            {"compare": "informative", "why": "a timing"},
            Rule("informative", why="a timing"),
        ),
    ],
)
def test_parse_rule_gives_what_the_options_declare(options, rule):
    assert parse_rule(options) == rule


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rtol": 1e-3}, "found rtol but no compare option"),
        ({"band": 1, "seeds": 2}, "found band, seeds but no compare option"),
        ({"why": "so"}, "found why but no compare option"),
        (
            {"compare": "near"},
            "found compare 'near', "
            "expected one of exact, close, statistical, informative",
        ),
        (
            {"compare": ["exact"]},
            "found compare ['exact'], "
            "expected one of exact, close, statistical, informative",
        ),
        (
            {"compare": "exact", "rtol": 1, "atol": 1},
            "found atol, rtol, which 'exact' does not take",
        ),
        (
            {"compare": "close", "band": 1},
            "found band, which 'close' does not take",
        ),
        (
            {"compare": "informative", "why": "so", "seeds": 3},
            "found seeds, which 'informative' does not take",
        ),
        ({"compare": "close", "why": 3}, "found why 3, expected words"),
        ({"compare": "informative", "why": " "}, "found why ' ', expected words"),
        (
            {"compare": "informative"},
            "found 'informative' without a reason, expected why",
        ),
        (
            {"compare": "statistical", "band": 0.1},
            "found 'statistical', expected both band and seeds",
        ),
        (
            {"compare": "statistical", "seeds": 3},
            "found 'statistical', expected both band and seeds",
        ),
        (
            {"compare": "statistical", "band": 0.1, "seeds": 20.5},
            "found seeds 20.5, expected a whole number of seeds",
        ),
        *(
            (
                {"compare": "close", "rtol": value},
                f"found rtol {value!r}, expected a positive number",
            )
            for value in ("much", 0, -1e-5, "nan", "inf", True, [1], None)
        ),
    ],
)
def test_parse_rule_refuses_bad_options(options, message):
    with pytest.raises(ValueError, match="found") as raised:
        parse_rule(options)
    assert str(raised.value) == message


@pytest.mark.parametrize(
    ("rule", "badge"),
    [
        (EXACT, "exact"),
        (CLOSE, "within 1e-05"),
        (Rule("close", atol=0.5), "within 0.5 absolute"),
        (Rule("close", rtol=0.01, atol=0.5), "within 0.01 or 0.5 absolute"),
        (
            Rule("statistical", atol=0.1, seeds=20),
            "within a band of ±0.1 over 20 seeds",
        ),
        (Rule("informative", why="a timing"), "not compared: a timing"),
    ],
)
def test_rule_reads_as_the_badge_on_the_page(rule, badge):
    assert str(rule) == badge


@pytest.mark.parametrize(
    ("rule", "data"),
    [
        (EXACT, {"kind": "exact"}),
        (CLOSE, {"kind": "close", "rtol": 1e-5}),
        (
            Rule("statistical", atol=0.1, seeds=20, why="so"),
            {"kind": "statistical", "atol": 0.1, "seeds": 20, "why": "so"},
        ),
    ],
)
def test_to_metadata_leaves_out_what_is_not_declared(rule, data):
    assert rule.to_metadata() == data
    assert Rule.from_metadata(data) == rule


def test_parse_rule_with_settings_under_which_it_varies():
    options = {"compare": "exact", "varies": "one-core, avx2", "why": "it says so"}
    rule = Rule("exact", varies=("one-core", "avx2"), why="it says so")
    assert parse_rule(options) == rule
    assert Rule.from_metadata(rule.to_metadata()) == rule
    assert str(rule) == "exact"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"varies": "one-core"}, "found varies without a reason, expected why"),
        ({"varies": "fast", "why": "so"}, "found varies 'fast', expected one of again"),
        ({"varies": 3, "why": "so"}, "found varies 3, expected names of settings"),
    ],
)
def test_parse_rule_refuses_settings_that_are_none(options, message):
    with pytest.raises(ValueError, match=message):
        parse_rule({"compare": "exact", **options})


def test_parse_rule_informative_takes_no_settings():
    options = {"compare": "informative", "why": "a time", "varies": "avx2"}
    with pytest.raises(ValueError, match="found varies, which 'informative' does not"):
        parse_rule(options)
