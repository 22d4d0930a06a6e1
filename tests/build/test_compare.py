"""When two outputs are the same: text, floats, streams, pictures, errors."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nbformat.v4 import new_output

from d2l_support.build.compare import (
    compare_outputs,
    compare_texts,
    default_rule,
    flatten_outputs,
)
from d2l_support.build.rules import CLOSE, EXACT, Rule

BAND = Rule("statistical", atol=0.1, seeds=20)
INFORMATIVE = Rule("informative", why="a timing")


def printed(text, name="stdout"):
    return new_output("stream", name=name, text=text)


def shown(kind="execute_result", **data):
    bundle = {key.replace("_", "/"): value for key, value in data.items()}
    return new_output(kind, data=bundle)


@pytest.mark.parametrize(
    "text",
    ["0.5", "-1.", ".5", "1e-05", "2E+3", "nan", "-inf", "[1. 2.]", "x=1.5.", "(nan,"],
)
def test_default_rule_is_close_where_a_float_is_printed(text):
    assert default_rule([printed(text)]) == CLOSE


@pytest.mark.parametrize(
    "text",
    ["", "12", "-3 of 4", "2.13.0", "v3.11", "numpy 2.4.6", "banana", "info", "0x1e5"],
)
def test_default_rule_is_exact_where_no_float_is_printed(text):
    assert default_rule([printed(text)]) == EXACT


def test_default_rule_ignores_floats_on_stderr():
    assert default_rule([printed("0.5", "stderr")]) == EXACT


def test_flatten_outputs_joins_a_stream_across_stderr():
    outputs = [printed("a"), printed("log", "stderr"), printed("b\n")]
    assert flatten_outputs(outputs) == [("stdout", "ab\n")]


def test_flatten_outputs_names_every_representation():
    outputs = [
        shown(text_plain="table", text_html=["<b>", "table</b>"]),
        shown("display_data", image_png="aGk="),
        new_output("error", ename="ValueError", evalue="no", traceback=["long"]),
    ]
    assert flatten_outputs(outputs) == [
        ("result text/html", "<b>table</b>"),
        ("result text/plain", "table"),
        ("display image/png", "(present)"),
        ("error", "ValueError: no"),
    ]


def difference(before, now, rule):
    return compare_texts("stdout", before, now, rule)


@pytest.mark.parametrize(
    ("before", "now", "rule"),
    [
        ("a\n", "a\n", EXACT),
        ("loss 1.00000", "loss 1.000009", CLOSE),
        ("1.0 of 3", "1.00 of 3", CLOSE),
        ("nan inf -inf", "nan inf -inf", CLOSE),
        ("0.0", "-0.0", CLOSE),
        ("[ 0.5 -0.5]", "[0.5  -0.5]", CLOSE),
        ("[-1e-17  1.]", "[ 1e-17 1.]", Rule("close", atol=1e-16)),
        ("0.5", "0.59", BAND),
        ("0.5", "0.41", BAND),
        ("1", "2", INFORMATIVE),
    ],
)
def test_compare_outputs_allows(before, now, rule):
    assert compare_outputs([printed(before)], [printed(now)], rule) is None


@pytest.mark.parametrize(
    ("before", "now", "rule", "recorded", "fresh", "detail"),
    [
        ("a\nb\n", "a\nc\n", EXACT, "b", "c", "the text differs"),
        ("a\n", "a\nb\n", EXACT, "(no such line)", "b", "the text differs"),
        ("a\n", "a", EXACT, r"'a\n'", "'a'", "the text differs"),
        (
            "loss 1.5\nstep 3: 0.5",
            "loss 1.5\nstep 4: 0.5",
            CLOSE,
            "step 3: 0.5",
            "step 4: 0.5",
            "the text around the numbers differs",
        ),
        (
            "numpy 2.4.6",
            "numpy 2.4.7",
            CLOSE,
            "numpy 2.4.6",
            "numpy 2.4.7",
            "the text around the numbers differs",
        ),
        (
            "# 1.5",
            "1.5 #",
            CLOSE,
            "# 1.5",
            "1.5 #",
            "the text around the numbers differs",
        ),
        (
            "loss #",
            "loss 1.5",
            CLOSE,
            "loss #",
            "loss 1.5",
            "the text around the numbers differs",
        ),
        (
            "1.0",
            "1.25",
            CLOSE,
            "1.0",
            "1.25",
            "a number differs by 0.25 (0.25 relative)",
        ),
        (
            "0.0",
            "0.5",
            CLOSE,
            "0.0",
            "0.5",
            "a number differs by 0.5 (inf relative)",
        ),
        ("nan", "1.0", CLOSE, "nan", "1.0", "a number differs by nan (nan relative)"),
        ("inf", "-inf", CLOSE, "inf", "-inf", "a number differs by inf (nan relative)"),
        (
            "0.5",
            "0.75",
            BAND,
            "0.5",
            "0.75",
            "a number differs by 0.25 (0.5 relative)",
        ),
        (
            "3 of 4",
            "2 of 4",
            BAND,
            "3 of 4",
            "2 of 4",
            "the text around the numbers differs",
        ),
    ],
)
def test_compare_texts_says_where_they_differ(
    before, now, rule, recorded, fresh, detail
):
    found = difference(before, now, rule)
    assert (found.recorded, found.fresh) == (recorded, fresh)
    assert found.detail == detail
    assert (found.place, found.rule) == ("stdout", rule)


def test_difference_reads_as_a_block():
    assert str(difference("1.0", "1.25", CLOSE)).splitlines() == [
        "stdout: a number differs by 0.25 (0.25 relative)",
        "  recorded  1.0",
        "  new       1.25",
        "  rule      within 1e-05",
    ]


FLOATS = st.floats(-1e6, 1e6).map(lambda number: float(f"{number:.6g}"))


@given(FLOATS, st.floats(-2, 2), st.sampled_from([0.5, 1e-3, 1e-5]), st.booleans())
def test_compare_texts_close_agrees_with_numpy(old, change, tolerance, absolute):
    new = old + change * tolerance * (1 if absolute else abs(old))
    rtol, atol = (0.0, tolerance) if absolute else (tolerance, 0.0)
    found = difference(f"x {old!r}", f"x {new!r}", Rule("close", rtol, atol))
    assert (found is None) == np.isclose(new, old, rtol, atol)


@given(st.integers(0, 2**32), st.integers(0, 2**32))
def test_compare_texts_close_holds_integers_exactly(old, new):
    found = difference(f"{old} 0.5", f"{new} 0.5", Rule("close", rtol=1e9))
    assert (found is None) == (old == new)


PIECES = st.sampled_from(["1.5", "-2.5e-3", "nan", "7", "#", "a", ".", " ", "[", "\n"])
TEXTS = st.lists(PIECES).map("".join)


@given(TEXTS)
def test_compare_texts_agrees_with_itself(text):
    assert difference(text, text, CLOSE) is None


@given(TEXTS, TEXTS)
def test_compare_texts_close_tells_texts_of_other_letters_apart(before, now):
    letters = [[c for c in text if c in "#a[\n"] for text in (before, now)]
    if letters[0] != letters[1]:
        assert difference(before, now, Rule("close", rtol=1e9)) is not None


def test_compare_outputs_ignores_stderr():
    recorded = [printed("a\n"), printed("one warning", "stderr")]
    assert compare_outputs(recorded, [printed("a\n")], EXACT) is None


def test_compare_outputs_ignores_how_a_stream_was_cut():
    fresh = [printed("loss "), printed("0.5\n")]
    assert compare_outputs([printed("loss 0.5\n")], fresh, CLOSE) is None


def test_compare_outputs_takes_pictures_by_their_presence():
    recorded, fresh = shown(image_png="aGk="), shown(image_png="aG8=")
    assert compare_outputs([recorded], [fresh], EXACT) is None
    found = compare_outputs([recorded], [], EXACT)
    assert (found.place, found.recorded, found.fresh) == (
        "outputs",
        "result image/png",
        "nothing",
    )
    assert found.detail == "the cell printed other kinds of output"


def test_compare_outputs_reads_html():
    recorded = shown(text_plain="t", text_html="<td>0.5</td>")
    assert (
        compare_outputs(
            [recorded], [shown(text_plain="t", text_html="<td>0.500001</td>")], CLOSE
        )
        is None
    )
    found = compare_outputs(
        [recorded], [shown(text_plain="t", text_html="<th>0.5</th>")], CLOSE
    )
    assert (found.place, found.recorded) == ("result text/html", "<td>0.5</td>")


def test_compare_outputs_holds_an_error_to_its_message_alone():
    def failed(message, traceback):
        return new_output("error", ename="E", evalue=message, traceback=[traceback])

    recorded = failed("no seed", "one way")
    assert compare_outputs([recorded], [failed("no seed", "another")], EXACT) is None
    found = compare_outputs([recorded], [failed("no key", "one way")], EXACT)
    assert (found.recorded, found.fresh) == ("E: no seed", "E: no key")
