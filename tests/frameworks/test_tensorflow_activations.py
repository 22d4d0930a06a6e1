"""`record_activations` of TensorFlow, against NumPy in float64."""

from collections import namedtuple
from dataclasses import dataclass

import keras
import numpy as np
import pytest
import tensorflow as tf
from keras import layers

from d2l_support import tensorflow as d2l

FLOAT8 = tf.dtypes.experimental.float8_e4m3fn


class Gives(keras.Layer):
    """Gives back what it was made with."""

    def __init__(self, thing):
        super().__init__()
        self.keep = lambda: thing  # else Keras wraps lists and dictionaries

    def call(self, x):
        return self.keep()


def record(thing):
    """The row of a value, and the report."""
    report = d2l.record_activations(Gives(thing), tf.ones(1))
    return report.rows[0], report


def spread(x):
    """What NumPy finds in float64."""
    x = np.asarray(x, np.float64)
    return x.mean(), x.std(ddof=1), x.min(), x.max(), (x == 0).mean()


def numbers(row):
    return row.mean, row.std, row.min, row.max, row.zeros


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    ("scale", "shift"), [(1.0, 0.0), (1e-3, 1.0), (1.0, 1000.0), (1e6, -3e6)]
)
def test_spread_agrees_with_numpy(dtype, scale, shift):
    x = np.random.default_rng(0).normal(size=(50, 70)) * scale + shift
    x = x.astype(dtype)
    x[0, :30] = 0.0
    assert numbers(record(tf.constant(x))[0]) == pytest.approx(spread(x), rel=1e-5)


def test_spread_of_a_relu_counts_zeros_of_both_signs():
    assert record(tf.constant([-0.0, 0.0, 1.0, 2.0]))[0].zeros == 0.5


@pytest.mark.parametrize("dtype", [tf.float16, tf.bfloat16])
def test_half_precision_is_measured_in_float32(dtype):
    x = tf.cast(tf.tile([-300.0, 300.0], [1000]), dtype)
    assert np.isinf(float(tf.square(x)[0])) == (dtype is tf.float16)
    row, _ = record(x)
    assert row.dtype == dtype.name
    assert numbers(row) == pytest.approx(spread(tf.cast(x, tf.float32)), rel=1e-6)


def test_huge_float32_is_measured_again_in_float64():
    x = tf.constant([1e30, -1e30, 3e30])
    row, report = record(x)
    assert row.std == pytest.approx(2e30, rel=1e-6)
    assert "Too large" not in str(report)
    net = Gives(x)
    with d2l.record_activations(net) as seen:
        net(x)
    assert seen.report.rows[0].std == float("inf")
    assert "Too large for the square of its spread: (model)." in seen.report.notes


def test_float8_is_measured_in_float32():
    x = tf.cast(tf.constant([0.5, 1.5, 2.0, 0.0]), FLOAT8)
    row, _ = record(x)
    assert numbers(row) == pytest.approx(spread(tf.cast(x, tf.float32)), rel=1e-6)


@pytest.mark.parametrize(
    ("x", "expected"),
    [
        ([1.0, np.nan], ["NaN", "NaN", None, None, "-"]),
        ([1.0, np.inf], ["+inf", "NaN", "1.00", "+inf", "0 %"]),
    ],
)
def test_what_is_not_finite_is_shown_as_such(x, expected):
    _, report = record(tf.constant(x))
    shown = report._table().rows[0][3:]
    pairs = zip(shown, expected, strict=True)
    assert all(wanted in (None, found) for found, wanted in pairs)


def test_one_element_has_no_spread():
    assert numbers(record(tf.constant([3.0]))[0]) == (3.0, None, 3.0, 3.0, 0.0)


def test_constant_tensor_has_spread_zero():
    assert record(tf.fill([1000], 0.1))[0].std == pytest.approx(0.0, abs=1e-7)


QUANTISED = tf.raw_ops.QuantizeV2(
    input=tf.ones(3), min_range=0.0, max_range=1.0, T=tf.quint8
).output


@pytest.mark.parametrize(
    ("x", "reason"),
    [
        (tf.range(3), "int32: no floating point"),
        (tf.constant([True]), "bool: no floating point"),
        (tf.zeros((0, 3)), "empty"),
        (tf.ones(2, tf.complex64), "complex64: complex numbers have no order"),
        (tf.constant(["text"]), "string: no numbers"),
        (QUANTISED, "quantised (quint8)"),
        (tf.sparse.eye(3), "SparseTensor: no plain tensor"),
        (tf.ragged.constant([[1.0], [2.0, 3.0]]), "RaggedTensor: no plain tensor"),
        (tf.IndexedSlices(tf.ones(2), tf.range(2)), "IndexedSlices: no plain"),
        (object(), "an object of the class object, not looked into"),
    ],
)
def test_what_cannot_be_measured_is_told_with_the_reason(x, reason):
    row, report = record(x)
    assert numbers(row) == (None,) * 5
    assert f"Not checked: (model) ({reason}" in str(report).replace("\n  ", " ")


def test_nested_outputs_name_each_leaf():
    @dataclass
    class Output:
        logits: tf.Tensor
        states: object

    state = namedtuple("state", "h c")
    x = tf.ones(2)
    inner = ({"h": x + 2}, [x + 3, None, "text"], state(x + 4, x + 5))
    report = d2l.record_activations(Gives(Output(x + 1, inner)), x)
    assert [(row.label, row.mean) for row in report.rows] == [
        ("(model).logits", 2.0),
        ("(model).states[0]['h']", 3.0),
        ("(model).states[1][0]", 4.0),
        ("(model).states[2].h", 5.0),
        ("(model).states[2].c", 6.0),
    ]


def test_variables_and_arrays_are_measured_like_tensors():
    for x in (tf.Variable([1.0, 3.0]), keras.Variable([1.0, 3.0]), np.ones(2) + 1):
        assert record(x)[0].mean == 2.0


def test_dense_layers_own_relu_has_no_row_of_its_own():
    fused = keras.Sequential([keras.Input((4,)), layers.Dense(8, "relu")])
    split = keras.Sequential([keras.Input((4,)), layers.Dense(8), layers.ReLU()])
    x = tf.ones((2, 4))
    assert len(d2l.record_activations(fused, x).rows) == 2
    assert len(d2l.record_activations(split, x).rows) == 3


def test_named_arguments_are_passed_on():
    net = layers.Dropout(0.5)
    report = d2l.record_activations(net, tf.ones(1000), kwargs={"training": True})
    assert report[""].zeros == pytest.approx(0.5, abs=0.1)
    assert d2l.record_activations(net, tf.ones(1000))[""].zeros == 0.0


def test_mixed_precision_is_measured_in_the_dtype_it_gives():
    net = keras.Sequential(
        [keras.Input((4,)), layers.Dense(4, dtype="mixed_float16", name="half")]
    )
    assert d2l.record_activations(net, tf.ones((2, 4)))["half"].dtype == "float16"
