"""`find_nonfinite` of MXNet."""

import os
import subprocess
import sys
from math import inf, nan

import mxnet as mx
import numpy as np
import pytest
from mxnet.gluon import Block, Parameter, nn

from d2l_support import mxnet as d2l

X = mx.np.linspace(-1, 1, 12).reshape(3, 4)


class Does(Block):
    """Calls a function."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *args):
        return self.function(*args)


def chain(*layers):
    net = nn.Sequential()
    net.add(*layers)
    net.initialize(mx.init.Xavier())
    return net


def same():
    """A block that hands its input on."""
    return Does(lambda x: x)


def put(*pairs, dtype="float32"):
    """A block that puts numbers at places of its input."""

    def function(x):
        x = x.astype(dtype)
        for place, number in pairs:
            x[place] = number
        return x

    return Does(function)


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
@pytest.mark.parametrize(
    ("number", "counts", "words"),
    [
        (nan, (1, 0, 0), "1 NaN of 12, the first at [1, 2]"),
        (inf, (0, 1, 0), "1 +inf of 12, the first at [1, 2]"),
        (-inf, (0, 0, 1), "1 -inf of 12, the first at [1, 2]"),
    ],
)
def test_kinds_are_told_apart_with_the_place(dtype, number, counts, words):
    net = chain(put(((1, 2), number), dtype=dtype), same())
    report = d2l.find_nonfinite(net, X)
    assert (report.rows[0].counts, report.rows[0].place) == (counts, (1, 2))
    assert words in report.explanation[0]
    assert report.rows[0].dtype == dtype


def test_all_kinds_at_once_are_counted():
    net = put(((0, 3), -inf), ((1, 0), nan), ((1, 1), inf), ((2, 2), nan))
    row = d2l.find_nonfinite(net, X).rows[0]
    assert (row.counts, row.place) == ((2, 1, 1), (0, 3))


def test_bfloat16_is_checked():
    dtype = np.dtype([("bfloat16", np.uint16)])
    x = mx.nd.amp_cast(mx.nd.array([1.0, inf, 2.0]), dtype=dtype).as_np_ndarray()
    row = d2l.find_nonfinite(Does(lambda _: x), X).rows[0]
    assert (row.place, row.dtype, row.counts) == ((1,), "bfloat16", (0, 1, 0))


@pytest.mark.parametrize(("dtype", "large"), [("float32", 3e38), ("float64", 1e308)])
@pytest.mark.parametrize("watched", [False, True])
def test_finite_values_whose_sum_overflows_are_finite(dtype, large, watched):
    x = mx.np.full((1000,), large, dtype=dtype)
    assert not np.isfinite(x.sum().item())
    net = chain(Does(lambda _: x), Does(lambda x: -x))
    if not watched:
        assert not d2l.find_nonfinite(net, X).found
    with d2l.find_nonfinite(net) as seen:
        net(X)
    assert not seen.report.found


def test_integers_are_never_reported_but_told():
    net = Does(lambda x: (x, mx.np.arange(3, dtype="int64"), mx.np.zeros((0,))))
    report = d2l.find_nonfinite(net, X)
    assert not report.found
    assert "Not checked: (model)[1] (int64: no floating point)." in report.notes
    assert "Not checked: (model)[2] (empty)." in report.notes


class Between(Block):
    """Does something of its own before and after two dense layers."""

    def __init__(self, before, after=lambda x: x):
        super().__init__()
        self.head, self.tail = (nn.Dense(4, in_units=4) for _ in range(2))
        self.before, self.after = before, after

    def forward(self, x):
        return self.after(self.tail(self.before(self.head(x))))


@pytest.mark.parametrize(
    ("build", "first", "explanation"),
    [
        (
            lambda: chain(same(), put(((0, 0), nan)), nn.Activation("tanh")),
            "1",
            "1 (Does) makes it: its inputs are finite, its output is not.",
        ),
        (
            lambda: chain(Between(lambda x: x / 0)),
            "0",
            "The code of 0 (Between) makes it and gives it to 0.tail as x.",
        ),
        (
            lambda: chain(Between(lambda x: x, lambda x: x * inf)),
            "0",
            "The code of 0 (Between) makes it; what its modules gave is finite.",
        ),
    ],
)
def test_first_producer_is_named(build, first, explanation):
    report = d2l.find_nonfinite(build(), X)
    assert (report.first, report.explanation[1]) == (first, explanation)


def test_bad_input_of_the_model_is_named():
    x = X.copy()
    x[1, 1] = nan
    report = d2l.find_nonfinite(chain(nn.Dense(4, in_units=4)), x)
    assert report.first == "x"
    assert report.explanation[1] == (
        "It is given to (model) (Sequential) as its argument x."
    )


def test_a_block_that_works_in_place_is_blamed_itself():
    def spoil(x):
        x[0, 0] = nan
        return x

    net, x = chain(same(), Does(spoil), same()), X.copy()
    report = d2l.find_nonfinite(net, x)
    assert report.first == "1"
    assert np.array_equal(x.asnumpy(), X.asnumpy())


def build_swallowing():
    """A dense layer whose NaN its own ReLU may hide, and another one."""
    net = chain(nn.Dense(4, in_units=4, activation="relu"), nn.Dense(4, in_units=4))
    net[0].weight.data()[2, 1] = nan
    return net


def test_relu_that_swallows_nan_is_caught_at_its_door():
    net = build_swallowing()
    hidden = not np.isnan(net[0](X).asnumpy()).any()  # so with oneDNN
    for helper in (lambda: d2l.find_nonfinite(net, X), lambda: watch(net)):
        report = helper()
        assert report.first == "0"
        assert report.explanation[1] == (
            "The code of 0 (Dense) makes it and gives it to 0.act as x."
        )
    outputs = [row.label for row in d2l.find_nonfinite(net, X).rows]
    assert (outputs == ["0.weight"]) == hidden


def watch(net):
    with d2l.find_nonfinite(net) as seen:
        net(X)
    return seen.report


def test_only_one_of_the_relus_loses_nan_and_only_with_onednn():
    code = (
        "import mxnet as mx\n"
        "x = mx.np.array([float('nan'), 1.0])\n"
        "for y in mx.npx.activation(x, act_type='relu'), mx.npx.relu(x):\n"
        "    print(int(mx.np.isnan(y).sum()))\n"
    )
    found = []
    for enabled in "10":
        variables = {**os.environ, "MXNET_ONEDNN_ENABLED": enabled}
        command = [sys.executable, "-W", "ignore", "-c", code]
        done = subprocess.run(command, env=variables, capture_output=True, check=True)
        found.append(done.stdout.split()[-2:])
    assert found == [[b"0", b"1"], [b"1", b"1"]]


def test_block_called_twice_is_named_with_its_number():
    class Twice(Block):
        def __init__(self):
            super().__init__()
            self.grow = Does(lambda x: x * 1e30)

        def forward(self, x):
            return self.grow(self.grow(mx.np.abs(x) + 1))

    assert d2l.find_nonfinite(Twice(), X).rows[0].label == "grow, call 2"


class Masked(Block):
    """A causal softmax: -inf where a mask says so."""

    def __init__(self):
        super().__init__()
        self.scores = Does(lambda x, mask: x + mask)
        self.softmax = Does(mx.npx.softmax)
        self.causal = Parameter("causal", shape=(4, 4), grad_req="null")
        self.causal.initialize(mx.init.Constant(-inf))

    def forward(self, x, mask):
        return self.softmax(self.scores(x, mask))


MASK = mx.np.triu(mx.np.full((4, 4), -inf, dtype="float32"), 1)


def test_expected_masks_are_allowed_by_name():
    net, x = Masked(), mx.np.ones((4, 4))
    allowed = ("mask", "scores", "causal")
    report = d2l.find_nonfinite(net, x, MASK, allow_neginf=allowed)
    assert not report.found
    assert "-inf in mask is allowed, and is there." in report.notes
    with d2l.find_nonfinite(net, allow_neginf=allowed) as seen:
        net(x, MASK)
        net(x, MASK)
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
    x = mx.np.ones((4, 4))
    report = d2l.find_nonfinite(Masked(), x, MASK, allow_neginf=allowed)
    assert report.first == first


def test_a_row_that_is_masked_out_altogether_is_nan():
    mask = MASK.copy()
    mask[2] = -inf
    allowed = ("mask", "scores", "causal")
    x = mx.np.ones((4, 4))
    report = d2l.find_nonfinite(Masked(), x, mask, allow_neginf=allowed)
    assert report.first == "softmax"
    assert report.rows[0].counts == (4, 0, 0)


def test_parameter_is_checked_where_no_value_shows_it():
    net = chain(nn.Dense(4, in_units=4), nn.Dense(4, in_units=4))
    net.forward = lambda x: net[0](x)
    net[1].weight.data()[1, 1] = inf
    report = d2l.find_nonfinite(net, X)
    assert report.first == "1.weight"
    assert report.explanation == (
        "Every activation is finite.",
        "1.weight holds 1 +inf of 16, the first at [1, 1].",
    )
