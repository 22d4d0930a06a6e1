"""What TensorFlow helpers keep of a pass, and what they put back after one."""

import gc
import subprocess
import sys
import weakref
from contextlib import nullcontext

import keras
import numpy as np
import pytest
import tensorflow as tf
from keras import layers
from tensorflow.python.framework import ops

from d2l_support import tensorflow as d2l

X = tf.reshape(tf.linspace(-1.0, 1.0, 12), (3, 4))
EAGER = type(X)
WATCHES = [d2l.record_activations, d2l.find_nonfinite, d2l.gradient_norms]


def build(*more):
    keras.utils.set_random_seed(0)
    first, last = layers.Dense(4, name="first"), layers.Dense(2, name="last")
    return keras.Sequential([keras.Input((4,)), first, layers.ReLU(), *more, last])


class Marks(keras.Layer):
    """Remembers weakly what it was given."""

    def __init__(self, marks):
        super().__init__()
        self.mark = lambda x: marks.append(weakref.ref(x))

    def call(self, x):
        y = x * 2.0
        self.mark(x), self.mark(y)
        return y


def list_alive(marks):
    gc.collect()
    return [mark for mark in marks if mark() is not None]


@pytest.mark.parametrize("backward", [True, False])
@pytest.mark.parametrize("helper", [*WATCHES, d2l.count_macs])
def test_no_activation_is_kept(helper, backward):
    marks = []
    net = build(Marks(marks))
    with helper(net) as seen:
        for _ in range(2):
            marks.clear()
            if backward:
                with tf.GradientTape() as tape:
                    value = tf.reduce_sum(net(X))
                tape.gradient(value, net.trainable_variables)
                del tape, value
            else:
                net(X)
        assert len(marks) == 2
        assert list_alive(marks) == []
    assert list_alive(marks) == []
    assert seen.report


def test_activations_that_wait_for_gradients_are_let_go_at_the_end():
    marks = []
    net = build(Marks(marks))
    with d2l.gradient_norms(net) as seen, tf.GradientTape():
        net(X)
    assert list_alive(marks) == []
    assert "No gradient arrived." in str(seen.report)


@pytest.mark.parametrize("helper", WATCHES)
def test_memory_does_not_grow_with_passes(helper):
    net = build()

    def count_tensors():
        gc.collect()
        return sum(type(thing) is EAGER for thing in gc.get_objects())

    with helper(net):
        for _ in range(3):
            net(X)
        before = count_tensors()
        for _ in range(20):
            net(X)
        assert count_tensors() == before


@pytest.fixture
def copies(monkeypatch):
    """The ways in which numbers have come to the host."""
    copies = []
    base = ops._EagerTensorBase

    def spy(name, method):
        def count(x, *args):
            copies.append(name)
            return method(x, *args)

        monkeypatch.setattr(base, name, count)

    for name in ("numpy", "__float__", "__bool__", "__int__", "__array__"):
        spy(name, getattr(base, name))
    return copies


def train(net, backward):
    """Five forward passes, with or without backward passes, and one more."""
    for _ in range(5):
        with tf.GradientTape() as tape:
            value = tf.reduce_sum(net(X))
        if backward:
            tape.gradient(value, net.trainable_variables)
    net(X)


@pytest.mark.parametrize("backward", [True, False])
@pytest.mark.parametrize("helper", WATCHES)
def test_numbers_come_to_the_host_once_in_a_pass(helper, backward, copies):
    net = build(layers.Dense(4), layers.Activation("tanh"))
    train(net, backward)
    plain = len(copies)  # TensorFlow's own, for the shapes of some gradients
    with helper(net) as seen:
        train(net, backward)
    weights = helper is d2l.find_nonfinite
    assert len(copies) - 2 * plain == seen.passes + weights
    assert seen.passes == (1 if helper is not WATCHES[0] and not backward else 6)


# What a call puts back, and what it cannot


@pytest.mark.parametrize("helper", WATCHES[:2])
def test_random_streams_of_every_kind_are_put_back(helper):
    class Draws(keras.Layer):
        def __init__(self):
            super().__init__()
            self.generator = tf.random.Generator.from_seed(1)
            self.count = tf.Variable(0.0)

        def call(self, x):
            self.count.assign_add(1.0)
            tf.random.get_global_generator().uniform(())
            np.random.uniform(), keras.random.uniform(())
            return x + self.generator.uniform(()) + tf.random.uniform(())

    def draw(net):
        return [
            float(net(tf.zeros(()))),
            float(tf.random.get_global_generator().uniform(())),
            np.random.uniform(),
            float(keras.random.uniform(())),
            float(net.count),
        ]

    results = []
    for look in (False, True):
        keras.utils.set_random_seed(0)
        tf.random.set_global_generator(tf.random.Generator.from_seed(3))
        net = Draws()
        net(tf.zeros(()))
        if look:
            helper(net, tf.zeros(()))
        results.append(draw(net))
    tf.random.set_global_generator(None)
    assert results[0] == results[1]


def test_streams_that_a_pass_makes_are_gone_afterwards():
    net = layers.Lambda(lambda x: x + tf.random.get_global_generator().uniform(()))
    tf.random.set_global_generator(None)
    d2l.record_activations(net, X)
    rows = [
        s for s in d2l.random_inventory().streams if s.name == "TensorFlow generator"
    ]
    assert "not made yet" in rows[0].note


def test_losses_that_layers_add_are_put_back():
    dense = layers.Dense(4, activity_regularizer="l2")
    net = keras.Sequential([keras.Input((4,)), dense])
    net(X)
    before = [float(x) for x in net.losses]
    d2l.record_activations(net, 2 * X)
    assert [float(x) for x in net.losses] == before


def test_variables_of_a_recurrent_state_are_put_back():
    net = keras.Sequential(
        [keras.Input(batch_shape=(2, 3, 4)), layers.LSTM(3, stateful=True)]
    )
    x = tf.ones((2, 3, 4))
    net(x)
    before = [s.numpy() for s in net.layers[0].states]
    d2l.find_nonfinite(net, x)
    after = [s.numpy() for s in net.layers[0].states]
    assert all(np.array_equal(*pair) for pair in zip(before, after, strict=True))


def test_inputs_that_are_variables_are_put_back():
    class Writes(keras.Layer):
        def call(self, x):
            return x.assign_add(tf.ones(1))

    net, x = Writes(autocast=False), tf.Variable([1.0])
    net._convert_input_args = False
    d2l.record_activations(net, x)
    assert x.numpy() == [1.0]


def test_weights_that_a_layer_writes_to_are_put_back():
    net = keras.Sequential(
        [keras.Input((4,)), layers.SpectralNormalization(layers.Dense(4))]
    )
    before = [v.numpy() for v in net.variables]
    d2l.record_activations(net, X, kwargs={"training": True})
    after = [v.numpy() for v in net.variables]
    assert all(np.array_equal(*pair) for pair in zip(before, after, strict=True))


def test_models_without_weights_yet_are_refused():
    net = keras.Sequential([layers.Dense(4)])
    message = r"makes its variables in the first call.*Call it once"
    with pytest.raises(ValueError, match=message):
        d2l.record_activations(net, X)
    assert not net.variables
    net(X)
    assert d2l.record_activations(net, X).rows


def test_optimizer_and_metrics_are_not_touched():
    net = build()
    net.compile("adam", "mse", metrics=["mae"], run_eagerly=True)
    net.fit(X, tf.ones((3, 2)), verbose=0)
    state = [v.numpy() for v in (*net.optimizer.variables, *net.metrics_variables)]
    d2l.gradient_norms(net, X, loss=tf.reduce_sum)
    again = [v.numpy() for v in (*net.optimizer.variables, *net.metrics_variables)]
    assert all(np.array_equal(*pair) for pair in zip(state, again, strict=True))


@pytest.mark.parametrize("helper", [*WATCHES, d2l.count_macs, d2l.record_trace])
def test_training_is_bit_equal_with_and_without_a_watch(helper):
    results = []
    for watch in (lambda net: nullcontext(), helper):
        # Made before `build` seeds: without a seed of its own it takes a random one.
        net = build(layers.Dropout(0.3, seed=0), layers.BatchNormalization())
        net.compile("sgd", "mse", run_eagerly=True)
        with watch(net):
            net.fit(X, tf.ones((3, 2)), epochs=3, verbose=0)
        results.append([v.numpy().tobytes() for v in net.variables])
    assert results[0] == results[1]


def test_import_leaves_tensorflow_to_be_configured():
    code = (
        "from d2l_support import tensorflow; import tensorflow as tf; "
        "tf.config.threading.set_intra_op_parallelism_threads(1)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
