"""`record_trace` and `find_divergence` of TensorFlow."""

import hashlib
import subprocess
import sys

import keras
import numpy as np
import pytest
import tensorflow as tf
from keras import layers

from d2l_support import tensorflow as d2l

X = tf.reshape(tf.linspace(-1.0, 1.0, 12), (3, 4))
FLOAT8 = tf.dtypes.experimental.float8_e4m3fn


def build():
    """A model whose layers have the names that Keras makes up."""
    keras.utils.set_random_seed(0)
    parts = layers.Dense(8), layers.ReLU(), layers.Dropout(0.5), layers.Dense(2)
    return keras.Sequential([keras.Input((4,)), *parts])


class Gives(keras.Layer):
    def __init__(self, thing):
        super().__init__()
        self.keep = lambda: thing

    def call(self, x):
        return self.keep()


def test_digest_is_that_of_the_bytes_numpy_sees():
    net = build()
    trace = d2l.record_trace(net, X)
    data = net(X).numpy().tobytes()
    expected = hashlib.sha256(b"float32 [3, 2]\n" + data).hexdigest()
    assert trace.digests[trace.run.calls[-1].outputs[0][1]] == expected


@pytest.mark.parametrize(
    "x",
    [
        tf.transpose(tf.reshape(tf.range(6), (2, 3))),
        tf.ones(2, tf.bfloat16),
        tf.cast(tf.ones(3), FLOAT8),
        tf.constant([True, False]),
        tf.constant([1 + 2j]),
        tf.constant(3.0, tf.float16),
        tf.constant([1, 2], tf.uint8),
        tf.zeros((0, 2)),
    ],
)
def test_every_plain_dtype_is_traced(x):
    trace = d2l.record_trace(Gives(x), X)
    value = trace.run.values[trace.run.calls[-1].outputs[0][1]]
    assert value.skipped == ""
    assert value.data == x.numpy().tobytes()


def test_what_has_no_bytes_is_told():
    report = d2l.find_divergence(Gives(tf.sparse.eye(2)), Gives(tf.constant("a")), X)
    assert "Not checked: (model) (SparseTensor: no plain tensor)." in report.notes


def test_two_models_of_one_function_have_the_same_names():
    a, b = build(), build()
    assert a.layers[0].name != b.layers[0].name
    assert not d2l.find_divergence(a, b, X).found
    b.layers[3].bias.assign([0.0, 1e-3])
    report = d2l.find_divergence(a, b, X)
    assert report.first == "dense_1"
    assert report.explanation[-1] == "Its own values differ: dense_1.bias."
    assert "Seen: 5 of 5 modules." in report.notes


def test_names_of_ones_own_stay():
    net = keras.Sequential([keras.Input((4,)), layers.Dense(4, name="mine")])
    assert d2l.record_trace(net, X).run.calls[0].names == ("mine",)


def test_same_model_agrees_with_itself_in_training():
    net = build()
    assert not d2l.find_divergence(net, net, X, kwargs={"training": True}).found


def test_model_that_calls_tf_random_agrees_with_itself():
    net = layers.Lambda(lambda x: x + tf.random.normal(x.shape))
    keras.utils.set_random_seed(0)
    assert not d2l.find_divergence(net, net, X).found


def test_other_random_state_is_told():
    net = layers.Lambda(lambda x: x + tf.random.normal(x.shape))
    keras.utils.set_random_seed(0)
    first = d2l.record_trace(net, X)
    tf.random.set_seed(7)
    report = d2l.find_divergence(first, net, X)
    assert report.first == "(model)"
    assert (
        "Random streams that began differently: TensorFlow operations." in report.notes
    )


def test_missing_seed_is_found_at_the_layer_that_draws():
    first = d2l.record_trace(build(), X, kwargs={"training": True})
    net = build()
    net.layers[2].seed_generator.state.assign([1, 1])
    report = d2l.find_divergence(first, net, X, kwargs={"training": True})
    assert report.first == "dropout"
    told = "Its own values differ: dropout.seed_generator_state."
    assert report.explanation[-1] == told


def test_other_mode_is_found_at_the_layer_that_minds():
    net = build()
    traces = [d2l.record_trace(net, X, kwargs={"training": t}) for t in (False, True)]
    report = d2l.find_divergence(*traces)
    assert report.first == "dropout"
    assert report.explanation[1] == (
        "dropout (Dropout) makes it: its inputs are equal, its output is not."
    )


def test_running_average_that_differs_is_told():
    nets = []
    for shift in (0.0, 0.5):
        keras.utils.set_random_seed(0)
        norm = layers.BatchNormalization(name="norm")
        net = keras.Sequential([keras.Input((4,)), layers.Dense(4), norm])
        norm.moving_mean.assign_add(tf.fill([4], shift))
        nets.append(net)
    report = d2l.find_divergence(*nets, X)
    assert report.first == "norm"
    assert report.explanation[-1] == "Its own values differ: norm.moving_mean."


def test_code_of_a_model_is_found():
    class Scaled(keras.Model):
        def __init__(self, scale):
            super().__init__()
            keras.utils.set_random_seed(0)
            self.scale, self.head, self.tail = scale, layers.Dense(4), layers.Dense(4)

        def call(self, x):
            return self.tail(self.head(x) * self.scale)

    a, b = Scaled(1.0), Scaled(1.5)
    a(X), b(X)
    report = d2l.find_divergence(a, b, X)
    assert report.first == "(model)"
    assert report.explanation[1] == (
        "The code of (model) (Scaled) makes it and gives it to tail as inputs."
    )


def test_tolerance_decides_what_counts():
    a, b = build(), build()
    b.layers[0].kernel.assign(b.layers[0].kernel * (1 + 1e-6))
    assert d2l.find_divergence(a, b, X).first == "dense"
    assert not d2l.find_divergence(a, b, X, rtol=1e-4, atol=1e-6).found


def test_one_ulp_is_one_ulp():
    y = tf.constant([1.0, np.nextafter(np.float32(2), np.float32(3))])
    report = d2l.find_divergence(Gives(tf.constant([1.0, 2.0])), Gives(y), X)
    assert report.rows[0].difference.ulps == 1
    assert report.rows[0].difference.place == (1,)


CODE = """
import sys
import keras
import tensorflow as tf
from keras import layers
from d2l_support import tensorflow as d2l
layers.Dense(1), layers.Dense(1)  # so that Keras counts on from here
keras.utils.set_random_seed(0)
parts = layers.Dense(8), layers.ReLU(), layers.Dropout(0.5), layers.Dense(2)
net = keras.Sequential([keras.Input((4,)), *parts])
x = tf.reshape(tf.linspace(-1.0, 1.0, 12), (3, 4))
tf.config.experimental.enable_op_determinism()
d2l.record_trace(net, x).save(sys.argv[1])
"""


def test_another_process_is_compared_through_a_file(tmp_path):
    path = tmp_path / "other.trace"
    subprocess.run([sys.executable, "-c", CODE, path], check=True)
    net = build()
    report = d2l.find_divergence(path, net, X)
    assert not report.found
    setting = "flags.tf.config.experimental.enable_op_determinism: True and not set"
    assert any(setting in note for note in report.notes)
    net.layers[0].kernel.assign_add(tf.fill((4, 8), 1e-3))
    assert d2l.find_divergence(path, net, X).first == "dense"


def test_watch_gives_a_trace_of_a_pass_of_your_own():
    net = build()
    with d2l.record_trace(net) as seen:
        net(X)
    assert not d2l.find_divergence(seen.report, net, X).found


def test_a_file_that_is_no_trace_is_refused(tmp_path):
    net = build()
    net.save_weights(tmp_path / "net.weights.h5")
    with pytest.raises(ValueError, match=r"net\.weights\.h5: found no trace"):
        d2l.find_divergence(tmp_path / "net.weights.h5", net, X)


def test_tied_calls_are_matched_by_their_keys():
    class Twice(keras.Model):
        def __init__(self):
            super().__init__()
            keras.utils.set_random_seed(0)
            self.first = layers.Dense(4)
            self.second = self.first

        def call(self, x):
            return self.second(self.first(x))

    net = Twice()
    net(X)
    trace = d2l.record_trace(net, X)
    assert [call.key for call in trace.run.calls] == [
        (("first", "second"), 1, "forward"),
        (("first", "second"), 2, "forward"),
        (("",), 1, "forward"),
    ]
    assert d2l.find_divergence(trace, net, 2 * X).first == "x"
