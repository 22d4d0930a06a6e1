"""Watching Keras layers: calls, passes, recomputation and nested watches."""

import keras
import pytest
import tensorflow as tf
from keras import layers

from d2l_support import tensorflow as d2l
from d2l_support.inspection.tensorflow import wrapping

X = tf.reshape(tf.linspace(-1.0, 1.0, 12), (3, 4))


def build():
    keras.utils.set_random_seed(0)
    parts = layers.Dense(4, name="a"), layers.ReLU(name="b"), layers.Dense(2, name="c")
    return keras.Sequential([keras.Input((4,)), *parts])


class Tied(keras.Model):
    """One layer under two names, called twice."""

    def __init__(self):
        super().__init__()
        self.first = layers.Dense(4)
        self.second = self.first

    def call(self, x):
        return self.second(self.first(x))


class Recomputed(keras.Model):
    """Three layers, the last two computed again in the backward pass."""

    def __init__(self):
        super().__init__()
        self.a, self.b, self.c = layers.Dense(4), layers.Dense(4), layers.Dense(1)

    def call(self, x):
        tail = tf.recompute_grad(lambda x: self.c(self.b(x)))
        return tail(self.a(x))


def step(net, x):
    """One backward pass; the gradients."""
    with tf.GradientTape() as tape:
        value = tf.reduce_sum(net(x))
    return tape.gradient(value, net.trainable_variables)


def untouched():
    """Whether Keras's methods and TensorFlow's are their own."""
    return (
        keras.Layer.__call__ is wrapping.LAYER_CALL
        and keras.Operation.__call__ is wrapping.OPERATION_CALL
        and tf.GradientTape.gradient is wrapping.GRADIENT
    )


def test_tied_layer_has_all_its_names_and_a_number():
    net = Tied()
    net(X)
    report = d2l.record_activations(net, X)
    assert [row.label for row in report.rows] == [
        "first = second, call 1",
        "first = second, call 2",
        "(model)",
    ]
    assert report.rows[0].names == ("first", "second")
    assert report.rows[2].repeats == "first = second, call 2"
    weights = d2l.gradient_norms(net, X, loss=tf.reduce_sum).parameters
    assert weights[0].names == ("first.kernel", "second.kernel")


def test_recomputed_calls_are_told_apart():
    net = Recomputed()
    net(X)
    with d2l.record_activations(net) as seen:
        step(net, X)
    labels = [row.label for row in seen.report.rows]
    assert labels == ["a", "b", "c", "(model)", "b, recompute", "c, recompute"]
    assert seen.passes == 1
    assert seen.report["b"].std == seen.report["b, recompute"].std


def test_recomputed_gradients_are_those_without():
    net = Recomputed()
    net(X)
    plain = keras.Sequential([keras.Input((4,)), net.a, net.b, net.c])
    expected = d2l.gradient_norms(plain, X, loss=tf.reduce_sum)
    found = d2l.gradient_norms(net, X, loss=tf.reduce_sum)
    norms = [row.norm for row in found.parameters]
    assert norms == pytest.approx([row.norm for row in expected.parameters])
    assert found["b, recompute"].norm == pytest.approx(expected.activations[1].norm)


def test_remat_scope_is_recomputation_too():
    with keras.RematScope(mode="full"):
        net = build()
    with d2l.gradient_norms(net) as seen:
        found = step(net, X)
    assert seen.passes == 1
    assert seen.report["a.kernel"].norm == pytest.approx(tf.norm(found[0]).numpy())


def test_two_calls_share_one_backward_pass():
    net = build()
    with d2l.gradient_norms(net) as seen:
        with tf.GradientTape() as tape:
            value = tf.reduce_sum((net(X) - net(X + 1)) ** 2)
        tape.gradient(value, net.trainable_variables)
    assert seen.passes == 1
    labels = [row.label for row in seen.report.activations]
    assert labels[:2] == ["a, call 1", "b, call 1"]
    assert "a, call 2" in labels


def test_watches_nest():
    net = build()
    with d2l.record_activations(net) as outer:
        net(X)
        with d2l.find_nonfinite(net) as inner, d2l.count_macs(net) as third:
            net(X)
        assert not untouched()
        net(X)
    assert (outer.passes, inner.passes, third.passes) == (3, 1, 1)
    assert third.report.total == 3 * (4 * 4 + 4 * 2)
    assert untouched()


def test_other_models_are_not_told_of():
    net, other = build(), build()
    with d2l.record_activations(net) as seen:
        other(X)
        net(X)
        other(X)
    assert seen.passes == 1
    assert len(seen.report.rows) == 4


def test_exception_in_the_backward_pass_leaves_nothing():
    net = build()

    @tf.custom_gradient
    def fail(x):
        def back(gradient):
            raise ValueError("backward boom")

        return x, back

    def train():
        with tf.GradientTape() as tape:
            value = tf.reduce_sum(fail(net(X)))
        tape.gradient(value, net.trainable_variables)

    with pytest.raises(ValueError, match="backward boom"), d2l.gradient_norms(net):
        train()
    assert untouched()
    step(net, X)


def test_gradients_of_a_caller_keep_their_structure():
    net = build()
    sources = {"a": net.layers[0].kernel, "rest": [net.layers[2].kernel.value, X]}
    results = []
    for watch in (d2l.record_activations(net), d2l.gradient_norms(net)):
        with watch, tf.GradientTape(persistent=True) as tape:
            value = tf.reduce_sum(net(X) ** 2)
            results.append(tape.gradient(value, sources))
            zeros = tape.gradient(value, [X], unconnected_gradients="zero")
    assert [*results[1]] == ["a", "rest"]
    assert results[1]["rest"][1] is None
    assert float(tf.reduce_max(tf.abs(zeros[0]))) == 0.0
    assert tf.reduce_all(results[0]["a"] == results[1]["a"])


def test_building_a_model_is_no_pass():
    net = build()
    with d2l.record_activations(net) as seen:
        keras.Model(net.inputs, net.outputs)
        net(keras.Input((4,)))
        net(X)
    assert seen.passes == 1
