"""Traces in files: read back as they were, and refused when damaged."""

import hashlib
import json

import numpy as np
import pytest

from d2l_support.inspection import (
    Call,
    Coverage,
    Run,
    Value,
    build_trace,
    load_trace,
)

ENVIRONMENT = {"framework": "none", "versions": {"numpy": "2"}, "threads": 2}


def value(*numbers):
    data = np.asarray(numbers, "float32").tobytes()
    return Value((len(numbers),), "float32", data=data)


@pytest.fixture
def trace():
    """One tied module, called once."""
    calls = (
        Call(("a", "b"), "Layer", 1, "forward", (("x", 0),), (("[0]", 1), ("[1]", 2))),
        Call(("",), "Model", 1, "forward", None, (("", 1),)),
    )
    values = value(1, 2), value(3), Value((2,), "strange", skipped="a class of its own")
    coverage = Coverage(2, (("c", "not called"),), ("A warning.",))
    run = Run("none", calls, values, coverage, weights=((("a.w", "b.w"), value(5)),))
    return build_trace(run, {"Python random": "ab" * 32}, ENVIRONMENT)


def test_build_trace_digests_values_and_weights(trace):
    expected = hashlib.sha256(b"float32 [1]\n" + np.float32(3).tobytes()).hexdigest()
    assert trace.digests[1:] == (expected, "")
    assert set(trace.weights) == {"a.w", "b.w"}
    assert trace.run.weights == ()


def test_trace_is_read_back_as_it_was(trace, tmp_path):
    trace.save(tmp_path / "run.trace")
    back = load_trace(tmp_path / "run.trace")
    for name in ("run", "digests", "weights", "streams", "environment"):
        assert getattr(back, name) == getattr(trace, name)


def test_same_trace_gives_the_same_file(trace, tmp_path):
    trace.save(tmp_path / "one")
    load_trace(str(tmp_path / "one")).save(str(tmp_path / "two"))
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_trace_without_values_keeps_the_digests(trace, tmp_path):
    trace.save(tmp_path / "small", values=False)
    back = load_trace(tmp_path / "small")
    assert back.digests == trace.digests
    assert back.run.values[0].data is None


def test_str_shows_the_digests(trace):
    assert f"a = b[0]   1      float32  {trace.digests[1][:16]}" in str(trace)
    assert "a = b[1]   2      strange  -" in str(trace)
    assert "Not checked: a = b[1] (a class of its own)." in str(trace)


def reseal(path, edit):
    """Changes the body of a file and gives it a digest that fits."""
    first, _, body = path.read_bytes().partition(b"\n")
    body = edit(body)
    digest = hashlib.sha256(body).hexdigest()
    path.write_bytes(b" ".join(first.split()[:2]) + f" {digest}\n".encode() + body)


def edit_header(change):
    def edit(body):
        header, _, data = body.partition(b"\n")
        fields = json.loads(header)
        change(fields)
        return json.dumps(fields).encode() + b"\n" + data

    return edit


@pytest.fixture
def path(trace, tmp_path):
    trace.save(tmp_path / "run.trace")
    return tmp_path / "run.trace"


@pytest.mark.parametrize("content", [b"", b"\x80\x04pickle", b"PK\x03\x04", b"{}\n"])
def test_another_file_is_refused(path, content):
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"run\.trace: found no trace, expected one"):
        load_trace(path)


@pytest.mark.parametrize("cut", [-1, -3, 80])
def test_a_cut_file_is_refused(path, cut):
    path.write_bytes(path.read_bytes()[:cut])
    with pytest.raises(ValueError, match=r"does not fit its digest.*cut off"):
        load_trace(path)


def test_a_changed_byte_is_found(path):
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(bytes(content))
    with pytest.raises(ValueError, match=r"does not fit.*Make it again with record_tr"):
        load_trace(path)


def test_another_version_is_refused(path):
    path.write_bytes(path.read_bytes().replace(b"d2l-trace 1", b"d2l-trace 2", 1))
    with pytest.raises(ValueError, match=r"found a trace of version 2, expected 1"):
        load_trace(path)


@pytest.mark.parametrize(
    "change",
    [
        lambda h: h.pop("calls"),
        lambda h: h["values"][0].pop(),
        lambda h: h["values"][0].__setitem__(4, 10**12),
        lambda h: h["values"][0].__setitem__(4, -4),
        lambda h: h.__setitem__("coverage", 3),
        lambda h: h["calls"][0].__setitem__(4, "text"),
    ],
)
def test_a_header_that_is_no_traces_is_refused(path, change):
    reseal(path, edit_header(change))
    with pytest.raises(
        ValueError, match=r"run\.trace: found a header that is no trace"
    ):
        load_trace(path)


def test_a_missing_file_is_an_oserror(tmp_path):
    with pytest.raises(FileNotFoundError):
        load_trace(tmp_path / "none")
