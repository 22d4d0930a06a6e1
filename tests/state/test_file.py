"""The file of random states: every byte counts."""

import hashlib
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from d2l_support.state.file import (
    RandomStateError,
    encode_file,
    read_state_file,
)

CONTENT = {"format": "d2l random state", "version": 1, "streams": {"a": [1, 0.1, None]}}
RAW = encode_file(CONTENT)


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    return tmp_path_factory.mktemp("states") / "state.json"


def read(file, raw):
    file.write_bytes(raw)
    return read_state_file(file)


def test_content_survives(file):
    assert read(file, RAW) == CONTENT


def test_file_is_one_json_object_with_a_digest():
    whole = json.loads(RAW)
    assert list(whole) == ["content", "sha256"]
    text = json.dumps(CONTENT, indent=1, sort_keys=True)
    assert whole["sha256"] == hashlib.sha256(text.encode()).hexdigest()
    assert RAW.isascii()
    assert RAW.endswith(b"}\n")


def test_infinite_number_is_not_written():
    with pytest.raises(ValueError, match="Out of range float"):
        encode_file({"x": float("inf")})


def test_missing_file_stays_missing(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_state_file(tmp_path / "none.json")


@settings(deadline=None)
@given(place=st.integers(0, len(RAW) - 1), bit=st.integers(0, 7))
def test_flipped_bit_is_seen(file, place, bit):
    raw = bytearray(RAW)
    raw[place] ^= 1 << bit
    with pytest.raises(RandomStateError):
        read(file, bytes(raw))


@settings(deadline=None)
@given(size=st.integers(0, len(RAW) - 1))
def test_truncation_is_seen(file, size):
    with pytest.raises(RandomStateError, match="damaged or no random state"):
        read(file, RAW[:size])


@settings(deadline=None)
@given(place=st.integers(0, len(RAW)), data=st.binary(min_size=1))
def test_insertion_is_seen(file, place, data):
    with pytest.raises(RandomStateError):
        read(file, RAW[:place] + data + RAW[place:])


@settings(deadline=None)
@given(data=st.binary() | st.text().map(str.encode))
def test_any_bytes_are_refused(file, data):
    with pytest.raises(RandomStateError):
        read(file, data)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@settings(max_examples=300, deadline=None)
@given(content=json_values)
def test_any_json_with_a_right_digest_is_refused(file, content):
    try:
        raw = encode_file(content)
    except ValueError:  # not finite
        return
    with pytest.raises(RandomStateError):
        read(file, raw)


@pytest.mark.parametrize(
    "raw",
    [
        b"[" * 100_000,
        b'{"content": ' * 50_000,
        b'{"content": {"format": "d2l random state", "version": 1'
        + b"0" * 5000
        + b"}}",
        b'{"content": {"format": "d2l random state", "version": 1}, "sha256": NaN}',
        b"\xff\xfe" + "{}".encode("utf-16-le"),
    ],
)
def test_json_made_to_hurt_is_refused(file, raw):
    with pytest.raises(RandomStateError):
        read(file, raw)


@pytest.mark.parametrize("version", [2, 10**9])
def test_newer_version_is_told_apart(file, version):
    content = CONTENT | {"version": version}
    with pytest.raises(RandomStateError) as caught:
        read(file, encode_file(content))
    assert str(caught.value) == (
        f"{file}: found version {version} of the format, expected at most 1. Load it "
        "with the newer release that saved it."
    )


def test_newer_version_may_have_another_digest(file):
    raw = json.dumps({"content": CONTENT | {"version": 2}, "blake": "x"}).encode()
    with pytest.raises(RandomStateError, match="found version 2 of the format"):
        read(file, raw)


@pytest.mark.parametrize("version", [0, -1, True, "1", None, 1.0])
def test_version_has_to_be_one(file, version):
    with pytest.raises(RandomStateError, match="without a version"):
        read(file, encode_file(CONTENT | {"version": version}))


def test_another_format_is_told_apart(file):
    with pytest.raises(RandomStateError) as caught:
        read(file, encode_file({"format": "d2l checkpoint", "version": 1}))
    assert str(caught.value) == (
        f"{file}: found something else, expected a random state. Give the file that "
        "save_random_state wrote."
    )
