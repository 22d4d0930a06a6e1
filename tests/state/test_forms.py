"""Fields of a saved state: what they take, and what they refuse."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from d2l_support.state.forms import (
    FormError,
    Real,
    Whole,
    Words,
    decode_state,
    encode_state,
    show,
)

FORM = {
    "words": Words("<u4", (2, 3)),
    "inner": {"count": Whole(9), "odd": Whole(2**128 - 1, low=1, odd=True)},
    "gauss": Real(empty=True),
}
STATE = {
    "words": np.arange(6, dtype=np.uint32).reshape(2, 3),
    "inner": {"count": 9, "odd": 7},
    "gauss": None,
}


def test_state_survives():
    state = decode_state(FORM, encode_state(FORM, STATE))
    assert state["words"].dtype == np.uint32
    assert state["words"].tolist() == STATE["words"].tolist()
    assert (state["inner"], state["gauss"]) == (STATE["inner"], None)


def test_words_are_little_endian_in_the_file():
    big = np.array([1], ">u4")
    assert Words("<u4", (1,)).encode(big) == "AQAAAA=="
    decoded = Words("<u4", (1,)).decode("AQAAAA==", "words")
    assert decoded.dtype.isnative
    decoded[0] = 2  # it is an array of its own


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_real_keeps_every_bit(value):
    encoded = Real().encode(np.float64(value))
    assert type(encoded) is float
    assert Real().decode(encoded, "x").hex() == value.hex()


@pytest.mark.parametrize(
    ("field", "data", "said"),
    [
        (Words("<u4", (1,)), 7, "x is 7, expected base64 text"),
        (Words("<u4", (1,)), "AQAAAA", "x is not base64 text"),
        (Words("<u4", (1,)), "AQAAAA=\n=", "x is not base64 text"),
        (Words("<u4", (1,)), "\xe9AAA", "x is not base64 text"),
        (Words("<u4", (1,)), "AQAA", "x has 3 bytes, expected 4"),
        (Words("<u4", (1,)), "AQAAAB==", "x has stray bits at the end of its text"),
        (Whole(9), True, "x is True, expected a whole number from 0 to 9"),
        (Whole(9), 1.0, "x is 1.0, expected a whole number from 0 to 9"),
        (Whole(9), 10, "x is 10, expected a whole number from 0 to 9"),
        (Whole(9), -1, "x is -1, expected a whole number from 0 to 9"),
        (Whole(9, odd=True), 8, "x is 8, expected an odd number"),
        (Whole(9), 10**4000, "x is a whole number of 13288 bits, expected a whole"),
        (Real(), None, "x is None, expected a finite float"),
        (Real(), 1, "x is 1, expected a finite float"),
        (Real(), math.inf, "x is inf, expected a finite float"),
        (Real(empty=True), "0", "x is '0', expected a finite float"),
    ],
)
def test_field_refuses(field, data, said):
    with pytest.raises(FormError) as caught:
        field.decode(data, "x")
    assert str(caught.value).startswith(said)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (None, "state is None, expected words, inner, gauss"),
        ([1, 2], "state is a list of 2, expected words, inner, gauss"),
        ({"words": ""}, "state is a group of 1 fields, expected words, inner, gauss"),
    ],
)
def test_state_needs_its_fields(data, said):
    with pytest.raises(FormError) as caught:
        decode_state(FORM, data)
    assert str(caught.value) == said


def test_message_names_the_inner_field():
    data = encode_state(FORM, STATE)
    data["inner"]["count"] = 10
    with pytest.raises(FormError, match=r"state\.inner\.count is 10"):
        decode_state(FORM, data)


def test_show_cuts_long_text():
    assert show("a" * 99) == "'" + "a" * 36 + "..."
    assert show("\ud800") == "'\\ud800'"
