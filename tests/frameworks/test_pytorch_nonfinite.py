"""`find_nonfinite` of PyTorch."""

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


def put(*pairs, dtype=torch.float32):
    """A module that puts numbers at places of its input."""

    def function(x):
        x = x.clone().to(dtype)
        for place, number in pairs:
            x[place] = number
        return x

    return Does(function)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16])
@pytest.mark.parametrize(
    ("number", "counts", "words"),
    [
        (nan, (1, 0, 0), "1 NaN of 12, the first at [1, 2]"),
        (inf, (0, 1, 0), "1 +inf of 12, the first at [1, 2]"),
        (-inf, (0, 0, 1), "1 -inf of 12, the first at [1, 2]"),
    ],
)
def test_kinds_are_told_apart_with_the_place(dtype, number, counts, words):
    net = nn.Sequential(put(((1, 2), number), dtype=dtype), nn.Identity())
    report = d2l.find_nonfinite(net, X)
    assert (report.rows[0].counts, report.rows[0].place) == (counts, (1, 2))
    assert words in report.explanation[0]


def test_all_kinds_at_once_are_counted():
    net = put(((0, 3), -inf), ((1, 0), nan), ((1, 1), inf), ((2, 2), nan))
    row = d2l.find_nonfinite(net, X).rows[0]
    assert (row.counts, row.place) == ((2, 1, 1), (0, 3))


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float8_e5m2])
def test_small_floats_are_checked(dtype):
    net = Does(lambda x: torch.tensor([1.0, inf, 2.0]).to(dtype))
    assert d2l.find_nonfinite(net, X).rows[0].place == (1,)


def test_complex_numbers_are_checked_in_both_parts():
    net = Does(lambda x: torch.tensor([1 + 1j, complex(0, inf)]))
    row = d2l.find_nonfinite(net, X).rows[0]
    assert (row.counts, row.place, row.shape) == ((0, 1, 0), (1,), (2,))


def test_finite_values_whose_sum_overflows_are_finite():
    net = nn.Sequential(Does(lambda x: torch.full((4,), 3e38)), nn.Identity())
    assert Does(lambda x: x)(torch.full((4,), 3e38)).sum().isinf()
    assert not d2l.find_nonfinite(net, X).found


def test_half_precision_overflow_is_found_in_the_layer_that_overflows():
    net = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 4)).half()
    with torch.no_grad():
        net[0].bias.fill_(300.0), net[1].weight.fill_(100.0)
    report = d2l.find_nonfinite(net, X.half())
    assert report.first == "1"
    assert report.rows[0].counts[1] == 12


def test_integers_are_never_reported_but_told():
    net = Does(lambda x: (x, torch.arange(3), torch.empty(0)))
    report = d2l.find_nonfinite(net, X)
    assert not report.found
    assert "Not checked: (model)[1] (int64: no floating point)." in report.notes
    assert "Not checked: (model)[2] (empty)." in report.notes


@pytest.mark.parametrize(
    ("build", "first", "explanation"),
    [
        (
            lambda: nn.Sequential(nn.Identity(), put(((0, 0), nan)), nn.Tanh()),
            "1",
            "1 (Does) makes it: its inputs are finite, its output is not.",
        ),
        (
            lambda: nn.Sequential(Between(lambda x: x / 0)),
            "0",
            "The code of 0 (Between) makes it and gives it to 0.tail as input.",
        ),
        (
            lambda: nn.Sequential(Between(lambda x: x, lambda x: x * inf)),
            "0",
            "The code of 0 (Between) makes it; what its modules gave is finite.",
        ),
    ],
)
def test_first_producer_is_named(build, first, explanation):
    report = d2l.find_nonfinite(build(), X)
    assert (report.first, report.explanation[1]) == (first, explanation)


class Between(nn.Module):
    """Does something of its own before and after two linear layers."""

    def __init__(self, before, after=lambda x: x):
        super().__init__()
        self.head, self.tail = nn.Linear(4, 4), nn.Linear(4, 4)
        self.before, self.after = before, after

    def forward(self, x):
        return self.after(self.tail(input=self.before(self.head(x))))


def test_bad_input_of_the_model_is_named():
    x = X.clone()
    x[1, 1] = nan
    report = d2l.find_nonfinite(nn.Sequential(nn.Linear(4, 4)), x)
    assert report.first == "input"
    assert report.explanation[1] == (
        "It is given to (model) (Sequential) as its argument input."
    )


def test_a_module_that_works_in_place_is_blamed_itself():
    net = nn.Sequential(nn.Identity(), Does(lambda x: x.log_()), nn.Identity())
    assert not d2l.find_nonfinite(net, X + 2).found
    x = X - 5
    report = d2l.find_nonfinite(net, x)
    assert report.first == "1"
    assert torch.equal(x, X - 5)


def test_module_that_ends_it_is_told():
    net = nn.Sequential(put(((0, 0), -inf)), nn.ReLU(), nn.Linear(4, 1))
    report = d2l.find_nonfinite(net, X)
    assert [(row.name, row.role) for row in report.rows] == [("0", "origin")]


def test_module_called_twice_is_named_with_its_number():
    class Twice(nn.Module):
        def __init__(self):
            super().__init__()
            self.grow = Does(lambda x: x * 1e30)

        def forward(self, x):
            return self.grow(self.grow(x.abs() + 1))

    report = d2l.find_nonfinite(Twice(), X)
    assert report.rows[0].label == "grow, call 2"


class Masked(nn.Module):
    """A causal softmax: -inf where a mask says so."""

    def __init__(self):
        super().__init__()
        self.scores = Does(lambda x, mask: x + mask)
        self.softmax = nn.Softmax(-1)
        self.register_buffer("causal", torch.full((4, 4), -inf).triu(1))

    def forward(self, x, mask):
        return self.softmax(self.scores(x, mask=mask))


MASK = torch.full((4, 4), -inf).triu(1)


def test_expected_masks_are_allowed_by_name():
    net, x = Masked(), torch.ones(4, 4)
    allowed = ("mask", "scores", "causal")
    for call in ((x, MASK), (x,)):
        kwargs = {} if len(call) == 2 else {"mask": MASK}
        report = d2l.find_nonfinite(net, *call, kwargs=kwargs, allow_neginf=allowed)
        assert not report.found
        assert "-inf in mask is allowed, and is there." in report.notes
    with d2l.find_nonfinite(net, allow_neginf=allowed) as seen, torch.no_grad():
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
    report = d2l.find_nonfinite(Masked(), torch.ones(4, 4), MASK, allow_neginf=allowed)
    assert report.first == first


def test_a_row_that_is_masked_out_altogether_is_nan():
    mask = MASK.clone()
    mask[2] = -inf
    allowed = ("mask", "scores", "causal")
    report = d2l.find_nonfinite(Masked(), torch.ones(4, 4), mask, allow_neginf=allowed)
    assert report.first == "softmax"
    assert report.rows[0].counts == (4, 0, 0)


def test_parameter_is_checked_where_no_value_shows_it():
    net = nn.Sequential(nn.Linear(4, 4))
    net.spare = nn.Linear(4, 4)
    net.forward = lambda x: net[0](x)
    with torch.no_grad():
        net.spare.weight[1, 1] = inf
    report = d2l.find_nonfinite(net, X)
    assert report.first == "spare.weight"
    assert report.explanation == (
        "Every activation is finite.",
        "spare.weight holds 1 +inf of 16, the first at [1, 1].",
    )


# Backward


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
