"""Plain data: split into JSON and arrays, and joined again."""

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from d2l_support.resume.plain import (
    PlainError,
    equal_data,
    find_difference,
    join_arrays,
    split_arrays,
    widen,
)

texts = st.text(max_size=5) | st.sampled_from(["$array", "$float", "checkpoint", "a/b"])
leaves = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | texts
    | hnp.arrays(
        st.sampled_from(["f4", "f8", "i8", "u1", "?", "c8", ">f4"]),
        hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=3),
    )
)
plain_data = st.recursive(
    leaves,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(texts | st.integers(), inner, max_size=3)
    ),
    max_leaves=10,
)


def send(data):
    """The data after its way through JSON."""
    plain, arrays = split_arrays(data)
    return join_arrays(json.loads(json.dumps(plain, allow_nan=False)), arrays)


@settings(max_examples=300, deadline=None)
@given(data=st.dictionaries(texts, plain_data, max_size=4))
def test_plain_data_survives(data):
    assert equal_data(send(data), data)


def test_types_survive():
    data = {"i": 1, "b": True, "f": 1.0, "n": None, "t": "x", "inf": -math.inf}
    found = send(data)
    assert found == data
    assert [type(part) for part in found.values()] == [
        type(part) for part in data.values()
    ]


def test_numbers_of_numpy_become_plain():
    data = {"i": np.int8(3), "b": np.True_, "f": np.float64(0.1), "s": np.float32(0.1)}
    found = send(data)
    assert (found["i"], found["b"], found["f"]) == (3, True, 0.1)
    assert [type(found[name]) for name in "ibf"] == [int, bool, float]
    assert (found["s"].dtype, found["s"].shape) == (np.float32, ())


def test_tuples_become_lists():
    assert send({"betas": (0.9, (1, 2))}) == {"betas": [0.9, [1, 2]]}


def test_whole_numbers_may_be_keys():
    assert send({"state": {0: 1, 7: {"x": 2}}}) == {"state": {0: 1, 7: {"x": 2}}}


def test_arrays_are_named_by_their_place():
    data = {"model": {"0.weight": np.ones(2)}, "rest": [np.zeros(1)]}
    assert list(split_arrays(data)[1]) == ["model/0.weight", "rest/0"]


def test_names_of_arrays_do_not_clash():
    one, two, three = np.zeros(1), np.ones(2), np.ones(3)
    data = {"a/b": one, "a": {"b": two}, "checkpoint": three, "\0": one}
    assert equal_data(send(data), data)
    assert len(split_arrays(data)[1]) == 4


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ({"a": {1, 2}}, "found at a an object of type set, expected plain data"),
        ({"a": [{"b": b"x"}]}, "found at a/0/b an object of type bytes, expected"),
        ({"a": {(1, 2): 3}}, "found keys of another type at a, expected text or"),
        ({"a": {True: 3}}, "found keys of another type at a, expected text or"),
        ({"a": np.array(["x"])}, "found at a an array of <U1, expected numbers"),
        ({"a": np.array([None])}, "found at a an array of object, expected numbers"),
    ],
)
def test_other_data_is_refused(data, said):
    with pytest.raises(PlainError) as caught:
        split_arrays(data)
    assert str(caught.value).startswith(said)


def test_data_that_is_too_deep_is_refused():
    data = {}
    for _ in range(60):
        data = {"x": data}
    with pytest.raises(PlainError, match="at most 50 levels deep"):
        split_arrays(data)


@pytest.mark.parametrize(
    ("data", "arrays", "said"),
    [
        ([], {}, "no place for a list of 0"),
        (3, {}, "no place for 3"),
        ({}, {"x": np.ones(1)}, "no place for x"),
        ({"a": {"$array": "x"}}, {}, r"a group of 1 fields with \$array"),
        ({"a": {"$array": ["x"]}}, {}, r"a group of 1 fields with \$array"),
        ({"a": {"$float": "1"}}, {}, r"a group of 1 fields with \$float"),
        ({"a": {"$new": "x"}}, {}, r"a group of 1 fields with \$new"),
        ({"a": {"$float": "inf", "b": 1}}, {}, r"a group of 2 fields with \$float"),
        ({"a": {"$pairs": 3}}, {}, "pairs that are 3"),
        ({"a": {"$pairs": [[1]]}}, {}, "pairs that are a list of 1"),
        ({"a": {"$pairs": [[[], 1]]}}, {}, "pairs that are a list of 1"),
        (json.loads('{"a":' * 60 + "1" + "}" * 60), {}, "more than 50 levels"),
    ],
)
def test_nonsense_is_refused(data, arrays, said):
    with pytest.raises(PlainError, match=f"found nonsense, expected .*: {said}"):
        join_arrays(data, arrays)


def test_an_array_has_one_place():
    data = {"a": {"$array": "x"}, "b": {"$array": "x"}}
    with pytest.raises(PlainError):
        join_arrays(data, {"x": np.ones(1)})


@pytest.mark.parametrize(
    ("one", "two", "found"),
    [
        (np.ones(2), np.ones(2), None),
        (np.array(0.0), np.array(-0.0), ("", "0.0", "-0.0")),
        (np.array([np.nan]), np.array([np.nan]), None),
        (
            np.float32([[1, 2], [3, 4]]),
            np.float32([[1, 2], [3, 5]]),
            ("[1, 1]", "4.0", "5.0"),
        ),
        (
            np.float32([1]),
            np.float32([np.nextafter(np.float32(1), np.float32(2))]),
            ("[0]", "1.0", "1.0000001"),
        ),
        (
            np.ones(2),
            np.ones(3),
            ("", "float64 of shape (2,)", "float64 of shape (3,)"),
        ),
        (np.ones((0, 2)), np.ones((0, 2)), None),
        (np.array([True, False]), np.array([True, True]), ("[1]", "False", "True")),
        (np.ones((2, 3)).T, np.ones((3, 2)), None),
    ],
)
def test_find_difference(one, two, found):
    assert find_difference(one, two) == found


def test_equal_data_does_not_look_at_the_order_of_names():
    one = {"a": {"x": np.ones(1), "y": 2}, "b": 1}
    two = {"b": 1, "a": {"y": 2, "x": np.ones(1)}}
    assert equal_data(one, two)
    assert not equal_data(one, two | {"b": True})
    assert not equal_data(one, two | {"a": {"y": 2, "x": np.zeros(1)}})


def test_widen_keeps_what_numpy_knows():
    array = np.float16([1, 2])
    assert widen(array).dtype == np.float16
    assert widen(array) is not array
