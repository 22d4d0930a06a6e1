"""`record_activations` of MXNet, against NumPy in float64."""

from collections import namedtuple
from dataclasses import dataclass

import mxnet as mx
import numpy as np
import pytest
from mxnet import autograd
from mxnet.gluon import Block, model_zoo, nn, rnn

from d2l_support import mxnet as d2l

BFLOAT16 = np.dtype([("bfloat16", np.uint16)])
ONE = mx.np.ones((1,))


class Gives(Block):
    """Gives back what it was made with."""

    def __init__(self, thing):
        super().__init__()
        self.thing = thing

    def forward(self, x):
        return self.thing


class Takes(Block):
    """Takes anything besides."""

    def forward(self, x, extra):
        return x + 1


def record(thing):
    """The row of a value, and the report."""
    report = d2l.record_activations(Gives(thing), ONE)
    return report.rows[0], report


def spread(x):
    """What NumPy finds in float64."""
    x = np.asarray(x, np.float64)
    return x.mean(), x.std(ddof=1), x.min(), x.max(), (x == 0).mean()


def numbers(row):
    return row.mean, row.std, row.min, row.max, row.zeros


def make_bfloat16(numbers):
    """An array that mx.np itself cannot make."""
    return mx.nd.amp_cast(mx.nd.array(numbers), dtype=BFLOAT16).as_np_ndarray()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("shape", [(50, 70), (64, 1024), (99, 333)])
@pytest.mark.parametrize(
    ("scale", "shift"), [(1.0, 0.0), (1e-3, 1.0), (1.0, 1000.0), (1e6, -3e6)]
)
def test_spread_agrees_with_numpy(dtype, shape, scale, shift):
    drawn = np.random.default_rng(0).normal(size=shape) * scale + shift
    drawn[0, :30] = 0.0
    drawn = drawn.astype(dtype)
    row, _ = record(mx.np.array(drawn, dtype=dtype))
    assert row.dtype == dtype
    assert numbers(row) == pytest.approx(spread(drawn), rel=1e-5)


def test_spread_of_a_relu_counts_zeros_of_both_signs():
    assert record(mx.np.array([-0.0, 0.0, 1.0, 2.0]))[0].zeros == 0.5


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_half_precision_is_measured_in_float32(dtype):
    values = [-60000.0, 60000.0] * 1000
    x = mx.np.array(values, dtype="float16")
    assert np.isinf(np.square(x.asnumpy()).max())
    row, _ = record(make_bfloat16(values) if dtype == "bfloat16" else x)
    assert row.dtype == dtype
    assert row.std == pytest.approx(60000.0, rel=1e-2)


def test_huge_float32_is_measured_again_in_float64():
    x = mx.np.array([1e30, -1e30, 3e30])
    row, report = record(x)
    assert row.std == pytest.approx(2e30, rel=1e-6)
    assert "Too large" not in str(report)
    net = Gives(x)
    with d2l.record_activations(net) as seen:
        net(ONE)
    assert not np.isfinite(seen.report.rows[0].std)
    assert "Too large for the square of its spread: (model)." in seen.report.notes


@pytest.mark.parametrize("size", [2, 2**15])
@pytest.mark.parametrize(
    ("number", "expected"),
    [
        (np.nan, ["NaN"] * 4 + ["-"]),
        (np.inf, ["+inf", "NaN", "1.00", "+inf", "0 %"]),
    ],
)
def test_what_is_not_finite_is_shown_as_such(size, number, expected):
    x = mx.np.ones((size,))
    x[size - 1] = number
    _, report = record(x)
    assert list(report._table().rows[0][3:]) == expected


@pytest.mark.parametrize("x", [mx.np.array([3.0]), mx.np.array(3.0)])
def test_one_element_has_no_spread(x):
    assert numbers(record(x)[0]) == (3.0, None, 3.0, 3.0, 0.0)


def test_constant_array_has_spread_zero():
    assert record(mx.np.full((1000,), 0.1))[0].std == pytest.approx(0.0, abs=1e-7)


@pytest.mark.parametrize(
    ("x", "reason"),
    [
        (mx.np.arange(3, dtype="int64"), "int64: no floating point"),
        (mx.np.ones((3,), dtype="uint16"), "uint16: no floating point"),
        (mx.np.array([True], dtype="bool"), "bool: no floating point"),
        (mx.np.zeros((0, 3)), "empty"),
        (
            mx.nd.contrib.quantize_v2(mx.nd.ones((3,)), out_type="int8")[
                0
            ].as_np_ndarray(),
            "int8: no floating point",
        ),
        (object(), "an object of the class object, not looked into"),
    ],
)
def test_what_cannot_be_measured_is_told_with_the_reason(x, reason):
    row, report = record(x)
    assert numbers(row) == (None,) * 5
    assert f"Not checked: (model) ({reason}" in str(report).replace("\n  ", " ")


@pytest.mark.parametrize(
    ("extra", "reason"),
    [
        (mx.nd.sparse.csr_matrix(np.eye(3)), "layout csr"),
        (mx.nd.sparse.row_sparse_array(np.eye(3)), "layout row_sparse"),
    ],
)
@pytest.mark.parametrize("helper", [d2l.find_nonfinite, d2l.record_trace])
def test_sparse_arguments_are_told(helper, extra, reason):
    # Gluon refuses to give out a sparse array, but takes one.
    report = helper(Takes(), ONE, extra)
    assert f"Not checked: extra of (model) ({reason})." in str(report)


def test_legacy_arrays_are_measured():
    report = d2l.find_nonfinite(Takes(), ONE, mx.nd.array([np.inf]))
    assert report.first == "extra"


def test_nested_outputs_name_each_leaf():
    @dataclass
    class Output:
        logits: mx.np.ndarray
        states: object

    pair = namedtuple("Pair", "mean var")
    x = mx.np.ones((2,))
    states = {"h": x + 2}, [x + 3, None, "text"], pair(x + 4, 1.0)
    report = d2l.record_activations(Gives(Output(x + 1, states)), x)
    assert [(row.label, row.mean) for row in report.rows] == [
        ("(model).logits", 2.0),
        ("(model).states[0]['h']", 3.0),
        ("(model).states[1][0]", 4.0),
        ("(model).states[2].mean", 5.0),
    ]


@pytest.mark.parametrize(
    ("layer", "states"), [(rnn.LSTM(4, input_size=3), 2), (rnn.GRU(4, input_size=3), 1)]
)
def test_recurrent_layers_show_output_and_state(layer, states):
    layer.initialize()
    x = mx.np.random.normal(size=(5, 2, 3))
    layer(x)  # its parameters wait for the first call, whatever it was told
    assert [row.label for row in d2l.record_activations(layer, x).rows] == ["(model)"]
    report = d2l.record_activations(layer, x, layer.begin_state(2))
    expected = ["(model)[0]", *(f"(model)[1][{at}]" for at in range(states))]
    assert [row.label for row in report.rows] == expected
    assert report.rows[0].shape == (5, 2, 4)


class AddsInPlace(Block):
    """Writes to what its child gave, and gives that back."""

    def __init__(self):
        super().__init__()
        self.child = nn.Dense(4, in_units=4)

    def forward(self, x):
        out = self.child(x)
        out += 100.0
        return out


def test_an_output_that_is_overwritten_was_measured_before():
    net = AddsInPlace()
    net.initialize()
    report = d2l.record_activations(net, mx.np.ones((2, 4)))
    assert report["child"].max < 50 < report["(model)"].min
    assert report["(model)"].repeats == ""


def test_an_output_that_is_handed_on_is_one_value():
    net = nn.HybridSequential()
    net.add(nn.Dense(4, in_units=4, activation="relu"))
    net.initialize()
    report = d2l.record_activations(net, mx.np.ones((2, 4)))
    labels = [(row.label, row.repeats) for row in report.rows]
    assert labels == [("0.act", ""), ("0", "0.act"), ("(model)", "0.act")]


def test_mode_is_that_around_the_call():
    net = nn.HybridSequential()
    net.add(nn.BatchNorm(in_channels=3))
    net.initialize()
    x = mx.np.random.normal(5.0, 2.0, size=(64, 3))
    assert d2l.record_activations(net, x)["0"].mean > 4
    with autograd.train_mode():
        assert abs(d2l.record_activations(net, x)["0"].mean) < 1e-3


def test_model_of_the_zoo_is_seen_whole():
    net = model_zoo.vision.mobilenet0_25(classes=10)
    net.initialize(mx.init.Xavier())
    x = mx.np.random.normal(size=(1, 3, 64, 64))
    net(x)
    count = []
    net.apply(count.append)
    report = d2l.record_activations(net, x)
    assert f"Seen: {len(count)} of {len(count)} modules." in report.notes
    assert d2l.find_nonfinite(net, x).found is False
