"""The models and the ways of looking that `benchmarks.inspection` compares."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext

import torch
from torch import Tensor, nn

from d2l_support import pytorch as d2l

torch.set_num_threads(1)


class Residual(nn.Module):
    """x + Linear(ReLU(Linear(x)))."""

    def __init__(self, width: int):
        super().__init__()
        layers = nn.Linear(width, width), nn.ReLU(), nn.Linear(width, width)
        self.body = nn.Sequential(*layers)

    def forward(self, x: Tensor) -> Tensor:
        """The input and what the two layers make of it."""
        return x + self.body(x)


def build_stack(width: int, blocks: int, batch: int) -> tuple[nn.Module, Tensor]:
    """A residual stack, and a batch of inputs of shape (batch, 20)."""
    torch.manual_seed(0)
    body = (Residual(width) for _ in range(blocks))
    stack = nn.Sequential(nn.Linear(20, width), *body, nn.Linear(width, 10))
    return stack, torch.randn(batch, 20)


def check_by_hand(module: nn.Module, args: object, output: Tensor) -> None:
    """Asks at every module whether its output is finite."""
    if not torch.isfinite(output).all().item():
        print("not finite:", module)


def record_by_hand(module: nn.Module, args: object, output: Tensor) -> None:
    """Takes the five numbers of `record_activations`, one by one."""
    output = output.detach()
    zeros = (output == 0).float().mean()
    numbers = output.mean(), output.std(), output.min(), output.max(), zeros
    record = [number.item() for number in numbers]
    del record


def set_hooks(hook: Callable[..., None]) -> Callable[[nn.Module], object]:
    """A context manager in which every module has the hook."""

    @contextmanager
    def hooked(model: nn.Module) -> Iterator[None]:
        handles = [m.register_forward_hook(hook) for m in model.modules()]
        yield
        for handle in handles:
            handle.remove()

    return hooked


def run_forward(model: nn.Module, x: Tensor) -> None:
    """The work that is timed; it builds the graph, as in training."""
    model(x)


def run_step(model: nn.Module, x: Tensor) -> None:
    """A forward and a backward pass."""
    model.zero_grad()
    model(x).square().mean().backward()


SUBJECTS = {
    "residual stack, width 64, batch 256": lambda: build_stack(64, 8, 256),
    "wide stack, width 4096, batch 512": lambda: build_stack(4096, 1, 512),
}
PASSES = {
    "plain": nullcontext,
    "check by hand": set_hooks(check_by_hand),
    "record by hand": set_hooks(record_by_hand),
    "with find_nonfinite(net)": lambda model: d2l.find_nonfinite(model, backward=False),
    "with record_activations(net)": d2l.record_activations,
}
CALLS = {
    "find_nonfinite(net, X)": d2l.find_nonfinite,
    "record_activations(net, X)": d2l.record_activations,
}
STEPS = {
    "plain": nullcontext,
    "check by hand": set_hooks(check_by_hand),
    "with find_nonfinite(net)": d2l.find_nonfinite,
    "with gradient_norms(net)": d2l.gradient_norms,
    "with detect_anomaly()": lambda model: torch.autograd.detect_anomaly(),
}
