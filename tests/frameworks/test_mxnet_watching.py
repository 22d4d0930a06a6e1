"""Watching Gluon's blocks: calls, passes, and the hooks of others."""

import mxnet as mx
import pytest
from mxnet import autograd
from mxnet.gluon import Block, nn

from d2l_support import mxnet as d2l

X = mx.np.linspace(-1, 1, 12).reshape(3, 4)


def build():
    mx.np.random.seed(0)
    net = nn.HybridSequential()
    net.add(nn.Dense(4, in_units=4), nn.Activation("relu"), nn.Dense(2, in_units=4))
    net.initialize(mx.init.Xavier())
    return net


class Tied(Block):
    """One layer under two names, called twice."""

    def __init__(self):
        super().__init__()
        self.first = nn.Dense(4, in_units=4)
        self.second = self.first
        self.initialize()

    def forward(self, x):
        return self.second(self.first(x))


class Shared(Block):
    """Two layers with the same parameters."""

    def __init__(self):
        super().__init__()
        self.first, self.second = (nn.Dense(4, in_units=4) for _ in range(2))
        self.second.share_parameters(self.first.collect_params())
        self.initialize()

    def forward(self, x):
        return self.second(self.first(x))


def test_tied_block_has_all_its_names_and_a_number():
    report = d2l.record_activations(Tied(), X)
    assert [row.label for row in report.rows] == [
        "first = second, call 1",
        "first = second, call 2",
        "(model)",
    ]
    assert report.rows[0].names == ("first", "second")
    assert report.rows[2].repeats == "first = second, call 2"


@pytest.mark.parametrize("model", [Tied, Shared])
def test_tied_parameters_are_listed_once_with_all_their_names(model):
    report = d2l.gradient_norms(model(), X, loss=mx.np.sum)
    names = {row.names for row in report.parameters}
    assert names == {("first.bias", "second.bias"), ("first.weight", "second.weight")}


def test_siamese_passes_share_one_backward_pass():
    net = build()
    with d2l.gradient_norms(net) as seen:
        with autograd.record():
            loss = ((net(X) - net(X + 1)) ** 2).sum()
        loss.backward()
    assert seen.passes == 1
    labels = [row.label for row in seen.report.activations]
    assert labels[:2] == ["0, call 1", "1, call 1"]
    assert "0, call 2" in labels


def test_watches_nest():
    net = build()
    with d2l.record_activations(net) as outer:
        net(X)
        with d2l.find_nonfinite(net) as inner:
            net(X)
        net(X)
    assert (outer.passes, inner.passes) == (3, 1)


def test_watches_over_gradients_nest():
    net = build()
    with d2l.gradient_norms(net) as outer, d2l.find_nonfinite(net) as inner:
        with autograd.record():
            loss = net(X).sum()
        loss.backward()
    alone = d2l.gradient_norms(net, X, loss=mx.np.sum)
    assert str(outer.report) == str(alone)
    assert not inner.report.found
    assert not [p for p in net.collect_params().values() if not p.data()._fresh_grad]


def test_call_without_hooks_is_told():
    net = build()
    with d2l.record_activations(net) as seen:
        net.forward(X)
    assert "Silent: (model) (not called in this pass, or round" in str(seen.report)
    with d2l.record_activations(net[0]) as seen:
        net[0].forward(X)
    assert "net.forward(X) goes round the hooks" in str(seen.report)


def test_hooks_of_the_model_itself_stay_and_come_first():
    net, order = build(), []
    own = net[0].register_forward_hook(lambda *_: order.append("own"))
    with d2l.record_activations(net):
        net[0].register_forward_hook(lambda *_: order.append("later"))
        net(X)
    assert order == ["own", "later"]
    assert len(net[0]._forward_hooks) == 2
    own.detach()


def test_weights_may_be_drawn_in_a_pass_of_your_own():
    # The same draws as without: the watch adds none.
    outputs = []
    for watched in (False, True):
        mx.np.random.seed(0)
        net = nn.HybridSequential()
        net.add(nn.Dense(4), nn.Dense(2))
        net.initialize()
        if watched:
            with d2l.find_nonfinite(net) as seen:
                outputs.append(net(X).asnumpy().tobytes())
        else:
            outputs.append(net(X).asnumpy().tobytes())
    assert outputs[0] == outputs[1]
    assert seen.report.found is False
    assert "Seen: 3 of 3 modules." in seen.report.notes


def test_blocks_called_by_another_thread_are_told():
    class Again(autograd.Function):
        """Computes the block's output again on the way back."""

        def __init__(self, block):
            super().__init__()
            self.block = block

        def forward(self, x):
            self.x = x
            return self.block(x)

        def backward(self, gradient):
            x = self.x.copy()
            x.attach_grad()
            with autograd.record():
                out = self.block(x)
            out.backward(gradient)
            return x.grad

    class Checkpointed(Block):
        def __init__(self):
            super().__init__()
            self.a, self.b = nn.Dense(4, in_units=4), nn.Dense(4, in_units=4)
            self.initialize()

        def forward(self, x):
            return Again(self.b)(self.a(x))

    net = Checkpointed()
    with d2l.gradient_norms(net) as seen:
        with autograd.record():
            loss = net(X).sum()
        loss.backward()
        mx.nd.waitall()
    assert [row.label for row in seen.report.activations] == ["a", "b"]
    told = "Calls that came from another thread, as out of the backward code"
    assert told in "\n".join(seen.report.notes)
