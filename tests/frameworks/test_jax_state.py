"""JAX's states: keys are values, NNX streams are a key and a count."""

import os
import subprocess
import sys

import jax
import jax.numpy as jnp
import pytest
from flax import nnx

from d2l_support import jax as d2l


def read_words(key):
    return jax.random.key_data(key).tolist()


@pytest.mark.parametrize("impl", ["threefry2x32", "rbg", "unsafe_rbg"])
@pytest.mark.parametrize("shape", [(), (3,), (2, 0), (2, 2)])
def test_keys_of_every_kind_and_shape(tmp_path, impl, shape):
    keys = jax.random.split(jax.random.key(3, impl=impl), shape)
    d2l.save_random_state(tmp_path / "state.json", keys=keys)
    others = jax.random.split(jax.random.key(4, impl=impl), shape)
    found = d2l.load_random_state(tmp_path / "state.json", keys=others)["keys"]
    assert (found.dtype, found.shape) == (keys.dtype, keys.shape)
    assert read_words(found) == read_words(keys)


def test_loading_leaves_the_key_that_was_handed_in_alone(tmp_path):
    d2l.save_random_state(tmp_path / "state.json", key=jax.random.key(3))
    handed = jax.random.key(4)
    found = d2l.load_random_state(tmp_path / "state.json", key=handed)
    assert read_words(handed) == [0, 4]
    assert read_words(found["key"]) == [0, 3]


def test_key_in_a_loop_resumes_at_the_next_split(tmp_path):
    def draw(key, count):
        drawn = []
        for _ in range(count):
            key, part = jax.random.split(key)
            drawn.append(float(jax.random.normal(part)))
        return key, drawn

    key, _ = draw(jax.random.key(17), 4)
    d2l.save_random_state(tmp_path / "state.json", key=key)
    _, following = draw(key, 3)
    key = d2l.load_random_state(tmp_path / "state.json", key=jax.random.key(0))["key"]
    assert draw(key, 3)[1] == following


def test_rngs_keep_their_counts(tmp_path):
    rngs = nnx.Rngs(0, dropout=1)
    rngs.dropout()
    d2l.save_random_state(tmp_path / "state.json", rngs=rngs)
    following = read_words(rngs.dropout()), read_words(rngs())
    others = nnx.Rngs(5, dropout=6)
    assert d2l.load_random_state(tmp_path / "state.json", rngs=others)["rngs"] is others
    assert (read_words(others.dropout()), read_words(others())) == following
    assert others.dropout.count[...] == 2


def test_streams_of_a_module_are_put_back(tmp_path):
    layer = nnx.Dropout(0.5, rngs=nnx.Rngs(0))
    layer(jnp.ones(8))
    d2l.save_random_state(tmp_path / "state.json", layer=layer)
    following = layer(jnp.ones(8)).tolist()
    other = nnx.Dropout(0.5, rngs=nnx.Rngs(9))
    d2l.load_random_state(tmp_path / "state.json", layer=other)
    assert other(jnp.ones(8)).tolist() == following


@pytest.mark.parametrize(
    ("saved", "handed", "kinds"),
    [
        (jax.random.key(0), jax.random.key(0, impl="rbg"), ("threefry2x32", "rbg")),
        (
            jax.random.key(0),
            jax.random.split(jax.random.key(0)),
            (r"shape \(\)", r"shape \(2,\)"),
        ),
        (nnx.Rngs(0), nnx.Rngs(dropout=0), ("default", "dropout")),
        (nnx.Rngs(0), jax.random.key(0), ("NNX streams", "keys")),
    ],
)
def test_another_kind_is_refused(saved, handed, kinds):
    content = d2l.read_random_state(source=saved)
    message = "found for stream 'source' the state of .*{}.*, expected .*{}"
    with pytest.raises(d2l.RandomStateError, match=message.format(*kinds)):
        d2l.restore_random_state(content, source=handed)


def test_module_without_streams_is_refused():
    layer = nnx.Linear(2, 3, rngs=nnx.Rngs(0))
    message = "found a Linear without random streams, expected one that draws"
    with pytest.raises(d2l.RandomStateError, match=message):
        d2l.read_random_state(layer=layer)


@pytest.mark.parametrize("thing", [jax.random.PRNGKey(7), jnp.ones(2)])
def test_array_of_numbers_is_no_key(thing):
    with pytest.raises(TypeError, match=r"found an object of type .*, typed JAX keys"):
        d2l.read_random_state(key=thing)


def test_another_number_of_devices_is_refused(tmp_path):
    file = tmp_path / "state.json"
    d2l.save_random_state(file)
    code = (
        "import sys\n"
        "from d2l_support import jax as d2l\n"
        "try:\n"
        "    d2l.load_random_state(sys.argv[1])\n"
        "except d2l.RandomStateError as error:\n"
        "    print(error)\n"
    )
    flags = {"XLA_FLAGS": "--xla_force_host_platform_device_count=2"}
    done = subprocess.run(
        [sys.executable, "-c", code, str(file)],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, **flags},
    )
    assert done.stdout == (
        f"{file}: found states for 1 device(s), expected 2, as in this process. "
        "Load it in a process that has 1, counting the CPU.\n"
    )
