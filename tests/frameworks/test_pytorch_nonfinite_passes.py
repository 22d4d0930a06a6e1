"""`find_nonfinite` of PyTorch: backward passes, and passes of your own."""

from math import inf, nan

import pytest
import torch
from torch import nn

from d2l_support import pytorch as d2l

X = torch.linspace(-1, 1, 12).reshape(3, 4)


class Does(nn.Module):
    """Calls a function."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *args, **kwargs):
        return self.function(*args, **kwargs)


class Root(nn.Module):
    """The square root where there is one; its gradient at 0 is NaN."""

    def forward(self, x):
        return torch.where(x > 0, x.sqrt(), 0.0)


def test_gradient_is_found_where_every_activation_is_finite():
    x = torch.tensor([[-1.0, 0.0, 1.0, 2.0]])
    net = nn.Sequential(nn.Identity(), Root(), nn.Linear(4, 1))
    assert not d2l.find_nonfinite(net, x.requires_grad_()).found
    report = d2l.find_nonfinite(net, x, loss=torch.sum)
    assert report.first == "1"
    assert report.explanation == (
        "Every activation is finite.",
        "First: the gradient of the output of 0 holds 2 NaN of 4, the first at [0, 0].",
        "It came back through 1 (Root).",
    )
    assert x.grad is None


def test_gradient_that_the_loss_spoils_is_blamed_on_the_loss():
    net = nn.Sequential(nn.Linear(4, 4), nn.ReLU())
    report = d2l.find_nonfinite(net, X, loss=lambda out: out.sqrt().sum())
    assert report.explanation[-1] == "It comes from what follows the model: the loss."


def test_gradient_of_a_parameter_alone_is_found():
    class Product(nn.Module):
        def __init__(self):
            super().__init__()
            self.scale = nn.Parameter(torch.tensor([0.0]))

        def forward(self, x):
            return x.detach() + self.scale.sqrt()

    report = d2l.find_nonfinite(Product(), X, loss=torch.sum)
    assert report.first == "scale"
    assert "the gradient of scale holds 1 +inf of 1" in report.explanation[1]


def test_watch_finds_a_gradient_in_a_loop():
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), Root(), nn.Linear(4, 1))
    with d2l.find_nonfinite(net) as seen:
        for step in range(5):
            net.zero_grad()
            output = net(X if step == 3 else X.abs() + 9)
            (output.sum() if step == 3 else output.sum() * 0).backward()
    assert seen.report.found
    assert "It came back through 2 (Root)." in seen.report.explanation


# Watching


def test_watch_stops_at_the_first_bad_pass():
    net = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 4))
    with d2l.find_nonfinite(net) as seen, torch.no_grad():
        for step in range(6):
            net(X * (inf if step == 2 else 1.0))
            if seen.report.found:
                break
    assert (step, seen.passes) == (2, 3)
    assert seen.report.first == "input"
    assert seen.report.explanation[0] == "In pass 3."
    assert seen.report.rows[0].place is None


def test_watch_keeps_the_first_bad_pass_if_the_loop_goes_on():
    net = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 4))
    with d2l.find_nonfinite(net) as seen, torch.no_grad():
        net(X)
        net[1].weight[0, 0] = nan
        net(X)
        net[1].weight[0, 0] = 0.0
        net(X)
    assert (seen.report.first, seen.passes) == ("1", 2)
    assert "Not checked: 1.weight (written to since that pass)." in seen.report.notes


def test_watch_tells_of_the_parameters_that_a_bad_pass_used():
    net = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 4))
    with torch.no_grad():
        net[1].weight[0, 0] = nan
    with d2l.find_nonfinite(net) as seen:
        net(X)
    assert seen.report.explanation[-1] == "1.weight holds NaN."


def test_watch_does_not_blame_parameters_that_an_optimizer_spoilt_later():
    net = nn.Sequential(nn.Linear(4, 4), Root(), nn.Linear(4, 1))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    with d2l.find_nonfinite(net) as seen:
        for _ in range(3):
            optimizer.zero_grad()
            net(torch.zeros(1, 4) - 9).sum().backward()
            optimizer.step()
    assert net[0].weight.isnan().any()
    assert seen.passes == 1
    assert not [row for row in seen.report.rows if row.role == "weight"]


def test_watch_looks_at_the_parameters_after_the_last_step():
    net = nn.Sequential(nn.Linear(4, 4))
    with d2l.find_nonfinite(net) as seen, torch.no_grad():
        net(X)
        net[0].bias[2] = inf
    assert seen.report.first == "0.bias"


def test_watch_without_backward_leaves_gradients_alone():
    net = nn.Sequential(nn.Linear(4, 4), Root(), nn.Linear(4, 1))
    with d2l.find_nonfinite(net, backward=False) as seen:
        net(torch.zeros(1, 4)).sum().backward()
    assert not seen.report.found


def test_a_pass_that_cannot_be_made_again_is_told():
    state = iter([nan, 1.0])
    net = nn.Sequential(Does(lambda x: x * next(state)))
    report = d2l.find_nonfinite(net, X)
    assert report.first == "0"
    assert report.explanation[-1].startswith("A second pass from the same state was")


def test_dropout_draws_the_same_in_the_second_pass():
    torch.manual_seed(0)
    net = nn.Sequential(nn.Dropout(0.5), Does(lambda x: 1 / x))
    report = d2l.find_nonfinite(net, torch.ones(4, 4))
    torch.manual_seed(0)
    zeros = int((net[0](torch.ones(4, 4)) == 0).sum())
    assert report.rows[0].counts == (0, zeros, 0)


def test_loss_that_is_no_number_is_refused():
    net = nn.Sequential(nn.Linear(4, 4))
    message = r"loss\(output\) is a tensor of shape \[3, 4\], expected one number"
    with pytest.raises(ValueError, match=message):
        d2l.find_nonfinite(net, X, loss=lambda out: out)
    with pytest.raises(ValueError, match=r"loss\(output\) is float, expected"):
        d2l.find_nonfinite(net, X, loss=lambda out: 1.0)
    assert net[0].weight.grad is None
