"""`record_activations` of PyTorch, against NumPy in float64."""

from dataclasses import dataclass

import numpy as np
import pytest
import torch
from torch import nn

from d2l_support import pytorch as d2l


class Gives(nn.Module):
    """Gives back what it was made with."""

    def __init__(self, thing):
        super().__init__()
        self.thing = thing

    def forward(self, x):
        return self.thing


def record(thing):
    """The row of a value, and the report."""
    report = d2l.record_activations(Gives(thing), torch.ones(1))
    return report.rows[0], report


def spread(x):
    """What NumPy finds in float64."""
    x = np.asarray(x, np.float64)
    return x.mean(), x.std(ddof=1), x.min(), x.max(), (x == 0).mean()


def numbers(row):
    return row.mean, row.std, row.min, row.max, row.zeros


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize(
    ("scale", "shift"), [(1.0, 0.0), (1e-3, 1.0), (1.0, 1000.0), (1e6, -3e6)]
)
def test_spread_agrees_with_numpy(dtype, scale, shift):
    torch.manual_seed(0)
    x = (torch.randn(50, 70, dtype=torch.float64) * scale + shift).to(dtype)
    x[0, :30] = 0.0
    assert numbers(record(x)[0]) == pytest.approx(spread(x.numpy()), rel=1e-5)


def test_spread_of_a_relu_counts_zeros_of_both_signs():
    x = torch.tensor([-0.0, 0.0, 1.0, 2.0])
    assert record(x)[0].zeros == 0.5


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision_is_measured_in_float32(dtype):
    x = torch.tensor([-300.0, 300.0], dtype=dtype).repeat(1000)
    assert x.square().isinf().any() == (dtype is torch.float16)
    row, _ = record(x)
    assert row.dtype == str(dtype).removeprefix("torch.")
    assert numbers(row) == pytest.approx(spread(x.float().numpy()), rel=1e-6)


def test_large_float16_does_not_overflow():
    x = torch.full((5000,), 60000.0, dtype=torch.float16)
    x[::2] = -60000.0
    assert record(x)[0].std == pytest.approx(60000.0, rel=1e-3)


def test_huge_float32_is_measured_again_in_float64():
    x = torch.tensor([1e30, -1e30, 3e30])
    row, report = record(x)
    assert row.std == pytest.approx(2e30, rel=1e-6)
    assert "Too large" not in str(report)
    net = Gives(x)
    with d2l.record_activations(net) as seen:
        net(x)
    assert seen.report.rows[0].std == float("inf")
    assert "Too large for the square of its spread: (model)." in seen.report.notes


def test_float8_is_measured_in_float32():
    x = torch.tensor([0.5, 1.5, 2.0, 0.0]).to(torch.float8_e4m3fn)
    assert numbers(record(x)[0]) == pytest.approx(spread(x.float().numpy()), rel=1e-6)


@pytest.mark.parametrize(
    ("x", "expected"),
    [
        (torch.tensor([1.0, np.nan]), ["NaN"] * 4 + ["-"]),
        (torch.tensor([1.0, np.inf]), ["+inf", "NaN", "1.00", "+inf", "0 %"]),
    ],
)
def test_what_is_not_finite_is_shown_as_such(x, expected):
    _, report = record(x)
    assert report._table().rows[0][3:] == tuple(expected)


def test_one_element_has_no_spread():
    row, _ = record(torch.tensor([3.0]))
    assert numbers(row) == (3.0, None, 3.0, 3.0, 0.0)


def test_constant_tensor_has_spread_zero():
    assert record(torch.full((1000,), 0.1))[0].std == pytest.approx(0.0, abs=1e-7)


NESTED = torch.nested.nested_tensor([torch.ones(2), torch.ones(3)])
SUBCLASS = torch.ones(2).as_subclass(type("Mine", (torch.Tensor,), {}))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("x", "reason"),
    [
        (torch.arange(3), "int64: no floating point"),
        (torch.tensor([True]), "bool: no floating point"),
        (torch.empty(0, 3), "empty"),
        (torch.ones(2, dtype=torch.complex64), "complex64: complex numbers have no"),
        (torch.eye(3).to_sparse(), "layout sparse_coo"),
        (torch.eye(3).to_sparse_csr(), "layout sparse_csr"),
        (torch.quantize_per_tensor(torch.ones(2), 0.1, 0, torch.quint8), "quantised"),
        (NESTED, "nested"),
        (SUBCLASS, "a tensor of the class Mine"),
        (torch.ones(2, device="meta"), "on the meta device: it has no values"),
        (object(), "an object of the class object, not looked into"),
    ],
)
def test_what_cannot_be_measured_is_told_with_the_reason(x, reason):
    row, report = record(x)
    assert numbers(row) == (None,) * 5
    assert f"Not checked: (model) ({reason}" in str(report).replace("\n  ", " ")


def test_nested_outputs_name_each_leaf():
    @dataclass
    class Output:
        logits: torch.Tensor
        states: object

    x = torch.ones(2)
    thing = Output(x + 1, ({"h": x + 2}, [x + 3, None, "text"]))
    report = d2l.record_activations(Gives(thing), x)
    assert [(row.label, row.mean) for row in report.rows] == [
        ("(model).logits", 2.0),
        ("(model).states[0]['h']", 3.0),
        ("(model).states[1][0]", 4.0),
    ]


@pytest.mark.parametrize("layer", [nn.LSTM(3, 4), nn.GRU(3, 4)])
def test_recurrent_layers_show_output_and_state(layer):
    packed = nn.utils.rnn.pack_sequence([torch.randn(3, 3), torch.randn(2, 3)])
    for x in (torch.randn(5, 2, 3), packed):
        labels = [row.label for row in d2l.record_activations(layer, x).rows]
        assert labels[0].startswith("(model)[0]")
        assert labels[-1].startswith("(model)[1]")


def test_an_output_that_is_overwritten_was_measured_before():
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(4, 4), nn.ReLU(inplace=True))
    x = torch.randn(8, 4)
    report = d2l.record_activations(net, x)
    with torch.no_grad():
        before = net[0](x).numpy()
    assert report["0"].min == before.min() < 0
    assert report["1"].min == 0.0
    assert report["1"].repeats == ""


@pytest.mark.parametrize("transform", ["vmap", "grad"])
@pytest.mark.parametrize("helper", [d2l.record_activations, d2l.find_nonfinite])
def test_transforms_of_torch_func_are_told(helper, transform):
    net = nn.Linear(2, 2)
    with helper(net) as seen:
        if transform == "vmap":
            torch.func.vmap(net)(torch.ones(3, 2))
        else:
            torch.func.grad(lambda x: net(x).sum())(torch.ones(2))
    assert "inside a transform of torch.func" in str(seen.report)


def test_inference_mode_is_seen_and_in_place_writes_as_well():
    net = nn.Sequential(nn.Linear(4, 4), nn.ReLU(inplace=True))
    with torch.inference_mode():
        report = d2l.record_activations(net, torch.randn(8, 4))
    assert report["0"].min < 0
    assert report["1"].min == 0.0


def test_autocast_is_measured_in_the_dtype_it_gives():
    net = nn.Sequential(nn.Identity(), nn.Linear(4, 4))
    with torch.autocast("cpu", dtype=torch.bfloat16):
        report = d2l.record_activations(net, torch.randn(8, 4))
    assert [row.dtype for row in report.rows[:2]] == ["float32", "bfloat16"]


def test_named_arguments_are_passed_on():
    attention = nn.MultiheadAttention(4, 2)
    q = torch.randn(3, 4)
    kwargs = {"query": q, "key": q, "value": q, "need_weights": False}
    report = d2l.record_activations(attention, kwargs=kwargs)
    assert [row.label for row in report.rows] == ["(model)[0]"]


def test_share_of_zeros_is_the_published_one():
    torch.manual_seed(0)
    layers = (
        nn.Linear(16, 32),
        nn.ReLU(),
        nn.Linear(32, 32),
        nn.ReLU(),
        nn.Linear(32, 2),
    )
    report = d2l.record_activations(nn.Sequential(*layers), torch.randn(64, 16))
    assert [round(report[name].zeros, 2) for name in "13"] == [0.51, 0.54]
