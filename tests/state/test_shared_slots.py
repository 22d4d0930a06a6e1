"""The streams of Python and NumPy: every kind, every refusal."""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from d2l_support.state import shared_slots
from d2l_support.state.file import RandomStateError
from d2l_support.state.forms import FormError, decode_state, encode_state

ALGORITHMS = ("MT19937", "PCG64", "PCG64DXSM", "Philox", "SFC64")


def describe_nothing(stream):
    return None


def copy_state(slot):
    """The state as a file would give it back."""
    return decode_state(slot.form, encode_state(slot.form, slot.read()))


def make_generator(algorithm, seed):
    return np.random.Generator(getattr(np.random, algorithm)(seed))


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_generator_goes_on(algorithm):
    generator, other = make_generator(algorithm, 3), make_generator(algorithm, 4)
    generator.integers(9, dtype=np.uint32)  # leaves half a word behind
    state = copy_state(shared_slots.describe_generator(generator))
    assert shared_slots.describe_generator(other).write(state) is other
    for _ in range(3):
        drawn = [g.integers(9, dtype=np.uint32) for g in (generator, other)]
        assert drawn[0] == drawn[1]
    assert generator.normal() == other.normal()


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_random_state_goes_on(algorithm):
    bits = getattr(np.random, algorithm)
    stream, other = np.random.RandomState(bits(3)), np.random.RandomState(bits(4))
    stream.normal()  # leaves the second one of a pair behind
    state = copy_state(shared_slots.describe_legacy(stream, stream))
    assert shared_slots.describe_legacy(other, other).write(state) is other
    assert [other.normal() for _ in range(3)] == [stream.normal() for _ in range(3)]


@settings(deadline=None)
@given(st.integers(), st.integers(0, 2000))
def test_python_goes_on(seed, draws):
    stream, other = random.Random(seed), random.Random()
    for _ in range(draws):
        stream.random()
    stream.gauss(0, 1)
    state = copy_state(shared_slots.describe_python(stream))
    assert shared_slots.describe_python(other).write(state) is other
    assert other.getstate() == stream.getstate()


def test_shared_slots_are_the_globals():
    found = shared_slots.list_shared_slots()
    states = {name: copy_state(slot) for name, slot in found.items()}
    drawn = random.random(), np.random.normal()
    for name, slot in found.items():
        slot.write(states[name])
    assert (random.random(), np.random.normal()) == drawn


@pytest.mark.skipif(
    not hasattr(np.random, "set_bit_generator"), reason="needs NumPy 1.24"
)
def test_legacy_global_may_rest_on_another_algorithm():
    before = np.random.get_bit_generator()
    np.random.set_bit_generator(np.random.PCG64(3))
    try:
        slot = shared_slots.list_shared_slots()["NumPy global"]
        assert slot.kind == "numpy.random.RandomState(PCG64)"
        state = copy_state(slot)
        drawn = np.random.normal(size=3).tolist()
        slot.write(state)
        assert np.random.normal(size=3).tolist() == drawn
    finally:
        np.random.set_bit_generator(before)


def test_spawned_children_are_not_part_of_a_state():
    # A fresh generator that is set to a saved state still spawns its own.
    one, two = np.random.default_rng(3), np.random.default_rng(4)
    slot = shared_slots.describe_generator(two)
    slot.write(copy_state(shared_slots.describe_generator(one)))
    assert one.normal() == two.normal()
    if hasattr(one, "spawn"):
        assert one.spawn(1)[0].normal() != two.spawn(1)[0].normal()


def test_a_twister_of_zeros_is_refused():
    state = copy_state(shared_slots.describe_generator(make_generator("MT19937", 3)))
    slot = shared_slots.describe_generator(make_generator("MT19937", 3))
    assert slot.check(state) is None
    state["state"]["key"][:] = 0
    assert slot.check(state) == "its words are all zero"
    python = shared_slots.describe_python(random.Random(3))
    assert python.check({"words": np.zeros(624)}) == "its words are all zero"


@pytest.mark.parametrize(
    ("algorithm", "path", "top"),
    [
        ("MT19937", ("state", "pos"), 624),
        ("Philox", ("buffer_pos",), 4),
        ("Philox", ("has_uint32",), 1),
        ("SFC64", ("uinteger",), 2**32 - 1),
        ("PCG64", ("state", "state"), 2**128 - 1),
        ("PCG64DXSM", ("state", "inc"), 2**128 - 1),
    ],
)
def test_numbers_have_limits(algorithm, path, top):
    slot = shared_slots.describe_generator(make_generator(algorithm, 3))
    data = encode_state(slot.form, slot.read())
    inner = data
    for name in path[:-1]:
        inner = inner[name]
    inner[path[-1]] = top
    decode_state(slot.form, data)
    for wrong in (top + 1, -1):
        inner[path[-1]] = wrong
        with pytest.raises(FormError, match=path[-1]):
            decode_state(slot.form, data)


def test_philox_has_a_key_that_may_be_zero():
    slot = shared_slots.describe_generator(make_generator("Philox", 3))
    state = copy_state(slot)
    state["state"]["key"][:] = 0
    assert slot.check(state) is None


@pytest.mark.parametrize(
    ("stream", "kind"),
    [
        (make_generator("PCG64", 1), "numpy.random.Generator(PCG64)"),
        (np.random.RandomState(1), "numpy.random.RandomState(MT19937)"),
        (random.Random(1), "random.Random"),
    ],
)
def test_named_slots_tell_the_kind(stream, kind):
    found = shared_slots.list_named_slots({"x": stream}, describe_nothing, ())
    assert found["x"].kind == kind


def test_named_slots_ask_the_framework():
    found = shared_slots.list_named_slots({"x": "mine"}, lambda stream: stream * 2, ())
    assert found == {"x": "minemine"}


@pytest.mark.parametrize("stream", [3, random.SystemRandom(), np.random.PCG64(1)])
def test_named_slots_refuse_unknown_objects(stream):
    with pytest.raises(TypeError) as caught:
        shared_slots.list_named_slots({"x": stream}, describe_nothing, ("a Key",))
    message = str(caught.value)
    assert message.startswith("random state of x: found an object of type ")
    assert message.endswith(
        ", expected one of numpy.random.Generator, numpy.random.RandomState, "
        "random.Random, a Key."
    )


def test_foreign_bit_generator_is_refused():
    class Foreign(np.random.PCG64):
        @property
        def state(self):
            return {"bit_generator": "Foreign"}

    with pytest.raises(RandomStateError) as caught:
        shared_slots.describe_private(np.random.Generator(Foreign(1)))
    assert str(caught.value) == (
        "found a bit generator Foreign, expected one of MT19937, PCG64, PCG64DXSM, "
        "Philox, SFC64. Use one of NumPy's own."
    )
