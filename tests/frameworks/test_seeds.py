"""The contract of `set_seed` and `random_inventory`, the same in all four."""

import random

import numpy as np
import pytest


def rows(inventory):
    return {stream.name: stream for stream in inventory.streams}


def test_set_seed_makes_own_draws_repeat(d2l, expected):
    first = expected.draw(d2l.set_seed(3))
    assert expected.draw(d2l.set_seed(3)) == first
    assert expected.draw(d2l.set_seed(4)) != first


def test_set_seed_seeds_python(d2l):
    d2l.set_seed(3)
    reference = random.Random(3)
    assert [random.random() for _ in range(3)] == [reference.random() for _ in range(3)]


def test_set_seed_seeds_numpy_legacy_global(d2l):
    d2l.set_seed(3)
    reference = np.random.RandomState(3)
    assert np.random.normal(size=3).tolist() == reference.normal(size=3).tolist()


def test_set_seed_does_not_reach_named_generator(d2l):
    rng, reference = np.random.default_rng(7), np.random.default_rng(7)
    d2l.set_seed(3)
    rng.normal(size=3)
    d2l.set_seed(3)
    reference.normal(size=3)
    assert rng.normal(size=3).tolist() == reference.normal(size=3).tolist()


@pytest.mark.parametrize("seed", [0, 2**31, 2**32 - 1, np.int64(5), np.uint32(5)])
def test_set_seed_takes_32_bits(d2l, expected, seed):
    first = expected.draw(d2l.set_seed(seed))
    assert expected.draw(d2l.set_seed(int(seed))) == first


@pytest.mark.parametrize(
    ("seed", "message"),
    [
        (True, r"seed is True \(bool\): give an int, such as 0\."),
        (1.5, r"seed is 1\.5 \(float\): give an int"),
        ("3", r"seed is '3' \(str\): give an int"),
        (None, r"seed is None \(NoneType\): give an int"),
    ],
)
def test_set_seed_refuses_what_is_no_integer(d2l, seed, message):
    with pytest.raises(TypeError, match=message):
        d2l.set_seed(seed)


@pytest.mark.parametrize("seed", [-1, 2**32])
def test_set_seed_refuses_what_numpy_cannot_take(d2l, seed):
    with pytest.raises(ValueError, match=rf"seed is {seed}: .* = 4294967295; NumPy"):
        d2l.set_seed(seed)


def test_refused_seed_leaves_every_stream_alone(d2l, expected):
    d2l.set_seed(3)
    state = random.getstate()
    with pytest.raises(ValueError, match="seed is -1"):
        d2l.set_seed(-1)
    assert random.getstate() == state


@pytest.mark.usefixtures("unseeded")
def test_inventory_before_seeding(d2l, expected):
    found = rows(d2l.random_inventory())
    assert list(found)[:3] == ["Python random", "NumPy global", expected.stream]
    for stream in found.values():
        assert (stream.seeded_by, stream.moved) == (None, None)


def test_inventory_after_seeding(d2l, expected):
    d2l.set_seed(3)
    found = rows(d2l.random_inventory())
    for name in ("Python random", "NumPy global"):
        assert (found[name].seeded_by, found[name].moved) == (3, False)
        assert found[name].reached
    own = found[expected.stream]
    assert own.moved is expected.start
    assert own.seeded_by == (3 if own.reached else None)


def test_inventory_after_draws(d2l, expected):
    expected.draw(d2l.set_seed(3))
    random.random()
    np.random.normal()
    found = rows(d2l.random_inventory())
    assert found["Python random"].moved is True
    assert found["NumPy global"].moved is True
    assert found[expected.stream].moved is expected.moved


def test_inventory_after_seeding_again(d2l, expected):
    expected.draw(d2l.set_seed(3))
    d2l.set_seed(4)
    own = rows(d2l.random_inventory())[expected.stream]
    assert own.moved is expected.start


def test_inventory_changes_no_stream(d2l, expected):
    rng, reference = np.random.default_rng(7), np.random.default_rng(7)
    untouched = expected.draw(d2l.set_seed(3))
    start = d2l.set_seed(3)
    inventory = d2l.random_inventory(rng=rng)
    assert str(inventory)
    assert inventory == d2l.random_inventory(rng=rng)
    assert expected.draw(start) == untouched
    assert random.random() == random.Random(3).random()
    assert np.random.normal() == np.random.RandomState(3).normal()
    assert rng.normal() == reference.normal()


@pytest.mark.parametrize(
    ("generator", "library", "kind"),
    [
        (np.random.default_rng(7), "NumPy", "numpy.random.Generator"),
        (np.random.RandomState(7), "NumPy", "numpy.random.RandomState"),
        (random.Random(7), "Python", "random.Random"),
    ],
)
def test_inventory_lists_named_generator(d2l, generator, library, kind):
    stream = d2l.random_inventory(split=generator).streams[-1]
    assert (stream.name, stream.library) == ("split", library)
    assert (stream.seeded_by, stream.moved, stream.reached) == (None, None, False)
    assert stream.note.startswith(kind)


def test_inventory_refuses_unknown_object(d2l, expected):
    with pytest.raises(TypeError) as caught:
        d2l.random_inventory(rng=np.random.default_rng(7), count=[1])
    assert str(caught.value) == (
        "random_inventory(count=...): found an object of type list, expected "
        "one of numpy.random.Generator, numpy.random.RandomState, "
        f"random.Random, {expected.unknown}"
    )


def test_inventory_fits_the_page(d2l):
    d2l.set_seed(2**32 - 1)
    name = "a_generator_with_a_name_that_is_longer_than_any_page_is_wide_" * 2
    inventory = d2l.random_inventory(**{name: np.random.default_rng(7)})
    assert max(map(len, str(inventory).splitlines())) <= 78


def test_inventory_escapes_names_in_html(d2l):
    named = {"<b>&": np.random.default_rng(7)}
    shown = d2l.random_inventory(**named)._repr_html_()
    assert '<th scope="row">&lt;b&gt;&amp;</th>' in shown
    assert "<b>" not in shown
