"""`gradient_norms` of PyTorch, against gradients taken by hand."""

import numpy as np
import pytest
import torch
from torch import nn

from d2l_support import pytorch as d2l


def build():
    """The published model: 16-32-1 with tanh, and its input."""
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(16, 32), nn.Tanh(), nn.Linear(32, 1))
    return net, torch.randn(8, 16)


def test_mean_gradients_of_activations_are_the_published_ones():
    report = d2l.gradient_norms(*build(), loss=torch.sum)
    found = [round(report[name].mean, 4) for name in "210"]
    assert found == [1.0000, 0.0936, 0.0690]


def test_norms_agree_with_gradients_taken_by_hand():
    net, x = build()
    hidden = net[0](x).detach().double().numpy()
    w = net[2].weight.detach().double().numpy()
    at_tanh = np.repeat(w, 8, axis=0)
    at_linear = at_tanh * (1 - np.tanh(hidden) ** 2)
    report = d2l.gradient_norms(net, x, loss=torch.sum)
    assert report["1"].norm == pytest.approx(np.linalg.norm(at_tanh), rel=1e-6)
    assert report["0"].norm == pytest.approx(np.linalg.norm(at_linear), rel=1e-6)
    of_weight = at_linear.T @ x.double().numpy()
    expected = np.linalg.norm(of_weight)
    assert report["0.weight"].norm == pytest.approx(expected, rel=1e-6)
    expected = np.abs(at_linear.sum(0)).mean()
    assert report["0.bias"].mean == pytest.approx(expected, rel=1e-6)


def test_both_forms_agree_and_only_one_touches_grad():
    net, x = build()
    called = d2l.gradient_norms(net, x, loss=torch.sum)
    assert all(p.grad is None for p in net.parameters())
    with d2l.gradient_norms(net) as seen:
        net(x).sum().backward()
    assert str(seen.report) == str(called)
    assert all(p.grad is not None for p in net.parameters())


def test_gradients_that_were_there_stay():
    net, x = build()
    net(x).sum().backward()
    kept = [(p.grad, p.grad.clone()) for p in net.parameters()]
    d2l.gradient_norms(net, x, loss=lambda out: 5 * out.sum())
    for p, (grad, copy) in zip(net.parameters(), kept, strict=True):
        assert p.grad is grad
        assert torch.equal(grad, copy)


def test_huge_gradients_do_not_overflow():
    net, x = build()
    report = d2l.gradient_norms(net, x, loss=lambda out: 1e30 * out.sum())
    assert report["2"].norm == pytest.approx(1e30 * 8**0.5, rel=1e-6)


def test_gradients_of_an_overwritten_output_are_told_apart():
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(4, 4), nn.ReLU(inplace=True), nn.Linear(4, 1))
    other = nn.Sequential(net[0], nn.ReLU(), net[2])
    x = torch.randn(5, 4)
    found = d2l.gradient_norms(net, x, loss=torch.sum)
    expected = d2l.gradient_norms(other, x, loss=torch.sum)
    assert [row.norm for row in found.activations] == [
        row.norm for row in expected.activations
    ]


def test_parameters_without_a_gradient_are_told():
    net, x = build()
    net.spare = nn.Linear(2, 2)
    net[0].weight.requires_grad_(False)
    with d2l.gradient_norms(net) as seen:
        net[2](net[1](net[0](x))).sum().backward()
    assert "gradient of spare.weight" in str(seen.report)
    assert "(none arrived)" in str(seen.report).replace("\n  ", " ")
    with pytest.raises(KeyError, match=r"no gradient of '0\.weight' arrived"):
        seen.report["0.weight"]


def test_sparse_gradients_are_told():
    net = nn.Sequential(nn.Embedding(5, 3, sparse=True), nn.Linear(3, 1))
    report = d2l.gradient_norms(net, torch.tensor([0, 1]), loss=torch.sum)
    assert "Not checked: gradient of 0.weight (layout sparse_coo)." in report.notes


def test_module_with_an_operation_in_place_after_it_still_runs():
    # A full backward hook on the first layer would make this raise.
    class Adds(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = nn.Linear(4, 4)

        def forward(self, x):
            x = self.layer(x)
            x += 1
            return x

    report = d2l.gradient_norms(Adds(), torch.ones(2, 4), loss=torch.sum)
    assert [row.label for row in report.activations] == ["layer", "(model)"]


def test_loops_report_their_last_step():
    net, x = build()
    with d2l.gradient_norms(net) as seen:
        for factor in (1, 2, 3):
            net.zero_grad()
            (factor * net(x).sum()).backward()
    assert seen.passes == 3
    assert seen.report["2"].norm == pytest.approx(3 * 8**0.5)
