"""`find_nonfinite` of TensorFlow: backward passes, and passes of your own."""

from math import inf, nan

import keras
import numpy as np
import pytest
import tensorflow as tf
from keras import layers

from d2l_support import tensorflow as d2l

X = tf.reshape(tf.linspace(-1.0, 1.0, 12), (3, 4))


class Does(keras.Layer):
    """Calls a function."""

    def __init__(self, function, **named):
        super().__init__(**named)
        self.function = function

    def call(self, x):
        return self.function(x)


def take_root(x):
    """The square root where there is one; its gradient at 0 is NaN.

    With tf.sqrt it is 0 outside of XLA: TensorFlow's kernel for the gradient
    of a square root gives 0 where 0 comes in.
    """
    return tf.where(x > 0, x**0.5, 0.0)


def build(*more):
    """Two dense layers, and what is to stand between them."""
    keras.utils.set_random_seed(0)
    first, last = layers.Dense(4, name="first"), layers.Dense(1, name="last")
    net = keras.Sequential([keras.Input((4,)), first, *more, last])
    return net


def step(net, x, loss=tf.reduce_sum):
    """One backward pass; the gradients."""
    with tf.GradientTape() as tape:
        value = loss(net(x))
    return tape.gradient(value, net.trainable_variables)


def spoil(layer, number):
    """Puts a number into a kernel."""
    values = layer.kernel.numpy()
    values[0, 0] = number
    layer.kernel.assign(values)


def test_gradient_is_found_where_every_activation_is_finite():
    net, x = build(Does(take_root, name="root")), tf.zeros((2, 4))
    assert not d2l.find_nonfinite(net, x).found
    report = d2l.find_nonfinite(net, x, loss=tf.reduce_sum)
    assert report.first == "root"
    assert report.explanation == (
        "Every activation is finite.",
        "First: the gradient of the output of first holds 8 NaN of 8, the first at "
        "[0, 0].",
        "It came back through root (Does).",
    )
    with d2l.find_nonfinite(net) as seen:
        step(net, x)
    assert seen.report.first == "root"
    assert seen.report.explanation[1] == (
        "First: the gradient of the output of first holds NaN."
    )


def test_gradient_that_the_loss_spoils_is_blamed_on_the_loss():
    loss = lambda out: tf.reduce_sum(tf.sqrt(out - out))  # noqa: E731
    report = d2l.find_nonfinite(build(), X, loss=loss)
    assert report.explanation[-1] == "It comes from what follows the model: the loss."


def test_gradient_of_a_parameter_alone_is_found():
    class Product(keras.Layer):
        def __init__(self):
            super().__init__()
            self.scale = self.add_weight((1,), "zeros", name="scale")

        def call(self, x):
            return tf.stop_gradient(x) + tf.sqrt(self.scale)

    report = d2l.find_nonfinite(Product(), X, loss=tf.reduce_sum)
    assert report.first == "scale"
    assert "the gradient of scale holds 1 +inf of 1" in report.explanation[1]


def test_watch_finds_a_gradient_in_a_loop():
    net = build(Does(take_root, name="root"))
    with d2l.find_nonfinite(net) as seen:
        for number in range(5):
            net.layers[0].bias.assign(np.full(4, 0.0 if number == 3 else 9.0))
            step(net, X * 0)
            if seen.report.found:
                break
    assert (number, seen.passes) == (3, 4)
    assert "It came back through root (Does)." in seen.report.explanation


def test_watch_sees_what_fit_does_eagerly():
    net = build(Does(take_root, name="root"))
    net.compile("sgd", "mse", run_eagerly=True)
    with d2l.find_nonfinite(net) as seen:
        net.fit(np.zeros((8, 4)), np.ones((8, 1)), batch_size=4, verbose=0)
    assert seen.report.first == "root"
    assert seen.passes == 1
    assert np.isnan(net.layers[0].kernel.numpy()).all()
    assert not [row for row in seen.report.rows if row.role == "weight"]


def test_watch_stops_at_the_first_bad_pass():
    net = build()
    with d2l.find_nonfinite(net) as seen:
        for number in range(6):
            net(X * (inf if number == 2 else 1.0))
            if seen.report.found:
                break
    assert (number, seen.passes) == (2, 3)
    assert seen.report.first == "inputs"
    assert seen.report.explanation[0] == "In pass 3."
    assert seen.report.rows[0].place is None


def test_watch_keeps_the_first_bad_pass_and_its_parameters():
    net = build()
    with d2l.find_nonfinite(net) as seen:
        net(X)
        spoil(net.layers[1], nan)
        net(X)
        spoil(net.layers[1], 0.0)
        net(X)
    assert (seen.report.first, seen.passes) == ("last", 2)
    assert seen.report.explanation[-1] == "last.kernel holds NaN."


def test_parameters_that_may_have_changed_since_are_not_blamed():
    net = build()
    spoil(net.layers[0], nan)
    with d2l.find_nonfinite(net) as seen:
        with tf.GradientTape():
            net(X)  # and no backward pass, so that the next call ends the pass
        spoil(net.layers[0], 0.0)
        step(net, X), step(net, X)
        net(X)
    assert (seen.report.first, seen.passes) == ("first", 1)


def test_watch_looks_at_the_parameters_after_the_last_step():
    net = build()
    with d2l.find_nonfinite(net) as seen:
        net(X)
        spoil(net.layers[1], inf)
    assert seen.report.first == "last.kernel"


def test_watch_without_backward_leaves_gradients_alone():
    net = build(Does(take_root))
    with d2l.find_nonfinite(net, backward=False) as seen:
        step(net, X * 0)
    assert not seen.report.found


def test_a_pass_that_cannot_be_made_again_is_told():
    state = iter([nan, 1.0])
    net = build(Does(lambda x: x * next(state), name="odd"))
    net.layers[0].bias.assign(np.ones(4))
    state = iter([nan, 1.0])
    report = d2l.find_nonfinite(net, X)
    assert report.first == "odd"
    assert report.explanation[-1].startswith("A second pass from the same state was")


@pytest.mark.parametrize("draw", ["keras", "tf", "tf generator", "keras.random"])
def test_whatever_draws_draws_the_same_in_the_second_pass(draw):
    generator = tf.random.Generator.from_seed(1)
    draws = {
        "keras": layers.Dropout(0.5),
        "tf": Does(lambda x: tf.nn.dropout(x, 0.5)),
        "tf generator": Does(lambda x: x * 0 + tf.round(generator.uniform(x.shape))),
        "keras.random": Does(lambda x: keras.random.dropout(x, 0.5)),
    }
    layer = draws[draw]
    layer.generator = generator
    keras.utils.set_random_seed(0)
    net = keras.Sequential([layer, Does(lambda x: 1 / x)])
    x, mode = tf.ones((4, 4)), {"training": True}
    net(x, training=False)
    keras.utils.set_random_seed(0)
    report = d2l.find_nonfinite(net, x, kwargs=mode)
    expected = int(np.isinf(net(x, **mode)).sum())
    assert report.rows[0].counts == (0, expected, 0)


def test_loss_that_is_no_number_is_refused():
    net = build()
    message = r"loss\(output\) is of shape \(3, 1\) and float32, expected one number"
    with pytest.raises(ValueError, match=message):
        d2l.find_nonfinite(net, X, loss=lambda out: out)
    with pytest.raises(ValueError, match=r"loss\(output\) is no tensor, expected one"):
        d2l.find_nonfinite(net, X, loss=lambda out: 1.0)
    with pytest.raises(ValueError, match="depends on no variable of the model"):
        d2l.find_nonfinite(net, X, loss=lambda out: tf.constant(1.0))


def test_square_root_of_tensorflow_hides_its_nan_and_the_power_does_not():
    x = tf.constant([0.0])
    for function, expected in ((tf.sqrt, 0.0), (lambda x: x**0.5, nan)):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.where(x > 0, function(x), 0.0)
        found = tape.gradient(y, x).numpy()
        assert np.array_equal(found, [expected], equal_nan=True)
