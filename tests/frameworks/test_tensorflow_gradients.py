"""`gradient_norms` of TensorFlow, against gradients taken by hand."""

import importlib.util
from pathlib import Path

import keras
import numpy as np
import pytest
import tensorflow as tf
from keras import layers

from d2l_support import tensorflow as d2l


def build():
    """A model 16-32-1 with tanh, and its input."""
    keras.utils.set_random_seed(0)
    parts = layers.Dense(32, name="a"), layers.Activation("tanh", name="b")
    net = keras.Sequential([keras.Input((16,)), *parts, layers.Dense(1, name="c")])
    return net, tf.random.normal((8, 16))


def test_norms_agree_with_gradients_taken_by_hand():
    net, x = build()
    hidden = net.layers[0](x).numpy().astype(np.float64)
    w = net.layers[2].kernel.numpy().astype(np.float64)
    at_tanh = np.repeat(w.T, 8, axis=0)
    at_linear = at_tanh * (1 - np.tanh(hidden) ** 2)
    report = d2l.gradient_norms(net, x, loss=tf.reduce_sum)
    assert report["b"].norm == pytest.approx(np.linalg.norm(at_tanh), rel=1e-6)
    assert report["a"].norm == pytest.approx(np.linalg.norm(at_linear), rel=1e-6)
    of_kernel = np.linalg.norm(x.numpy().astype(np.float64).T @ at_linear)
    assert report["a.kernel"].norm == pytest.approx(of_kernel, rel=1e-6)
    of_bias = np.abs(at_linear.sum(0)).mean()
    assert report["a.bias"].mean == pytest.approx(of_bias, rel=1e-6)


def test_norms_of_the_residual_stack_are_the_published_ones():
    path = Path(__file__).with_name("subject_tensorflow.py")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    subject = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(subject)
    report = d2l.gradient_norms(*subject.build_stack(), loss=subject.loss)
    assert report["block3.kernel1"].norm == pytest.approx(13.867950, rel=2e-3)
    assert report["block3.bias1"].norm == pytest.approx(2.8245254, rel=2e-3)


def test_both_forms_agree():
    net, x = build()
    called = d2l.gradient_norms(net, x, loss=tf.reduce_sum)
    with d2l.gradient_norms(net) as seen:
        with tf.GradientTape() as tape:
            value = tf.reduce_sum(net(x))
        tape.gradient(value, net.trainable_variables)
    assert str(seen.report) == str(called)


def test_only_the_parameters_that_are_asked_for_are_shown():
    net, x = build()
    with d2l.gradient_norms(net) as seen:
        with tf.GradientTape() as tape:
            value = tf.reduce_sum(net(x))
        tape.gradient(value, net.layers[2].kernel)
    assert [row.names[0] for row in seen.report.parameters] == ["c.kernel"]
    assert "gradient of a.kernel" in str(seen.report)
    assert "(none arrived)" in str(seen.report).replace("\n  ", " ")
    with pytest.raises(KeyError, match=r"no gradient of 'a\.kernel' arrived"):
        seen.report["a.kernel"]


def test_frozen_layers_have_no_parameter_gradients():
    net, x = build()
    net.layers[0].trainable = False
    report = d2l.gradient_norms(net, x, loss=tf.reduce_sum)
    assert [row.names[0] for row in report.parameters] == ["c.kernel", "c.bias"]


def test_huge_gradients_do_not_overflow():
    net, x = build()
    report = d2l.gradient_norms(net, x, loss=lambda out: 1e30 * tf.reduce_sum(out))
    assert report["c"].norm == pytest.approx(1e30 * 8**0.5, rel=1e-6)


def test_gradients_of_an_embedding_are_told_as_slices():
    net = keras.Sequential(
        [keras.Input((2,), dtype="int32"), layers.Embedding(5, 3, name="table")]
    )
    report = d2l.gradient_norms(net, tf.constant([[0, 1]]), loss=tf.reduce_sum)
    assert report["table"].norm == pytest.approx(6**0.5)
    note = "Not checked: gradient of table.embeddings (IndexedSlices: no plain tensor)."
    assert note in report.notes


def test_loops_report_their_last_step():
    net, x = build()
    optimizer = keras.optimizers.SGD(0.0)
    with d2l.gradient_norms(net) as seen:
        for factor in (1, 2, 3):
            with tf.GradientTape() as tape:
                value = factor * tf.reduce_sum(net(x))
            gradients = tape.gradient(value, net.trainable_variables)
            optimizer.apply(gradients, net.trainable_variables)
    assert seen.passes == 3
    assert seen.report["c"].norm == pytest.approx(3 * 8**0.5)


def test_second_derivatives_do_not_disturb():
    net, x = build()
    with d2l.gradient_norms(net) as seen:
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                inner.watch(x)
                value = tf.reduce_sum(net(x))
            slope = inner.gradient(value, x)
            penalty = tf.reduce_sum(slope**2)
        found = outer.gradient(penalty, net.layers[0].kernel)
    assert seen.passes == 1
    assert seen.report["c"].norm == pytest.approx(8**0.5)
    assert seen.report["a.kernel"].norm == pytest.approx(tf.norm(found).numpy())
