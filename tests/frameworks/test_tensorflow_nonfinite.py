"""`find_nonfinite` of TensorFlow."""

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

    def __init__(self, function):
        super().__init__(dtype=tf.float64.name, autocast=False)
        self.function = function

    def call(self, x, mask=None):
        return self.function(x) if mask is None else self.function(x, mask)


class Chain(keras.Model):
    """Layers one after the other."""

    def __init__(self, *parts):
        super().__init__()
        self.parts = parts

    def call(self, x):
        for part in self.parts:
            x = part(x)
        return x


def put(*pairs, dtype=tf.float32):
    """A layer that puts numbers at places of its input."""

    def function(x):
        x = np.array(x)
        for place, number in pairs:
            x[place] = number
        return tf.cast(x, dtype)

    return Does(function)


def dense(*args, **named):
    """A dense layer for four features, which has its weights."""
    layer = layers.Dense(*args, **named)
    layer.build((None, 4))
    return layer


def spoil(variable, place, number):
    """Puts a number into a variable."""
    values = variable.numpy()
    values[place] = number
    variable.assign(values)


@pytest.mark.parametrize("dtype", [tf.float32, tf.float64, tf.float16, tf.bfloat16])
@pytest.mark.parametrize(
    ("number", "counts", "words"),
    [
        (nan, (1, 0, 0), "1 NaN of 12, the first at [1, 2]"),
        (inf, (0, 1, 0), "1 +inf of 12, the first at [1, 2]"),
        (-inf, (0, 0, 1), "1 -inf of 12, the first at [1, 2]"),
    ],
)
def test_kinds_are_told_apart_with_the_place(dtype, number, counts, words):
    report = d2l.find_nonfinite(put(((1, 2), number), dtype=dtype), X)
    assert (report.rows[0].counts, report.rows[0].place) == (counts, (1, 2))
    assert words in report.explanation[0]


def test_all_kinds_at_once_are_counted():
    net = put(((0, 3), -inf), ((1, 0), nan), ((1, 1), inf), ((2, 2), nan))
    row = d2l.find_nonfinite(net, X).rows[0]
    assert (row.counts, row.place) == ((2, 1, 1), (0, 3))
    with d2l.find_nonfinite(net) as seen:
        net(X)
    assert (seen.report.rows[0].counts, seen.report.rows[0].place) == ((1, 1, 1), None)


def test_float8_is_checked():
    e5m2 = tf.dtypes.experimental.float8_e5m2
    net = Does(lambda x: tf.cast(tf.constant([1.0, inf, 2.0]), e5m2))
    assert d2l.find_nonfinite(net, X).rows[0].place == (1,)


def test_complex_numbers_are_checked_in_both_parts():
    net = Does(lambda x: tf.constant([1 + 1j, complex(0, inf)]))
    row = d2l.find_nonfinite(net, X).rows[0]
    assert (row.counts, row.place, row.shape) == ((0, 1, 0), (1,), (2,))


def test_finite_values_whose_sum_overflows_are_finite():
    net = Does(lambda x: tf.fill([4], 3e38))
    assert tf.math.is_inf(tf.reduce_sum(net(X)))
    assert not d2l.find_nonfinite(net, X).found


def test_half_precision_overflow_is_found_in_the_layer_that_overflows():
    policy = {"dtype": "float16"}
    net = Chain(dense(4, **policy), dense(4, **policy))
    (
        net.parts[0].bias.assign(np.full(4, 300.0)),
        net.parts[1].kernel.assign(np.full((4, 4), 100.0)),
    )
    report = d2l.find_nonfinite(net, X)
    assert report.first == "parts.1"
    assert report.rows[0].counts[1] == 12


def test_what_is_never_reported_is_told():
    net = Does(lambda x: (x, tf.range(3), tf.zeros(0), tf.sparse.eye(2)))
    report = d2l.find_nonfinite(net, X)
    assert not report.found
    assert "Not checked: (model)[1] (int32: no floating point)." in report.notes
    assert "Not checked: (model)[2] (empty)." in report.notes
    assert "Not checked: (model)[3] (SparseTensor: no plain tensor)." in report.notes


class Between(keras.Layer):
    """Does something of its own before and after two dense layers."""

    def __init__(self, before, after=lambda x: x):
        super().__init__()
        self.head, self.tail = dense(4), dense(4)
        self.before, self.after = before, after

    def call(self, x):
        return self.after(self.tail(inputs=self.before(self.head(x))))


@pytest.mark.parametrize(
    ("build", "first", "explanation"),
    [
        (
            lambda: Chain(layers.Identity(), put(((0, 0), nan)), layers.ReLU()),
            "parts.1",
            "parts.1 (Does) makes it: its inputs are finite, its output is not.",
        ),
        (
            lambda: Chain(Between(lambda x: x / 0)),
            "parts.0",
            "The code of parts.0 (Between) makes it and gives it to parts.0.tail as "
            "inputs.",
        ),
        (
            lambda: Chain(Between(lambda x: x, lambda x: x * inf)),
            "parts.0",
            "The code of parts.0 (Between) makes it; what its modules gave is finite.",
        ),
    ],
)
def test_first_producer_is_named(build, first, explanation):
    report = d2l.find_nonfinite(build(), X)
    assert (report.first, report.explanation[1]) == (first, explanation)


def test_bad_input_of_the_model_is_named():
    x = X.numpy()
    x[1, 1] = nan
    net = keras.Sequential([keras.Input((4,)), layers.Dense(4)])
    for given in (x, tf.constant(x), x.astype("float64")):
        report = d2l.find_nonfinite(net, given)
        assert report.first == "inputs"
        assert report.explanation[1] == (
            "It is given to (model) (Sequential) as its argument inputs."
        )


def test_layer_that_ends_it_is_told():
    net = Chain(put(((0, 0), -inf)), layers.ReLU(), dense(1))
    report = d2l.find_nonfinite(net, X)
    assert [(row.name, row.role) for row in report.rows] == [("parts.0", "origin")]


def test_layer_called_twice_is_named_with_its_number():
    grow = Does(lambda x: x * 1e30)
    net = Chain(grow, grow)
    report = d2l.find_nonfinite(net, tf.abs(X) + 1)
    assert report.rows[0].label == "parts.0 = parts.1, call 2"


# Expected masks


class Masked(keras.Layer):
    """A causal softmax: -inf where a mask says so."""

    def __init__(self):
        super().__init__()
        self.scores = Does(lambda x, mask: x + mask)
        self.softmax = layers.Softmax()
        self.causal = self.add_weight((4, 4), trainable=False, name="causal")
        self.causal.assign(MASK)

    def call(self, x, mask):
        return self.softmax(self.scores(x, mask=mask))


MASK = np.triu(np.full((4, 4), -inf, np.float32), 1)
ALLOWED = ("mask", "scores", "causal")


def test_expected_masks_are_allowed_by_name():
    net, x = Masked(), tf.ones((4, 4))
    given = {"mask": tf.constant(MASK)}
    allowed = (*ALLOWED, "inputs")  # what the softmax is given
    report = d2l.find_nonfinite(net, x, kwargs=given, allow_neginf=allowed)
    assert not report.found
    assert "-inf in mask is allowed, and is there." in report.notes
    with d2l.find_nonfinite(net, allow_neginf=allowed) as seen:
        net(x, **given)
        net(x, **given)
    assert (seen.report.found, seen.passes) == (False, 2)


@pytest.mark.parametrize(
    ("allowed", "first"),
    [
        ((), "mask"),
        ("mask", "scores"),
        (("mask", "scores"), "causal"),
        ("m*", "scores"),
    ],
)
def test_masks_that_are_not_allowed_are_found_in_turn(allowed, first):
    given = {"mask": tf.constant(MASK)}
    net, x = Masked(), tf.ones((4, 4))
    report = d2l.find_nonfinite(net, x, kwargs=given, allow_neginf=allowed)
    assert report.first == first


def test_a_row_that_is_masked_out_altogether_is_nan():
    mask = MASK.copy()
    mask[2] = -inf
    given = {"mask": tf.constant(mask)}
    net, x = Masked(), tf.ones((4, 4))
    report = d2l.find_nonfinite(net, x, kwargs=given, allow_neginf=ALLOWED)
    assert report.first == "softmax"
    assert report.rows[0].counts == (4, 0, 0)


# Parameters


def test_parameter_is_checked_where_no_value_shows_it():
    net = Chain(dense(4))
    net.spare = dense(4)
    spoil(net.spare.kernel, (1, 1), inf)
    report = d2l.find_nonfinite(net, X)
    assert report.first == "spare.kernel"
    assert report.explanation == (
        "Every activation is finite.",
        "spare.kernel holds 1 +inf of 16, the first at [1, 1].",
    )
    with d2l.find_nonfinite(net) as seen:
        net(X)
    assert seen.report.explanation[-1] == "spare.kernel holds +inf."


def test_state_of_the_random_stream_is_told_as_not_checked():
    net = Chain(layers.Dropout(0.5))
    net(X)
    note = "Not checked: parts.0.seed_generator_state (int64: no floating point)."
    assert note in d2l.find_nonfinite(net, X).notes
