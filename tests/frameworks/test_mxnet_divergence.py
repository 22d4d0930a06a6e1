"""`record_trace` and `find_divergence` of MXNet."""

import hashlib
import subprocess
import sys

import mxnet as mx
import numpy as np
import pytest
from mxnet import autograd
from mxnet.gluon import Block, nn

from d2l_support import mxnet as d2l

X = mx.np.linspace(-1, 1, 12).reshape(3, 4)


def build():
    mx.np.random.seed(0)
    net = nn.HybridSequential()
    net.add(nn.Dense(8, in_units=4), nn.Activation("relu"), nn.Dropout(0.5))
    net.add(nn.Dense(2, in_units=8))
    net.initialize(mx.init.Xavier())
    return net


class Gives(Block):
    def __init__(self, thing):
        super().__init__()
        self.thing = thing

    def forward(self, x):
        return self.thing


def trace_training(net, seed):
    """The trace of a pass in training mode, from a seed."""
    mx.np.random.seed(seed)
    with d2l.record_trace(net) as seen, autograd.record():
        net(X)
    return seen.report


def test_digest_is_that_of_the_bytes_numpy_sees():
    net = build()
    trace = d2l.record_trace(net, X)
    expected = hashlib.sha256(b"float32 [3, 2]\n" + net(X).asnumpy().tobytes())
    at = trace.run.calls[-1].outputs[0][1]
    assert trace.digests[at] == expected.hexdigest()


@pytest.mark.parametrize(
    "x",
    [
        mx.np.arange(6).reshape(2, 3).T,
        mx.np.ones((2,), dtype="float16"),
        mx.np.ones((2,), dtype="float64"),
        mx.np.array([True, False], dtype="bool"),
        mx.np.ones((3,), dtype="uint16"),
        mx.np.full((3,), 2**40, dtype="int64"),
        mx.np.array(3.0),
        mx.np.zeros((0, 2)),
        mx.np.array([np.nan, -0.0]),
    ],
)
def test_every_dtype_is_traced(x, tmp_path):
    trace = d2l.record_trace(Gives(x), X)
    value = trace.run.values[trace.run.calls[-1].outputs[0][1]]
    assert (value.skipped, value.dtype) == ("", str(np.dtype(x.dtype)))
    assert value.data == np.ascontiguousarray(x.asnumpy()).tobytes()
    trace.save(tmp_path / "x.trace")
    assert not d2l.find_divergence(tmp_path / "x.trace", Gives(x), X).found


def test_bfloat16_is_traced():
    dtype = np.dtype([("bfloat16", np.uint16)])
    x = mx.nd.amp_cast(mx.nd.array([1.0, 2.0]), dtype=dtype).as_np_ndarray()
    trace = d2l.record_trace(Gives(x), X)
    value = trace.run.values[trace.run.calls[-1].outputs[0][1]]
    assert (value.dtype, value.data) == ("bfloat16", bytes([0x80, 0x3F, 0x00, 0x40]))


def test_same_model_agrees_with_itself():
    net = build()
    assert not d2l.find_divergence(net, net, X).found


def test_training_passes_agree_from_the_same_seed_only():
    net = build()
    first = trace_training(net, 1)
    assert not d2l.find_divergence(first, trace_training(net, 1)).found
    report = d2l.find_divergence(first, trace_training(net, 2))
    assert report.first == "2"
    told = "2 (Dropout) makes it: its inputs are equal, its output is not."
    assert report.explanation[1] == told


def test_other_mode_is_found_at_the_layer_that_minds():
    net = build()
    assert d2l.find_divergence(trace_training(net, 1), net, X).first == "2"


def test_streams_that_can_be_read_are_compared():
    net = build()
    np.random.seed(0)
    first = d2l.record_trace(net, X)
    np.random.seed(1)
    report = d2l.find_divergence(first, net, X)
    assert not report.found
    assert "Random streams that began differently: NumPy global." in report.notes


def test_average_that_differs_is_told():
    nets = []
    for mean in (0.0, 0.5):
        net = build()
        net.add(nn.BatchNorm(in_channels=2))
        net[4].initialize()
        net[4].running_mean.set_data(mx.np.full((2,), mean))
        nets.append(net)
    report = d2l.find_divergence(*nets, X)
    assert report.first == "4"
    assert report.explanation[-1] == "Its own values differ: 4.running_mean."


def test_code_of_a_container_is_found():
    class Scaled(Block):
        def __init__(self, scale):
            super().__init__()
            mx.np.random.seed(0)
            self.scale = scale
            self.head, self.tail = (nn.Dense(4, in_units=4) for _ in range(2))
            self.initialize()

        def forward(self, x):
            x = self.head(x)
            x *= self.scale  # in place: another value in the same array
            return self.tail(x)

    report = d2l.find_divergence(Scaled(1.0), Scaled(1.5), X)
    assert report.first == "(model)"
    assert report.explanation[1] == (
        "The code of (model) (Scaled) makes it and gives it to tail as x."
    )


def test_tolerance_decides_what_counts():
    net, other = build(), build()
    other[0].weight.set_data(net[0].weight.data() * (1 + 1e-6))
    assert d2l.find_divergence(net, other, X).first == "0"
    assert not d2l.find_divergence(net, other, X, rtol=1e-4, atol=1e-6).found


def test_one_ulp_is_one_ulp():
    x = mx.np.array([1.0, 2.0])
    y = mx.np.array([1.0, np.nextafter(np.float32(2), np.float32(3))])
    report = d2l.find_divergence(Gives(x), Gives(y), X)
    assert report.rows[0].difference.ulps == 1
    assert report.rows[0].difference.place == (1,)


def test_another_process_is_compared_through_a_file(tmp_path):
    code = (
        "import sys, mxnet as mx\n"
        "from mxnet.gluon import nn\n"
        "from d2l_support import mxnet as d2l\n"
        "mx.np.random.seed(0)\n"
        "net = nn.HybridSequential()\n"
        "net.add(nn.Dense(8, in_units=4), nn.Activation('relu'), nn.Dropout(0.5))\n"
        "net.add(nn.Dense(2, in_units=8))\n"
        "net.initialize(mx.init.Xavier())\n"
        "x = mx.np.linspace(-1, 1, 12).reshape(3, 4)\n"
        "d2l.record_trace(net, x).save(sys.argv[1])\n"
    )
    path = tmp_path / "other.trace"
    import os

    variables = {**os.environ, "MXNET_SAFE_ACCUMULATION": "1"}
    command = [sys.executable, "-W", "ignore", "-c", code, str(path)]
    subprocess.run(command, check=True, env=variables)
    report = d2l.find_divergence(path, build(), X)
    assert not report.found
    setting = "flags.MXNET_SAFE_ACCUMULATION: 1 and not set"
    assert f"Settings that differ: {setting}." in report.notes


def test_hybridized_twin_is_compared_where_both_are_seen():
    net, other = nn.Sequential(), nn.Sequential()
    for each in (net, other):
        each.add(build(), nn.Dense(1, in_units=2))
        mx.np.random.seed(1)
        each[1].initialize()
    other[0].hybridize()
    other(X)
    report = d2l.find_divergence(net, other, X)
    assert report.explanation[0].startswith("All 3 outputs that were compared agree")
    assert "Called in one run only: 0.0, 0.1, 0.2, 0.3." in report.notes


def test_a_file_that_is_no_trace_is_refused(tmp_path):
    build().save_parameters(str(tmp_path / "weights.npz"))
    with pytest.raises(ValueError, match=r"weights\.npz: found no trace"):
        d2l.find_divergence(tmp_path / "weights.npz", build(), X)
