"""`find_nonfinite` of MXNet: backward passes, and passes of your own."""

from math import inf, nan

import mxnet as mx
import numpy as np
import pytest
from mxnet import autograd, gluon
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


class Root(Block):
    """The square root where there is one; its gradient at 0 is NaN."""

    def forward(self, x):
        return mx.np.where(x > 0, mx.np.sqrt(x), mx.np.zeros_like(x))


def chain(*layers):
    net = nn.Sequential()
    net.add(*layers)
    net.initialize(mx.init.Xavier())
    return net


def train_once(net, x):
    with autograd.record():
        loss = net(x).sum()
    loss.backward()


def test_gradient_is_found_where_every_activation_is_finite():
    x = mx.np.array([[-1.0, 0.0, 1.0, 2.0]])
    head = Does(lambda x: x + 0)
    net = chain(head, Root(), nn.Dense(1, in_units=4))
    assert not d2l.find_nonfinite(net, x).found
    x.attach_grad()
    report = d2l.find_nonfinite(net, x, loss=mx.np.sum)
    assert report.first == "1"
    assert report.explanation == (
        "Every activation is finite.",
        "First: the gradient of the output of 0 holds 2 NaN of 4, the first at [0, 0].",
        "It came back through 1 (Root).",
    )
    assert not x.grad.asnumpy().any()


def test_gradient_that_the_loss_spoils_is_blamed_on_the_loss():
    net = chain(nn.Dense(4, in_units=4), nn.Activation("relu"))
    report = d2l.find_nonfinite(net, X, loss=lambda out: mx.np.sqrt(out).sum())
    assert report.explanation[-1] == "It comes from what follows the model: the loss."


def test_gradient_of_a_parameter_alone_is_found():
    class Product(Block):
        def __init__(self):
            super().__init__()
            self.scale = Parameter("scale", shape=(1,), init=mx.init.Zero())
            self.initialize()

        def forward(self, x):
            return x + mx.np.sqrt(self.scale.data())

    report = d2l.find_nonfinite(Product(), X, loss=mx.np.sum)
    assert report.first == "scale"
    assert "the gradient of scale holds 1 +inf of 1" in report.explanation[1]


def test_watch_finds_a_gradient_in_a_loop():
    net = chain(nn.Dense(4, in_units=4), Root(), nn.Dense(1, in_units=4))
    net[0].bias.set_data(mx.np.full((4,), 9.0))
    with d2l.find_nonfinite(net) as seen:
        for step in range(5):
            if step == 3:
                net[0].bias.set_data(mx.np.full((4,), -9.0))
            train_once(net, X)
            if seen.report.found:
                break
    assert step == 3
    assert "It came back through 1 (Root)." in seen.report.explanation


# Watching


def test_watch_stops_at_the_first_bad_pass():
    net = chain(nn.Dense(4, in_units=4), nn.Dense(4, in_units=4))
    with d2l.find_nonfinite(net) as seen:
        for step in range(6):
            net(X * (inf if step == 2 else 1.0))
            if seen.report.found:
                break
    assert (step, seen.passes) == (2, 3)
    assert seen.report.first == "x"
    assert seen.report.explanation[0] == "In pass 3."
    assert seen.report.rows[0].place is None


@pytest.mark.parametrize(
    ("number", "counts"), [(nan, (1, 0, 0)), (inf, (0, 1, 0)), (-inf, (0, 0, 1))]
)
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("size", [1, 300, 100_000])
def test_watch_tells_the_kinds_apart(number, counts, dtype, size):
    x = mx.np.ones((size,), dtype=dtype)
    x[size - 1] = number
    net = Does(lambda _: x)
    with d2l.find_nonfinite(net) as seen:
        net(X)
    assert seen.report.rows[0].counts == counts


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_watch_does_not_take_infinities_of_both_signs_for_nan(dtype):
    x = mx.np.array([1.0, inf] + [-inf] * 998, dtype=dtype)
    net = Does(lambda _: x)
    with d2l.find_nonfinite(net) as seen:
        net(X)
    assert seen.report.rows[0].counts == (0, 1, 0)  # which hides the others


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_large_finite_numbers_are_not_taken_for_infinities(dtype):
    largest = float(np.finfo(dtype).max)
    for sign in (1, -1):
        x = mx.np.full((10_000,), sign * largest, dtype=dtype)
        net = Does(lambda _, x=x: x)
        with d2l.find_nonfinite(net) as seen:
            net(X)
        assert not seen.report.found


def test_watch_keeps_the_first_bad_pass_if_the_loop_goes_on():
    net = chain(nn.Dense(4, in_units=4), nn.Dense(4, in_units=4))
    weight = net[1].weight.data()
    with d2l.find_nonfinite(net) as seen:
        net(X)
        weight[0, 0] = nan
        net(X)
        weight[0, 0] = 0.0
        net(X)
    assert (seen.report.first, seen.passes) == ("1", 2)


def test_watch_tells_of_the_parameters_that_a_bad_pass_used():
    net = chain(nn.Dense(4, in_units=4), nn.Dense(4, in_units=4))
    net[1].weight.data()[0, 0] = nan
    with d2l.find_nonfinite(net) as seen:
        net(X)
    assert seen.report.explanation[-1] == "1.weight holds NaN."


@pytest.mark.parametrize("backward", [True, False])
def test_watch_does_not_blame_parameters_that_an_optimizer_spoilt_later(backward):
    net = chain(nn.Dense(4, in_units=4), Root(), Does(lambda x: 1 / x))
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})
    with d2l.find_nonfinite(net, backward=backward) as seen:
        for _ in range(3):
            train_once(net, mx.np.zeros((1, 4)) - 9)
            trainer.step(1)
    assert bool(mx.np.isnan(net[0].weight.data()).any())
    assert seen.passes == 1
    assert not [row for row in seen.report.rows if row.role == "weight"]
    told = "Not checked: 0.weight, 0.bias (perhaps written to since that pass)."
    assert told in seen.report.notes


def test_watch_looks_at_the_parameters_after_the_last_step():
    net = chain(nn.Dense(4, in_units=4))
    with d2l.find_nonfinite(net) as seen:
        net(X)
        net[0].bias.data()[2] = inf
    assert seen.report.first == "0.bias"


def test_watch_without_backward_leaves_gradients_alone():
    net = chain(nn.Dense(4, in_units=4), Root(), nn.Dense(1, in_units=4))
    with d2l.find_nonfinite(net, backward=False) as seen:
        train_once(net, mx.np.zeros((1, 4)))
    assert not seen.report.found


def test_a_pass_that_cannot_be_made_again_is_told():
    state = iter([nan, 1.0])
    net = chain(Does(lambda x: x * next(state)))
    report = d2l.find_nonfinite(net, X)
    assert report.first == "0"
    assert report.explanation[-1].startswith("A second pass from the same state was")


def test_second_pass_starts_from_the_same_averages_and_inputs():
    class Counts(Block):
        """Counts its calls in a parameter, and in its input."""

        def __init__(self):
            super().__init__()
            self.count = Parameter("count", shape=(1,), grad_req="null")
            self.count.initialize(mx.init.Zero())

        def forward(self, x):
            self.count.data()[:] += 1
            x += 1
            return mx.np.log(1 - self.count.data()) + x

    x = mx.np.zeros((1,))
    net = Counts()
    report = d2l.find_nonfinite(net, x)
    assert report.rows[0].counts == (0, 0, 1)  # the logarithm of 0, not of -1
    assert (net.count.data().item(), x.item()) == (0.0, 0.0)
