"""JAX's keys and NNX's streams: randomness as a value."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import nnx

from d2l_support import jax as d2l


def test_set_seed_returns_key():
    key = d2l.set_seed(3)
    assert key.shape == ()
    # The two words of a threefry key are the high and the low bits of the seed.
    assert jax.random.key_data(key).tolist() == [0, 3]


def test_set_seed_keeps_all_32_bits():
    assert jax.random.key_data(d2l.set_seed(2**32 - 1)).tolist() == [0, 2**32 - 1]


def test_inventory_says_that_there_is_no_global_stream():
    stream = d2l.random_inventory().streams[2]
    assert (stream.name, stream.library) == ("JAX has none", "JAX")
    assert "every draw takes a key" in stream.note


def test_key_never_moves():
    key = jax.random.key(7)
    first = jax.random.normal(key, (4,)).tolist()
    stream = d2l.random_inventory(key=key).streams[-1]
    assert (stream.library, stream.moved, stream.reached) == ("JAX", False, False)
    assert jax.random.normal(key, (4,)).tolist() == first


def test_array_of_keys_is_listed():
    keys = jax.random.split(jax.random.key(7), 3)
    assert d2l.random_inventory(keys=keys).streams[-1].name == "keys"


@pytest.mark.parametrize("thing", [jax.random.PRNGKey(7), jnp.ones(2)])
def test_array_of_numbers_is_no_key(thing):
    message = r"random_inventory\(key=\.\.\.\): found .*ArrayImpl, .* typed JAX keys"
    with pytest.raises(TypeError, match=message):
        d2l.random_inventory(key=thing)


def test_rngs_show_what_they_gave_out():
    rngs = nnx.Rngs(0, dropout=1)
    stream = d2l.random_inventory(rngs=rngs).streams[-1]
    assert (stream.library, stream.moved) == ("Flax", False)
    assert stream.note.endswith("so far: default 0, dropout 0.")
    rngs.params()  # has no stream of its own, so the default one answers
    stream = d2l.random_inventory(rngs=rngs).streams[-1]
    assert stream.moved is True
    assert stream.note.endswith("so far: default 1, dropout 0.")


def test_inventory_does_not_advance_rngs():
    rngs, reference = nnx.Rngs(0), nnx.Rngs(0)
    d2l.random_inventory(rngs=rngs)
    data = [jax.random.key_data(r.params()).tolist() for r in (rngs, reference)]
    assert data[0] == data[1]


def test_stream_inside_layer_is_not_reached():
    layer = nnx.Dropout(0.5, rngs=nnx.Rngs(0))
    layer(jnp.ones(8))
    d2l.set_seed(3)
    stream = d2l.random_inventory(mask=layer.rngs).streams[-1]
    assert (stream.moved, stream.reached) == (True, False)


def test_draw_leaves_other_streams_alone():
    key = d2l.set_seed(3)
    jax.random.normal(key, (4,))
    assert np.random.normal() == np.random.RandomState(3).normal()


def test_environment_lists_changed_switches():
    name = "jax_threefry_partitionable"
    assert name not in d2l.describe_environment()["flags"]
    with jax.threefry_partitionable(False):
        assert d2l.describe_environment()["flags"][name] is False


def test_environment_reads_threads_back(monkeypatch):
    monkeypatch.setenv("NPROC", "3")
    found = d2l.describe_environment()
    assert (found["threads"], found["flags"]["NPROC"]) == (3, "3")
