"""Watching PyTorch modules: what is seen, what is kept, what is left behind."""

import gc
import weakref

import pytest
import torch
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.checkpoint import checkpoint

from d2l_support import pytorch as d2l
from d2l_support.inspection.pytorch.modules import Places

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


def list_calls(seen):
    return [(row.label, row.call, row.phase) for row in seen.report.rows]


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


def test_passes_are_counted_and_the_last_is_reported():
    net = build()
    with d2l.record_activations(net) as seen:
        for factor in (1.0, 2.0, 3.0):
            net(factor * X)
    assert seen.passes == 3
    assert seen.report["0"].max == pytest.approx(net[0](3 * X).max().item())
    assert len(seen.report.rows) == 4


def test_report_can_be_read_inside_the_block():
    net = build()
    with d2l.record_activations(net) as seen:
        net(X)
        first = seen.report["0"].max
        net(2 * X)
    assert seen.report["0"].max != first


def test_siamese_passes_share_one_backward_pass():
    net = build()
    with d2l.gradient_norms(net) as seen:
        (net(X) - net(X + 1)).square().sum().backward()
    assert seen.passes == 1
    labels = [row.label for row in seen.report.activations]
    assert labels[:2] == ["0, call 1", "1, call 1"]
    assert "0, call 2" in labels


def test_no_pass_is_an_error_that_says_what_to_write():
    watch = d2l.record_activations(build())
    assert repr(watch) == (
        "<a watch over Sequential: use it in `with ... as seen:`, then seen.report>"
    )
    message = r"found no pass to report on.*Write: with d2l\.record_activations\(net\)"
    with pytest.raises(RuntimeError, match=message):
        watch.report  # noqa: B018


def test_a_watch_that_is_on_cannot_be_entered_again():
    watch = d2l.record_activations(build())
    with watch, pytest.raises(RuntimeError, match="a watch that is on already"), watch:
        pass
    with watch:  # but afterwards it can
        watch._model(X)
    assert watch.report["0"].std


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


# What is kept


@pytest.mark.parametrize("grad", [True, False])
@pytest.mark.parametrize(
    "helper", [d2l.record_activations, d2l.find_nonfinite, d2l.gradient_norms]
)
def test_no_activation_or_graph_is_kept(helper, grad):
    class Marker:
        """Lives as long as the graph that carries it."""

    net, kept = build(), []
    for module in net:
        module.register_forward_hook(lambda m, a, out: kept.append(weakref.ref(out)))
    with helper(net) as seen, torch.set_grad_enabled(grad):
        output = net(X)
        if grad:
            marker = Marker()
            output.grad_fn.metadata["marker"] = marker
            kept.append(weakref.ref(marker))
            del marker
            output.sum().backward()
        del output
        net(X)
        assert [ref for ref in kept[: 4 if grad else 3] if ref() is not None] == []
    gc.collect()
    assert [ref for ref in kept if ref() is not None] == []
    assert seen.report


@pytest.mark.parametrize("helper", [d2l.record_activations, d2l.find_nonfinite])
def test_memory_does_not_grow_with_passes(helper):
    net = build()

    def count_tensors():
        gc.collect()
        return sum(issubclass(type(thing), torch.Tensor) for thing in gc.get_objects())

    with helper(net), torch.no_grad():
        for _ in range(3):
            net(X)
        before = count_tensors()
        for _ in range(20):
            net(X)
        assert count_tensors() == before


class Waits(TorchDispatchMode):
    """Counts what makes the host wait for the device."""

    def __init__(self):
        super().__init__()
        self.count = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        name = func.overloadpacket._qualified_op_name
        self.count += name == "aten::_local_scalar_dense"
        return func(*args, **(kwargs or {}))


@pytest.mark.parametrize("helper", [d2l.record_activations, d2l.find_nonfinite])
def test_numbers_come_to_the_host_once_in_a_pass(helper, monkeypatch):
    copies = []
    to_list = torch.Tensor.tolist
    monkeypatch.setattr(
        torch.Tensor, "tolist", lambda x: copies.append(x.numel()) or to_list(x)
    )
    net = build(nn.Linear(4, 4), nn.Tanh())
    with Waits() as waits, helper(net), torch.no_grad():
        for _ in range(5):
            net(X)
    assert waits.count == 0
    assert len(copies) == 5
    assert len(set(copies)) <= 2  # the last one has the weights as well


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


def test_exception_outside_the_model_is_told_as_such():
    with pytest.raises(KeyError) as raised, d2l.record_activations(build()) as seen:
        raise KeyError("mine")
    assert "an exception outside its modules" in raised.value.__notes__[0]
    assert "The pass ended early" in str(seen.report)


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


# Coverage


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
