"""Keras and tf.data: optimizers, and three ways back into an epoch."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from d2l_support import tensorflow as d2l


@pytest.mark.parametrize(
    "make",
    [
        lambda: keras.optimizers.SGD(0.1),
        lambda: keras.optimizers.Adam(0.1),
        lambda: keras.optimizers.AdamW(0.1, amsgrad=True),
        lambda: keras.optimizers.RMSprop(0.1, momentum=0.9, centered=True),
    ],
)
def test_moments_of_other_optimizers_survive(training, make):
    class Optimized(training.Training):
        def __init__(self):
            super().__init__()
            self.optimizer = make()
            self.optimizer.build(self.model.trainable_variables)

    report = d2l.prove_resume(Optimized, 4, (2,))
    assert report.equal, str(report)


def test_schedule_is_the_count_of_the_optimizer(training):
    trained = training.build()
    assert list(d2l.read_schedule(trained.optimizer)) == ["0.iteration"]
    trained.step()
    assert d2l.read_schedule(trained.optimizer)["0.iteration"] == 1
    fixed = keras.optimizers.Adam(0.25)
    fixed.build(trained.model.trainable_variables)
    found = d2l.read_schedule(fixed)
    assert {name: float(array) for name, array in found.items()} == {
        "0.iteration": 0,
        "1.rate": 0.25,
    }


def test_masks_are_not_part_of_the_model(training):
    names = d2l.read_model(training.build().model)
    assert not [name for name in names if name.endswith("state")]


def test_optimizer_that_is_not_built_is_refused(training):
    trained = training.build()
    fresh = keras.optimizers.SGD(0.1, momentum=0.9)
    with pytest.raises(ValueError, match=r"optimizer: found arrays 0\.momentum"):
        d2l.restore_optimizer(fresh, d2l.read_optimizer(trained.optimizer))


def make_pipeline(seed, repeat=False):
    """A pipeline of plain tf.data, built under a global seed."""
    tf.random.set_seed(seed)
    rows = tf.data.Dataset.range(16).shuffle(16, seed=5)
    return (rows.repeat() if repeat else rows).batch(4)


def take(batches, count):
    return [next(batches).numpy().tolist() for _ in range(count)]


def test_shuffle_depends_on_the_global_seed():
    orders = [take(iter(make_pipeline(seed)), 4) for seed in (0, 0, 1)]
    assert orders[0] == orders[1] != orders[2]


@pytest.mark.parametrize("seed", [0, 1])
def test_iterator_goes_on_inside_an_epoch(seed):
    batches = iter(make_pipeline(0))
    take(batches, 2)
    files = d2l.read_iterator(batches)
    following = take(batches, 2)
    other = iter(make_pipeline(seed))
    d2l.restore_iterator(other, files)
    assert take(other, 2) == following


@pytest.mark.parametrize(("seed", "same"), [(0, True), (1, False)])
def test_iterator_does_not_hold_the_orders_of_later_epochs(seed, same):
    batches = iter(make_pipeline(0, repeat=True))
    take(batches, 2)
    files = d2l.read_iterator(batches)
    following = take(batches, 10)
    other = iter(make_pipeline(seed, repeat=True))
    d2l.restore_iterator(other, files)
    found = take(other, 10)
    assert found[:2] == following[:2]
    assert (found == following) is same


def test_iterator_survives_a_checkpoint(tmp_path):
    batches = iter(make_pipeline(0))
    take(batches, 1)
    d2l.save_checkpoint(tmp_path / "place.npz", {"place": d2l.read_iterator(batches)})
    following = take(batches, 3)
    other = iter(make_pipeline(0))
    place = d2l.load_checkpoint(tmp_path / "place.npz")["place"]
    d2l.restore_iterator(other, place)
    assert take(other, 3) == following


def test_iterator_is_as_large_as_its_buffer():
    def measure(buffer):
        rows = tf.data.Dataset.from_tensor_slices(np.random.random((1000, 100)))
        batches = iter(rows.shuffle(buffer).batch(4))
        next(batches)
        return sum(array.size for array in d2l.read_iterator(batches).values())

    small, large = measure(10), measure(1000)
    assert small < 20_000
    assert large > 700_000  # of 800,000 bytes that the rows have


def test_iterator_over_a_map_that_draws_is_refused():
    rows = tf.data.Dataset.range(8).map(lambda row: tf.random.uniform([]))
    with pytest.raises(tf.errors.FailedPreconditionError, match="is stateful"):
        d2l.read_iterator(iter(rows))


def test_order_does_not_depend_on_the_global_seed():
    data = (np.arange(12),)
    orders = []
    for seed in (0, 1):
        tf.random.set_seed(seed)
        loader = d2l.StatefulLoader(data, 4, seed=1)
        orders.append([loader.next_batch()[0].numpy().tolist() for _ in range(7)])
    assert orders[0] == orders[1]
    loader = d2l.StatefulLoader(data, 4, seed=2)
    assert loader.next_batch()[0].numpy().tolist() != orders[0][0]
