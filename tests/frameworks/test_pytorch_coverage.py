"""Which PyTorch modules are seen, why others are not, and where a pass ended."""

import pytest
import torch
from torch import nn

from d2l_support import pytorch as d2l
from d2l_support.inspection.pytorch.modules import Places

X = torch.linspace(-1, 1, 12).reshape(3, 4)


def build(*more):
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(4, 4), nn.ReLU(), *more, nn.Linear(4, 2))


def test_attention_projection_is_reported_as_silent():
    attention = nn.MultiheadAttention(4, 2, batch_first=True)
    report = d2l.record_activations(attention, X[None], X[None], X[None])
    assert [row.label for row in report.rows] == ["(model)[0]", "(model)[1]"]
    assert report.notes == (
        "Seen: 1 of 2 modules.",
        "Silent: out_proj (nn.MultiheadAttention uses its weights and never calls it).",
    )


def test_lists_of_modules_are_not_counted():
    class Listed(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = nn.ModuleList([nn.Linear(4, 4), nn.Linear(4, 4)])
            self.spare = nn.Linear(4, 4)

        def forward(self, x):
            for layer in self.layers:
                x = layer(x)
            return x

    notes = d2l.record_activations(Listed(), X).notes
    assert notes[0] == "Seen: 3 of 4 modules."
    assert notes[1].startswith("Silent: spare (not called in this pass")


def test_encoder_layer_keeps_its_fused_path_and_is_told():
    layer = nn.TransformerEncoderLayer(4, 2, 8, batch_first=True).eval()
    with torch.no_grad():
        expected = layer(X[None])
        with d2l.record_activations(layer) as seen:
            assert torch.equal(layer(X[None]), expected)
    notes = "\n".join(seen.report.notes)
    assert "Seen: 1 of 10 modules." in notes
    assert "took its fused path" in notes


def test_encoder_layer_in_training_shows_its_parts():
    layer = nn.TransformerEncoderLayer(4, 2, 8, batch_first=True, dropout=0.0)
    report = d2l.record_activations(layer, X[None])
    assert {"self_attn[0]", "norm1", "linear2"} <= {row.label for row in report.rows}
    assert "Seen: 9 of 10 modules." in report.notes


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
def test_scripted_modules_are_told():
    net = torch.jit.script(nn.Sequential(nn.Linear(4, 4), nn.ReLU()))
    notes = d2l.record_activations(net, X).notes
    assert notes == (
        "Seen: 1 of 3 modules.",
        "Silent: 0, 1 (called from TorchScript, which knows no hooks).",
    )


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (len, r"found a model of type builtin_function_or_method, expected a torch"),
        (torch.compile(build()), r"compiled by torch\.compile.*model\._orig_mod"),
    ],
)
def test_what_hooks_cannot_look_into_is_refused(model, message):
    with pytest.raises((TypeError, ValueError), match=message):
        d2l.record_activations(model, X)


def test_module_compiled_in_place_is_refused():
    net = build()
    net.compile()
    with pytest.raises(ValueError, match=r"compiled by model\.compile\(\).*deepcopy"):
        d2l.find_nonfinite(net, X)


@pytest.mark.filterwarnings("ignore:Using `torch.compile")
def test_hooks_set_after_a_compiled_call_do_not_fire_and_that_is_told():
    class Partly(nn.Module):
        def __init__(self):
            super().__init__()
            self.plain, self.fast = nn.Linear(4, 4), torch.compile(build())

        def forward(self, x):
            return self.fast(self.plain(x))

    net = Partly()
    expected = net(X)
    with d2l.record_activations(net) as seen:
        assert torch.equal(net(X), expected)
    assert torch.equal(net(X), expected)
    assert {row.label for row in seen.report.rows} == {"plain", "fast", "(model)"}
    assert "(compiled as part of fast)" in str(seen.report)


def test_places_name_arguments_of_a_forward_without_signature():
    places = Places(nn.Linear(4, 4))
    place = next(iter(places.names))
    assert (places.argument(place, 0), places.argument(place, 5)) == (
        "input",
        "args[5]",
    )


# Exceptions


class Boom(nn.Module):
    def forward(self, x):
        raise ValueError("boom")


def test_exception_names_the_innermost_module():
    net = build(nn.Sequential(nn.Tanh(), Boom()))
    with pytest.raises(ValueError, match="boom") as raised:
        d2l.record_activations(net, X)
    assert raised.value.__notes__ == [
        "d2l_support: raised in 2.1 (Boom), after 3 calls of modules had ended."
    ]


def test_exception_tells_what_was_not_finite_before_it():
    net = build(Boom())
    with torch.no_grad():
        net[0].bias[1] = torch.inf
    with pytest.raises(ValueError, match="boom") as raised:
        d2l.find_nonfinite(net, X)
    assert "First: the output of 0 holds +inf." in raised.value.__notes__[0]


def test_exception_in_the_backward_pass_leaves_no_hook():
    net = build()

    def fail(gradient):
        raise ValueError("backward boom")

    def step():
        output = net(X)
        output.register_hook(fail)
        output.sum().backward()

    with pytest.raises(ValueError, match="backward boom"), d2l.gradient_norms(net):
        step()
    assert not any(p._post_accumulate_grad_hooks for p in net.parameters())
    assert not torch.nn.modules.module._has_any_global_hook()


def test_exception_that_the_model_handles_is_not_reported():
    class Careful(nn.Module):
        def __init__(self):
            super().__init__()
            self.bad, self.good = Boom(), nn.Linear(4, 4)

        def forward(self, x):
            try:
                return self.bad(x)
            except ValueError:
                return self.good(x)

    report = d2l.record_activations(Careful(), X)
    assert "ended early" not in str(report)
    assert "Seen: 3 of 3 modules." in report.notes
