"""Saving and putting back all streams: all or nothing, and never nonsense."""

import json
import random
import warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from d2l_support.state import check, random_state, shared_slots
from d2l_support.state.check import RandomStateWarning
from d2l_support.state.file import RandomStateError, encode_file
from d2l_support.state.slots import Slot, Streams

ALGORITHMS = ("MT19937", "PCG64", "Philox", "SFC64")


def make_streams(devices=1, **changes):
    """A process of a framework that has no streams of its own."""
    named = {
        name: np.random.Generator(getattr(np.random, name)(3)) for name in ALGORITHMS
    }
    named["legacy"], named["python"] = np.random.RandomState(3), random.Random(3)
    named.update(changes)
    listed = shared_slots.list_named_slots(named, lambda stream: None, ())
    return Streams(
        "test", {"test": "1"}, devices, shared_slots.list_shared_slots(), listed
    )


def snapshot(streams):
    """The states of all streams, as they would be saved."""
    content = random_state.read_streams(streams)
    return json.dumps([content["process"], content["named"]])


STREAMS = make_streams()
CONTENT = random_state.read_streams(STREAMS)


def copy_content():
    return json.loads(json.dumps(CONTENT))


def refuse(content, streams=None):
    """The message of the refusal, which no stream may notice."""
    streams = streams or make_streams()
    before = snapshot(streams)
    with pytest.raises(RandomStateError) as caught:
        random_state.restore_streams(content, streams, "here")
    assert snapshot(streams) == before
    return str(caught.value)


def test_states_survive_a_file(tmp_path):
    streams = make_streams()
    random_state.save_streams(tmp_path / "state.json", streams)
    before = snapshot(streams)
    random.random()
    np.random.normal()
    other = make_streams(Philox=np.random.Generator(np.random.Philox(9)))
    found = random_state.load_streams(tmp_path / "state.json", other)
    assert list(found) == list(other.named)
    assert snapshot(other) == before


def test_content_says_where_it_is_from():
    assert {key: CONTENT[key] for key in ("framework", "versions", "devices")} == {
        "framework": "test",
        "versions": {"numpy": np.__version__, "test": "1"},
        "devices": 1,
    }


def test_another_framework_is_refused():
    content = copy_content() | {"framework": "other"}
    assert refuse(content) == (
        "here: found the random state of 'other', expected that of 'test'. Load it "
        "where it was saved."
    )


def test_another_number_of_devices_is_refused():
    assert refuse(copy_content(), make_streams(devices=2)) == (
        "here: found states for 1 device(s), expected 2, as in this process. Load it "
        "in a process that has 1, counting the CPU."
    )


def test_state_of_another_form_is_refused():
    content = copy_content()
    content["named"]["PCG64"]["state"]["has_uint32"] = 2
    assert refuse(content) == (
        "here: found nonsense, expected what save_random_state wrote: stream "
        "'PCG64': state.has_uint32 is 2, expected a whole number from 0 to 1. Take "
        "another copy, or an older state."
    )


def test_state_that_the_slot_objects_to_is_refused():
    content = copy_content()
    content["named"]["python"]["state"]["words"] = "A" * (624 * 4 // 3 * 4)
    assert "stream 'python': its words are all zero" in refuse(content)


@pytest.mark.parametrize("part", check.PARTS + check.GROUPS)
def test_missing_part_is_refused(part):
    content = copy_content()
    del content[part]
    assert refuse(content).startswith("here: found ")


def test_state_may_be_missing_only_where_it_is_optional():
    content = copy_content()
    content["named"]["python"]["state"] = None
    assert "stream 'python': state is None" in refuse(content)


def test_optional_slot_takes_no_state():
    written = []
    slot = Slot("late", {}, lambda: None, written.append, optional=True)
    streams = Streams("test", {}, 1, {}, {"late": slot})
    content = random_state.read_streams(streams)
    assert content["named"] == {"late": {"kind": "late", "state": None}}
    random_state.restore_streams(content, streams, "here")
    assert written == [None]


def test_versions_are_compared():
    content = copy_content()
    content["versions"] = {"numpy": np.__version__, "test": "2", "more": "3"}
    with pytest.warns(RandomStateWarning) as caught:
        random_state.restore_streams(content, make_streams(), "here")
    assert str(caught[0].message) == (
        "here: found more 3 there and none here, test 2 there and 1 here, expected "
        "the same releases. The states are put back; the same state may draw other "
        "numbers."
    )


def test_warning_made_an_error_comes_before_the_first_stream():
    content, streams = copy_content(), make_streams()
    content["versions"]["test"] = "2"
    before = snapshot(streams)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(RandomStateWarning):
            random_state.restore_streams(content, streams, "here")
    assert snapshot(streams) == before


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(0, 700)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text()
    | st.sampled_from(["", "AAAA", "random.Random", "numpy.random.Generator(PCG64)"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.text() | st.sampled_from(["kind", "state", "words"]), inner, max_size=3
        )
    ),
    max_leaves=6,
)


def list_places(data, path=()):
    """The paths to all parts inside JSON data."""
    for key in data if isinstance(data, dict) else ():
        yield (*path, key)
        yield from list_places(data[key], (*path, key))


PLACES = list(list_places(CONTENT))


@settings(max_examples=600, suppress_health_check=list(HealthCheck), deadline=None)
@given(place=st.sampled_from(PLACES), value=json_values, drop=st.booleans())
def test_any_replacement_is_refused_or_is_a_state(tmp_path_factory, place, value, drop):
    content = copy_content()
    inner = content
    for key in place[:-1]:
        inner = inner[key]
    if drop:
        del inner[place[-1]]
    else:
        inner[place[-1]] = value
    file = tmp_path_factory.getbasetemp() / "replaced.json"
    file.write_bytes(encode_file(content))
    streams = make_streams()
    before = snapshot(streams)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RandomStateWarning)
            random_state.load_streams(file, streams)
    except RandomStateError:
        assert snapshot(streams) == before
    else:
        assert snapshot(streams) == json.dumps([content["process"], content["named"]])


@settings(max_examples=200, suppress_health_check=list(HealthCheck), deadline=None)
@given(data=st.data())
def test_any_damaged_byte_is_refused(tmp_path_factory, data):
    raw = encode_file(CONTENT)
    place = data.draw(st.integers(0, len(raw) - 1))
    cut = data.draw(st.integers(0, 5))
    put = data.draw(st.binary(max_size=5))
    damaged = raw[:place] + put + raw[place + cut :]
    if damaged == raw:
        return
    file = tmp_path_factory.getbasetemp() / "damaged.json"
    file.write_bytes(damaged)
    streams = make_streams()
    before = snapshot(streams)
    with pytest.raises(RandomStateError):
        random_state.load_streams(file, streams)
    assert snapshot(streams) == before
