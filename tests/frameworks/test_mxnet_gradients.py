"""`gradient_norms` of MXNet, against gradients taken by hand."""

import math

import mxnet as mx
import numpy as np
import pytest
from mxnet import autograd, gluon
from mxnet.gluon import Block, nn

from d2l_support import mxnet as d2l


def build():
    """16-32-1 with tanh, and its input."""
    mx.np.random.seed(0)
    net = nn.HybridSequential()
    net.add(nn.Dense(32), nn.Activation("tanh"), nn.Dense(1))
    net.initialize(mx.init.Xavier())
    x = mx.np.random.normal(size=(8, 16))
    net(x)
    return net, x


def test_norms_agree_with_gradients_taken_by_hand():
    net, x = build()
    hidden = net[0](x).asnumpy().astype(np.float64)
    at_tanh = np.repeat(net[2].weight.data().asnumpy().astype(np.float64), 8, axis=0)
    at_linear = at_tanh * (1 - np.tanh(hidden) ** 2)
    report = d2l.gradient_norms(net, x, loss=mx.np.sum)
    assert report["2"].mean == 1.0
    assert report["1"].norm == pytest.approx(np.linalg.norm(at_tanh), rel=1e-5)
    assert report["0"].norm == pytest.approx(np.linalg.norm(at_linear), rel=1e-5)
    expected = np.linalg.norm(at_linear.T @ x.asnumpy())
    assert report["0.weight"].norm == pytest.approx(expected, rel=1e-5)
    expected = np.abs(at_linear.sum(0)).mean()
    assert report["0.bias"].mean == pytest.approx(expected, rel=1e-5)


def test_both_forms_agree_and_only_one_touches_grad():
    net, x = build()
    called = d2l.gradient_norms(net, x, loss=mx.np.sum)
    assert not any(p.grad().asnumpy().any() for p in net.collect_params().values())
    with d2l.gradient_norms(net) as seen:
        with autograd.record(train_mode=False):
            loss = net(x).sum()
        loss.backward(train_mode=False)
    assert str(seen.report) == str(called)
    assert all(p.grad().asnumpy().any() for p in net.collect_params().values())


def test_training_under_a_watch_is_training_without():
    weights = []
    for watched in (False, True):
        net, x = build()
        trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})
        watch = d2l.gradient_norms(net)

        def train(net=net, x=x, trainer=trainer):
            for _ in range(4):
                with autograd.record():
                    loss = (net(x) ** 2).mean()
                loss.backward()
                trainer.step(1)

        if watched:
            with watch:
                train()
        else:
            train()
        weights.append([p.data().asnumpy().tobytes() for p in trainer._params])
    assert weights[0] == weights[1]
    assert watch.passes == 4
    assert watch.report["0.weight"].norm > 0  # although the step came after it


@pytest.mark.parametrize("factor", [1e30, 1e-30])
def test_huge_and_tiny_gradients_do_not_overflow_or_vanish(factor):
    net, x = build()
    report = d2l.gradient_norms(net, x, loss=lambda out: factor * out.sum())
    assert report["2"].norm == pytest.approx(factor * 8**0.5, rel=1e-5)
    assert report["2"].mean == pytest.approx(factor, rel=1e-5)


@pytest.mark.parametrize(
    ("factor", "expected"), [(0.0, 0.0), (math.inf, math.inf), (math.nan, math.nan)]
)
def test_gradients_that_are_zero_or_not_finite_are_told(factor, expected):
    net, x = build()
    row = d2l.gradient_norms(net, x, loss=lambda out: factor * out.sum())["2"]
    assert (row.norm, row.mean) == pytest.approx((expected, expected), nan_ok=True)


def test_parameters_without_a_gradient_are_told():
    net, x = build()
    net.add(nn.Dense(2, in_units=2))
    net[3].initialize()
    net[0].weight.grad_req = "null"
    with d2l.gradient_norms(net) as seen:
        with autograd.record():
            loss = net[2](net[1](net[0](x))).sum()
        loss.backward()
    assert "gradient of 3.bias, gradient of 3.weight (none arrived)" in str(seen.report)
    with pytest.raises(KeyError, match=r"no gradient of '0\.weight' arrived"):
        seen.report["0.weight"]


def test_outputs_that_the_loss_does_not_use_have_no_gradient():
    class Pair(Block):
        def __init__(self):
            super().__init__()
            self.used, self.unused = (nn.Dense(3, in_units=4) for _ in range(2))
            self.initialize()

        def forward(self, x):
            return self.used(x), self.unused(x)

    net, x = Pair(), mx.np.ones((2, 4))
    with d2l.gradient_norms(net) as seen:
        with autograd.record():
            loss = net(x)[0].sum()
        loss.backward()
    assert [row.label for row in seen.report.activations] == ["used"]
    assert "gradient of the output of unused" in str(seen.report)


def test_recorded_pass_without_a_backward_pass_is_told():
    net, x = build()
    with d2l.gradient_norms(net) as seen, autograd.record():
        net(x)
    assert "No gradient arrived." in str(seen.report)


def test_pass_by_autograd_grad_is_not_seen():
    net, x = build()
    x.attach_grad()
    with d2l.gradient_norms(net) as seen:
        with autograd.record():
            loss = net(x).sum()
        (gradient,) = autograd.grad(loss, [x])
    assert gradient.asnumpy().any()
    assert "No gradient arrived." in str(seen.report)


def test_backward_pass_through_another_model_is_not_taken_for_ours():
    net, x = build()
    other, _ = build()
    with d2l.gradient_norms(net) as seen:
        copy = x.copy()  # recorded, it would join the two graphs
        with autograd.record():
            ours, theirs = net(x).sum(), other(copy).sum()
        theirs.backward()
        ours.backward()
    assert str(seen.report) == str(d2l.gradient_norms(net, x, loss=mx.np.sum))


def test_loss_that_is_no_number_is_refused():
    net, x = build()
    message = r"loss\(output\) is an array of shape \[8, 1\], expected one number"
    with pytest.raises(ValueError, match=message):
        d2l.gradient_norms(net, x, loss=lambda out: out)
    with pytest.raises(ValueError, match=r"loss\(output\) is float, expected"):
        d2l.gradient_norms(net, x, loss=lambda out: 1.0)
    with pytest.raises(ValueError, match=r"is an array of shape \[\], expected one"):
        d2l.gradient_norms(net, x, loss=lambda out: out.detach().sum())


def test_loops_report_their_last_step():
    net, x = build()
    with d2l.gradient_norms(net) as seen:
        for factor in (1, 2, 3):
            with autograd.record():
                loss = factor * net(x).sum()
            loss.backward()
    assert seen.passes == 3
    assert seen.report["2"].norm == pytest.approx(3 * 8**0.5)


def test_half_precision_gradients_are_measured():
    class Scales(Block):
        def __init__(self):
            super().__init__()
            self.scale = gluon.Parameter("scale", shape=(4,), dtype="float16")
            self.initialize(mx.init.One())

        def forward(self, x):
            return x * self.scale.data()

    x = mx.np.full((100, 4), 30000.0, dtype="float16")
    report = d2l.gradient_norms(Scales(), x, loss=lambda out: out.mean())
    assert report["(model)"].norm == pytest.approx(400**0.5 / 400, rel=1e-3)
    assert report["scale"].norm == pytest.approx(2 * 30000 / 4, rel=1e-2)
    assert report["scale"].dtype == "float16"


def test_operation_that_fails_on_the_engine_is_told():
    # Half precision has no dense layer on the CPU, and MXNet tells it late.
    net, x = build()
    net.cast("float16")
    with pytest.raises(mx.base.MXNetError, match="float16 fully connected") as raised:
        d2l.record_activations(net, x.astype("float16"))
    assert "MXNET_ENGINE_TYPE=NaiveEngine" in raised.value.__notes__[0]
