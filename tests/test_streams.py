"""The ledger of seeds, and the streams that every Python process has."""

import hashlib
import random

import numpy as np
import pytest

from d2l_support import streams
from d2l_support.streams import Stream


@pytest.fixture(autouse=True)
def ledger(monkeypatch):
    """An empty ledger for each test."""
    monkeypatch.setattr(streams, "_ledger", {})


def describe_nothing(name, generator):
    return None


@pytest.mark.parametrize("seed", [0, 2**32 - 1, np.int8(7), np.uint64(7)])
def test_check_seed_gives_plain_int(seed):
    found = streams.check_seed(seed)
    assert type(found) is int
    assert found == seed


@pytest.mark.parametrize("seed", [True, np.True_, 1.0, np.float32(1), "1", None, [1]])
def test_check_seed_refuses_what_is_no_integer(seed):
    kind = type(seed).__name__
    with pytest.raises(TypeError, match=rf"seed is .* \({kind}\): give an int"):
        streams.check_seed(seed)


@pytest.mark.parametrize("seed", [-1, 2**32, np.int64(-3)])
def test_check_seed_refuses_what_is_out_of_range(seed):
    with pytest.raises(ValueError, match=rf"^seed is {seed}: give an int from 0 to"):
        streams.check_seed(seed)


def test_fingerprint_is_sha256():
    assert streams.fingerprint(b"abc") == hashlib.sha256(b"abc").hexdigest()


def test_list_global_before_seeding():
    assert streams.list_global("S", "L", b"state") == Stream("S", "L", None, None, True)


@pytest.mark.parametrize(
    ("start", "now", "moved"),
    [(b"1", b"1", False), (b"1", b"2", True), (None, b"1", None), (b"1", None, None)],
)
def test_list_global_after_seeding(start, now, moved):
    streams.remember_seed("S", 5, start)
    assert streams.list_global("S", "L", now) == Stream("S", "L", 5, moved, True)


def test_seed_shared_seeds_both():
    rows = streams.seed_shared(3)
    assert [(row.name, row.seeded_by, row.moved) for row in rows] == [
        ("Python random", 3, False),
        ("NumPy global", 3, False),
    ]
    assert random.random() == random.Random(3).random()
    assert np.random.normal() == np.random.RandomState(3).normal()


@pytest.mark.parametrize(
    ("draw", "moved"),
    [
        (random.random, [True, False]),
        (np.random.random, [False, True]),
        (np.random.default_rng(3).random, [False, False]),
    ],
)
def test_list_shared_tells_which_has_moved(draw, moved):
    streams.seed_shared(3)
    draw()
    assert [row.moved for row in streams.list_shared()] == moved


def test_read_numpy_state_sees_the_stored_normal():
    # The legacy generator makes normals in pairs and keeps the second one.
    np.random.seed(3)
    np.random.normal()
    one = streams.read_numpy_state()
    np.random.normal()
    assert streams.read_numpy_state() != one


def test_reading_states_changes_nothing():
    streams.seed_shared(3)
    assert streams.read_python_state() == streams.read_python_state()
    assert streams.read_numpy_state() == streams.read_numpy_state()
    assert random.random() == random.Random(3).random()
    assert np.random.normal() == np.random.RandomState(3).normal()


def test_state_put_back_counts_as_not_moved():
    streams.seed_shared(3)
    state = random.getstate()
    random.random()
    random.setstate(state)
    assert streams.list_shared()[0].moved is False


def test_list_named_keeps_the_order_given():
    named = {"b": random.Random(1), "a": np.random.default_rng(1)}
    found = streams.list_named(named, describe_nothing, ())
    assert [(row.name, row.library) for row in found] == [
        ("b", "Python"),
        ("a", "NumPy"),
    ]
    assert not any(row.reached for row in found)


def test_list_named_asks_the_framework():
    def describe(name, generator):
        return Stream(name, "Other", None, True, False)

    assert streams.list_named({"x": object()}, describe, ())[0].library == "Other"


def test_list_named_refuses_unknown_object():
    with pytest.raises(TypeError) as caught:
        streams.list_named({"x": np.ones(2)}, describe_nothing, ("a Key",))
    assert str(caught.value) == (
        "random_inventory(x=...): found an object of type numpy.ndarray, expected "
        "one of numpy.random.Generator, numpy.random.RandomState, random.Random, "
        "a Key."
    )
