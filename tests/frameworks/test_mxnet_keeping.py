"""What MXNet helpers keep of a pass, and what they put back after one."""

import gc
import weakref

import mxnet as mx
import numpy as np
import pytest
from mxnet import autograd
from mxnet.base import _LIB
from mxnet.gluon import Block, nn, rnn

from d2l_support import mxnet as d2l

X = mx.np.linspace(-1, 1, 12).reshape(3, 4)
HELPERS = (d2l.record_activations, d2l.find_nonfinite, d2l.gradient_norms)


def build(*more):
    mx.np.random.seed(0)
    net = nn.HybridSequential()
    net.add(nn.Dense(4, in_units=4), nn.Activation("relu"), *more)
    net.add(nn.Dense(2, in_units=4))
    net.initialize(mx.init.Xavier())
    return net


@pytest.mark.parametrize("recording", [True, False])
@pytest.mark.parametrize("helper", HELPERS)
def test_no_activation_is_kept(helper, recording):
    net, kept = build(), []
    for index in range(3):
        net[index].register_forward_hook(
            lambda b, a, out: kept.append(weakref.ref(out))
        )
    with helper(net) as seen:
        if recording:
            with autograd.record():
                output = net(X)
            output.backward()
        else:
            output = net(X)
        del output
        gc.collect()
        assert [ref for ref in kept if ref() is not None] == []
        net(X)
    gc.collect()
    assert [ref for ref in kept if ref() is not None] == []
    assert seen.report


@pytest.mark.parametrize("helper", HELPERS)
def test_number_of_arrays_does_not_grow_with_passes(helper):
    net = build()

    def step():
        with autograd.record():
            loss = net(X).sum()
        loss.backward()

    def count_arrays():
        gc.collect()
        return sum(issubclass(type(t), mx.nd.NDArray) for t in gc.get_objects())

    with helper(net) as seen:
        for _ in range(3):
            step()
        before = count_arrays()
        for _ in range(20):
            step()
        assert count_arrays() == before
    assert seen.passes == 23


@pytest.fixture
def waits(monkeypatch):
    """The names of the library's functions that made the host wait."""
    names = []
    for name in ("MXNDArraySyncCopyToCPU", "MXNDArrayWaitToRead", "MXNDArrayWaitAll"):
        wrapped = getattr(_LIB, name)

        def wait(*args, name=name, wrapped=wrapped):
            names.append(name)
            return wrapped(*args)

        monkeypatch.setattr(_LIB, name, wait)
    return names


@pytest.mark.parametrize("helper", HELPERS)
def test_numbers_come_to_the_host_once_in_a_pass(helper, waits):
    net = build(nn.Dense(4, in_units=4), nn.Activation("tanh"))
    with helper(net):
        for _ in range(5):
            with autograd.record():
                loss = net(X).sum()
            loss.backward()
    checks_weights = helper is d2l.find_nonfinite
    assert waits == ["MXNDArraySyncCopyToCPU"] * (6 if checks_weights else 5)


def test_activations_of_one_dtype_come_to_the_host_together(waits):
    d2l.record_trace(build(), X)
    assert len(waits) == 2  # what the blocks gave, and the weights


# What a call puts back, and what it cannot


def test_averages_are_put_back_after_a_backward_pass_in_training():
    net = build(nn.BatchNorm(in_channels=4))
    with autograd.train_mode():
        for loss in (None, mx.np.sum):
            before = [p.data().asnumpy() for p in net.collect_params().values()]
            d2l.find_nonfinite(net, X, loss=loss)
            after = [p.data().asnumpy() for p in net.collect_params().values()]
            assert all(map(np.array_equal, before, after))
    with autograd.record():
        out = net(X)
    out.backward()
    mx.nd.waitall()
    assert not np.array_equal(net[2].running_mean.data().asnumpy(), np.zeros(4))


def test_inputs_that_a_block_writes_to_are_put_back():
    class Writes(Block):
        def forward(self, x):
            x *= 2
            return x

    net, x = Writes(), X.copy()
    assert d2l.record_activations(net, x)["(model)"].max == 2
    assert np.array_equal(x.asnumpy(), X.asnumpy())


@pytest.mark.parametrize("request_", ["write", "add"])
def test_gradients_and_notes_are_put_back(request_):
    net, x = build(), X.copy()
    for p in net.collect_params().values():
        p.grad_req = request_
    x.attach_grad(request_)
    with autograd.record():
        loss = net(x).sum()
    loss.backward()
    net[0].weight.data()._fresh_grad = False
    arrays = [x, *(p.data() for p in net.collect_params().values())]
    before = [(a.grad.asnumpy(), a._fresh_grad) for a in arrays]
    report = d2l.gradient_norms(net, x, loss=lambda out: 5 * out.sum())
    for a, (gradient, fresh) in zip(arrays, before, strict=True):
        assert np.array_equal(a.grad.asnumpy(), gradient)
        assert a._fresh_grad == fresh
    expected = 5 * np.linalg.norm(before[1][0])
    assert report["0.weight"].norm == pytest.approx(expected, rel=1e-5)


def test_outputs_are_not_marked_for_good():
    net = build()
    with d2l.gradient_norms(net):
        with autograd.record():
            output = net(X)
            loss = output.sum()
        assert output.grad is not None
        loss.backward()
    assert output.grad is None


def test_looking_while_recording_records_nothing():
    net = build()
    with autograd.record(), d2l.find_nonfinite(net) as seen:
        loss = net(X).sum()
        assert not seen.report.found
        assert autograd.is_recording()
    d2l.record_activations(net, X)
    loss.backward()
    assert net[0].weight.grad().asnumpy().any()


def test_array_outside_the_graph_is_not_marked():
    # Marked, it could not be written to while recording.
    class Constant(Block):
        def forward(self, x):
            return mx.np.ones((2,))

    net = Constant()
    with d2l.gradient_norms(net), autograd.record():
        ones = net(X)
        ones += 1
    assert ones.grad is None


def test_mxnets_own_draws_go_on_as_without():
    for mode in (autograd.predict_mode, autograd.train_mode):
        draws = []
        for look in (False, True):
            net = build(nn.BatchNorm(in_channels=4))
            with mode():
                for helper in HELPERS if look else ():
                    options = {"loss": mx.np.sum} if helper is HELPERS[2] else {}
                    helper(net, X, **options)
            draws.append(mx.np.random.normal(size=(5,)).asnumpy().tolist())
        assert draws[0] == draws[1]


@pytest.mark.parametrize(
    "layer",
    [nn.Dropout(0.5), rnn.LSTM(4, num_layers=2, dropout=0.5, input_size=4)],
)
def test_draws_in_training_mode_are_refused(layer):
    net = nn.Sequential()
    net.add(layer)
    net.initialize()
    x = mx.np.ones((2, 3, 4))
    net(x)
    assert d2l.record_activations(net, x)["0"].std is not None
    message = rf"found that 0 \({type(layer).__name__}\) draws in training mode.*own: "
    for scope in (autograd.record(), autograd.train_mode()):
        with scope, pytest.raises(ValueError, match=message):
            d2l.record_activations(net, x)
    with d2l.record_activations(net) as seen, autograd.record():
        net(x)
    assert seen.report["0"].std > 0


def test_dropout_of_nothing_may_train():
    net = build(nn.Dropout(0))
    with autograd.train_mode():
        assert d2l.record_activations(net, X)["2"].std > 0


def test_graph_behind_an_input_is_left_alone():
    net, x = build(), X.copy()
    x.attach_grad()
    with autograd.record():
        y = x * 2
        loss = y.sum()
    assert d2l.gradient_norms(net, y, loss=mx.np.sum)["0"].norm > 0
    assert not x.grad.asnumpy().any()
    loss.backward()
    assert np.array_equal(x.grad.asnumpy(), np.full((3, 4), 2))


def test_graph_of_the_same_model_and_input_is_left_alone():
    # Two graphs over one input: MXNet itself cannot run both back.
    net, x = build(), X.copy()
    with autograd.record():
        loss = net(x).sum()
    for helper in HELPERS:
        options = {"loss": mx.np.sum} if helper is d2l.gradient_norms else {}
        helper(net, x, **options)
    loss.backward()
    assert net[0].weight.grad().asnumpy().any()


def test_gradient_of_an_input_alone_is_followed():
    net, x = build(), X.copy()
    net.setattr("grad_req", "null")
    x.attach_grad()
    assert d2l.gradient_norms(net, x, loss=mx.np.sum)["0"].norm > 0
    assert not x.grad.asnumpy().any()


def test_models_without_values_are_refused():
    net = nn.HybridSequential()
    net.add(nn.Dense(4))
    with pytest.raises(ValueError, match=r"found that 0\.weight has no values"):
        d2l.record_activations(net, X)
    net.initialize()
    message = r"found that 0\.weight gets its values from the first call.*once: net\(X"
    with pytest.raises(ValueError, match=message):
        d2l.record_activations(net, X)
    net(X)
    assert d2l.record_activations(net, X)["0"].std > 0
