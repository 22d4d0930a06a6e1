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
