"""A checkpoint: one archive, whole, and never trusted."""

import hashlib
import io
import pickle
import zipfile

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from d2l_support.resume.checkpoint import (
    CheckpointError,
    check_arrays,
    load_checkpoint,
    save_checkpoint,
)
from d2l_support.resume.plain import equal_data

ITEMS = {
    "model": {"0.weight": np.float32([[1, 2], [3, np.nan]]), "0.bias": np.zeros(0)},
    "optimizer": {"groups": [{"lr": 0.1, "betas": (0.9, 0.99)}], "state": {0: None}},
    "best": float("inf"),
}


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    return tmp_path_factory.mktemp("checkpoints") / "step-3.npz"


@pytest.fixture(scope="module")
def raw(file):
    save_checkpoint(file, ITEMS)
    return file.read_bytes()


def sign(body):
    """The archive's bytes with the right digest at their end."""
    return body + hashlib.sha256(body).hexdigest().encode()


def refuse(file, data):
    file.write_bytes(data)
    with pytest.raises(CheckpointError) as caught:
        load_checkpoint(file)
    return str(caught.value)


def test_items_survive(file, raw):
    file.write_bytes(raw)
    assert equal_data(load_checkpoint(file), ITEMS)
    assert list(load_checkpoint(file)) == list(ITEMS)


def test_numpy_opens_it(file, raw):
    file.write_bytes(raw)
    with np.load(file) as archive:
        assert archive.files == ["checkpoint", "model/0.weight", "model/0.bias"]
        assert archive["model/0.weight"].tolist()[0] == [1, 2]
        assert '"format": "d2l checkpoint"' in str(archive["checkpoint"])


def test_comment_is_the_digest_of_all_before_it(file, raw):
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        assert archive.comment == hashlib.sha256(raw[:-64]).hexdigest().encode()
        assert archive.testzip() is None


def test_the_same_items_give_the_same_bytes(file, raw, monkeypatch):
    monkeypatch.setattr("time.time", lambda: 0.0)
    save_checkpoint(file, ITEMS)
    assert file.read_bytes() == raw


def test_missing_file_stays_missing(tmp_path):
    with pytest.raises(FileNotFoundError):
        load_checkpoint(tmp_path / "none.npz")


def test_data_that_is_not_plain_is_not_written(tmp_path):
    with pytest.raises(CheckpointError) as caught:
        save_checkpoint(tmp_path / "x.npz", {"model": {"f": len}})
    assert str(caught.value) == (
        f"{tmp_path / 'x.npz'}: found at model/f an object of type "
        "builtin_function_or_method, expected plain data or an array, at most 50 "
        "levels deep. Turn it into an array or a number."
    )
    assert not list(tmp_path.iterdir())


quiet = settings(
    max_examples=200, deadline=None, suppress_health_check=list(HealthCheck)
)


@quiet
@given(data=st.data())
def test_any_damaged_byte_is_refused(file, raw, data):
    place = data.draw(st.integers(0, len(raw) - 1))
    cut, put = data.draw(st.integers(0, 5)), data.draw(st.binary(max_size=5))
    damaged = raw[:place] + put + raw[place + cut :]
    if damaged != raw:
        assert refuse(file, damaged) == (
            f"{file}: found a file that is damaged or no checkpoint, expected every "
            "byte as save_checkpoint wrote it. Take an older one."
        )


@quiet
@given(data=st.data())
def test_nonsense_with_a_right_digest_is_refused_or_read(file, raw, data):
    body = bytearray(raw[:-64])
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(body) - 1))
        cut, put = data.draw(st.integers(0, 3)), data.draw(st.binary(max_size=3))
        body[place : place + cut] = put
    file.write_bytes(sign(bytes(body)))
    try:
        found = load_checkpoint(file)
    except CheckpointError:
        return
    assert set(found) <= {"model", "optimizer", "best"} or found is not None


class Trap:
    """What runs code when it is unpickled."""

    def __reduce__(self):
        return exec, ("raise SystemExit",)


def make_archive(entries):
    """An archive of these entries, with a right digest."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.comment = b"0" * 64
        for name, data in entries.items():
            archive.writestr(name, data)
    return sign(buffer.getvalue()[:-64])


def write_array(array):
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, array, allow_pickle=True)
    return buffer.getvalue()


@pytest.mark.parametrize(
    "entries",
    [
        {},
        {"checkpoint.npy": write_array(np.array("[]"))},
        {"checkpoint.npy": write_array(np.array("{"))},
        {"checkpoint.npy": write_array(np.array("[" * 100_000))},
        {"checkpoint.npy": pickle.dumps(Trap())},
        {"checkpoint.npy": write_array(np.array([Trap()], object))},
        {"checkpoint.npy": b"\x93NUMPY\x01\x00\x10\x00" + b"(" * 16},
        {
            "checkpoint.npy": b"\x93NUMPY\x01\x00\x46\x00"
            b"{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999,)}    \n"
        },
    ],
)
def test_archive_made_to_hurt_is_refused(file, entries):
    assert "damaged or no checkpoint" in refuse(file, make_archive(entries))


def test_newer_version_is_told_apart(file):
    text = '{"format": "d2l checkpoint", "version": 2, "items": {}}'
    data = make_archive({"checkpoint.npy": write_array(np.array(text))})
    assert refuse(file, data) == (
        f"{file}: found version 2 of the format, expected 1. Load it with the release "
        "that saved it."
    )


def test_array_without_a_place_is_refused(file):
    text = '{"format": "d2l checkpoint", "version": 1, "items": {}}'
    entries = {"checkpoint.npy": np.array(text), "stray.npy": np.ones(1)}
    data = make_archive({name: write_array(a) for name, a in entries.items()})
    assert "found nonsense" in refuse(file, data)
    assert "no place for stray" in refuse(file, data)


def test_arrays_that_fit_are_accepted():
    arrays = {"a": np.ones((2, 3), np.float32), "b": np.zeros((), np.int64)}
    check_arrays(dict(reversed(arrays.items())), arrays, "model")


@pytest.mark.parametrize(
    ("found", "said"),
    [
        ({"a": np.ones(2)}, "found arrays a, expected a, b."),
        ({}, "found arrays none, expected a, b."),
        (None, "found arrays none, expected a, b."),
        (
            {"a": np.ones(3), "b": np.ones(1)},
            "found for a float64 of shape (3,), expected float64 of shape (2,).",
        ),
        (
            {"a": np.ones(2, np.float32), "b": np.ones(1)},
            "found for a float32 of shape (2,), expected float64 of shape (2,).",
        ),
        (
            {"a": [1, 1], "b": np.ones(1)},
            "found for a an object of type list, expected float64 of shape (2,).",
        ),
    ],
)
def test_arrays_that_do_not_fit_are_refused(found, said):
    with pytest.raises(CheckpointError) as caught:
        check_arrays(found, {"a": np.ones(2), "b": np.ones(1)}, "model")
    assert str(caught.value) == (
        f"model: {said} Build it as it was built when it was saved."
    )
