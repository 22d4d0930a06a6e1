"""JAX and Flax: what a state holds, and orders that are functions of a key."""

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
from flax import nnx

from d2l_support import jax as d2l


@pytest.mark.parametrize(
    "rule", [optax.sgd(0.1), optax.adam(0.1), optax.adamw(0.1), optax.rmsprop(0.1)]
)
def test_moments_of_other_optimizers_survive(training, rule):
    class Optimized(training.Training):
        def __init__(self):
            super().__init__()
            self.optimizer = nnx.Optimizer(self.model, rule, wrt=nnx.Param)

    report = d2l.prove_resume(Optimized, 4, (2,))
    assert report.equal, str(report)


def test_schedule_is_the_counts_of_the_optimizer(training):
    trained = training.build()
    trained.step()
    found = d2l.read_schedule(trained.optimizer)
    assert {name: int(count) for name, count in found.items()} == {
        "opt_state/1/count": 1,
        "step": 1,
    }


def test_counts_of_adam_are_with_the_schedule():
    model = nnx.Linear(2, 2, rngs=nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.adam(0.1), wrt=nnx.Param)
    assert list(d2l.read_schedule(optimizer)) == ["opt_state/0/count", "step"]
    assert all(
        "/mu/" in name or "/nu/" in name for name in d2l.read_optimizer(optimizer)
    )


def test_streams_are_not_part_of_the_model(training):
    names = d2l.read_model(training.build().model)
    assert not [name for name in names if "rngs" in name]


def test_plain_arrays_are_part_of_the_model():
    class Shifted(nnx.Module):
        def __init__(self):
            self.shift = jnp.ones(2)

    model = Shifted()
    assert list(d2l.read_model(model)) == ["shift"]
    d2l.restore_model(model, {"shift": np.float32([3, 4])})
    assert model.shift.tolist() == [3, 4]


@pytest.mark.parametrize("dtype", [jnp.bfloat16, jnp.float16, jnp.float8_e4m3fn])
def test_model_in_another_precision_survives(dtype, tmp_path):
    def build(seed):
        return nnx.Linear(3, 2, rngs=nnx.Rngs(seed), param_dtype=dtype)

    model, other = build(0), build(1)
    model.kernel[...] = jnp.array([[0.5, -1.75], [0, 448], [2**-6, 3]], dtype)
    d2l.save_checkpoint(tmp_path / "model.npz", {"model": d2l.read_model(model)})
    saved = d2l.load_checkpoint(tmp_path / "model.npz")
    d2l.restore_model(other, saved["model"])
    assert other.kernel[...].dtype == dtype
    assert other.kernel[...].tolist() == model.kernel[...].tolist()


def test_order_is_a_function_of_key_and_epoch():
    rows, key = jnp.arange(12), jax.random.key(1)
    loader = d2l.StatefulLoader((rows,), 4, key)
    for _ in range(3):
        loader.next_batch()
    expected = jax.random.permutation(jax.random.fold_in(key, 1), 12)
    found = jnp.concatenate([loader.next_batch()[0] for _ in range(3)])
    assert found.tolist() == expected.tolist()


def test_position_is_two_numbers():
    loader = d2l.StatefulLoader((jnp.arange(12),), 4, jax.random.key(1))
    for _ in range(4):
        loader.next_batch()
    assert loader.save() == {"epoch": 1, "cursor": 4}
