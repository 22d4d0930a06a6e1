"""What PyTorch helpers keep of a pass, and what they put back after one."""

import gc
import weakref

import pytest
import torch
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode

from d2l_support import pytorch as d2l

X = torch.linspace(-1, 1, 12).reshape(3, 4)


def build(*more):
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(4, 4), nn.ReLU(), *more, nn.Linear(4, 2))


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


# What a call puts back, and what it cannot


def test_inputs_that_a_module_writes_to_are_put_back():
    net, x = nn.Sequential(nn.ReLU(inplace=True), nn.Linear(4, 2)), X.clone()
    d2l.record_activations(net, x)
    assert torch.equal(x, X)


def test_buffers_that_are_replaced_are_put_back():
    class Replaces(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("count", torch.zeros(()))

        def forward(self, x):
            self.count = self.count + 1
            return x

    net = Replaces()
    count = net.count
    d2l.record_activations(net, X)
    assert net.count is count


def test_graph_that_saved_a_buffer_is_still_good():
    net = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4)).eval()
    output = net(X)
    d2l.record_activations(net, X)
    output.sum().backward()


def test_input_with_a_graph_behind_it_is_refused():
    x = X.clone().requires_grad_() * 2
    with pytest.raises(ValueError, match=r"found an input that was computed.*detach"):
        d2l.gradient_norms(build(), x, loss=torch.sum)
    assert d2l.record_activations(build(), x)["0"].std > 0


def test_lazy_layers_are_refused_until_they_have_a_shape():
    net = nn.Sequential(nn.LazyLinear(4), nn.LazyBatchNorm1d())
    message = r"found that 0\.weight gets its shape from the first call.*Call it once"
    with pytest.raises(ValueError, match=message):
        d2l.record_activations(net, X)
    net(X)
    assert d2l.record_activations(net, X)["0"].std > 0


def test_optimizer_inside_the_backward_pass_is_refused():
    net = build()
    net[0].weight.register_post_accumulate_grad_hook(lambda p: None)
    with pytest.raises(
        ValueError, match=r"a hook on 0\.weight that runs once its grad"
    ):
        d2l.gradient_norms(net, X, loss=torch.sum)
    with d2l.gradient_norms(net) as seen:
        net(X).sum().backward()
    assert seen.report["0.weight"].norm > 0
