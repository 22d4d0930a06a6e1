"""Watching PyTorch modules: calls, passes, and the hooks of others."""

import pytest
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

from d2l_support import pytorch as d2l

X = torch.linspace(-1, 1, 12).reshape(3, 4)


def build(*more):
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(4, 4), nn.ReLU(), *more, nn.Linear(4, 2))


class Tied(nn.Module):
    """One layer under two names, called twice."""

    def __init__(self):
        super().__init__()
        self.first = nn.Linear(4, 4)
        self.second = self.first

    def forward(self, x):
        return self.second(self.first(x))


class Checkpointed(nn.Module):
    """Three layers, the last two computed again in the backward pass."""

    def __init__(self, reentrant):
        super().__init__()
        self.a, self.b, self.c = nn.Linear(4, 4), nn.Linear(4, 4), nn.Linear(4, 1)
        self.reentrant = reentrant

    def forward(self, x):
        tail = nn.Sequential(self.b, self.c)
        return checkpoint(tail.forward, self.a(x), use_reentrant=self.reentrant)


def test_tied_module_has_all_its_names_and_a_number():
    report = d2l.record_activations(Tied(), X)
    assert [row.label for row in report.rows] == [
        "first = second, call 1",
        "first = second, call 2",
        "(model)",
    ]
    assert report.rows[0].names == ("first", "second")
    assert report.rows[2].repeats == "first = second, call 2"


@pytest.mark.parametrize(
    ("reentrant", "again"),
    [(True, ["b, recompute", "c, recompute"]), (False, ["b, recompute"])],
)
def test_checkpointed_calls_are_told_apart(reentrant, again):
    # Without reentry the recomputation stops once it has what it needs.
    net = Checkpointed(reentrant)
    with d2l.record_activations(net) as seen:
        net(X).sum().backward()
    labels = [row.label for row in seen.report.rows]
    assert labels == ["a", "b", "c", "(model)", *again]
    assert seen.passes == 1
    assert seen.report["b"].std == seen.report["b, recompute"].std


@pytest.mark.parametrize("reentrant", [True, False])
def test_checkpointed_gradients_are_those_without(reentrant):
    net = Checkpointed(reentrant)
    expected = {}
    for name, p in net.named_parameters():
        (g,) = torch.autograd.grad(net.c(net.b(net.a(X))).sum(), p)
        expected[name] = g.norm().item()
    report = d2l.gradient_norms(net, X, loss=torch.sum)
    found = {row.names[0]: row.norm for row in report.parameters}
    assert found == pytest.approx(expected, rel=1e-5)
    assert report["b" if not reentrant else "b, recompute"].norm > 0


def test_siamese_passes_share_one_backward_pass():
    net = build()
    with d2l.gradient_norms(net) as seen:
        (net(X) - net(X + 1)).square().sum().backward()
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


def test_call_without_hooks_is_told():
    net = build()
    with d2l.record_activations(net) as seen:
        net.forward(X)
    assert "Silent: (model) (not called in this pass, or called as" in str(seen.report)
    with d2l.record_activations(net[0]) as seen:
        net[0].forward(X)
    assert "net.forward(X) goes round the hooks" in str(seen.report)


def test_hooks_of_the_model_itself_come_first():
    net = build()
    net[0].register_forward_hook(lambda module, args, output: output * 0)
    net[2].register_forward_pre_hook(lambda module, args: (args[0] + 1,))
    before = len(net[0]._forward_hooks), len(net[2]._forward_pre_hooks)
    report = d2l.record_activations(net, X)
    assert report["0"].zeros == 1.0
    trace = d2l.record_trace(net, X)
    given = dict(trace.run.calls[2].inputs)["input"]
    assert trace.run.values[given].data == torch.ones(3, 4).numpy().tobytes()
    assert (len(net[0]._forward_hooks), len(net[2]._forward_pre_hooks)) == before
