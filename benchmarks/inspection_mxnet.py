"""The models and the ways of looking that `benchmarks.inspection` compares.

MXNet queues its work, so each way ends by waiting for all of it. It has no
mode of its own that checks for NaN.
"""

import os

os.environ["OMP_NUM_THREADS"] = "1"  # read once, when MXNet is imported

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext

import mxnet as mx
from mxnet import autograd
from mxnet.gluon import Block, nn

from d2l_support import mxnet as d2l

Array = mx.np.ndarray


class Residual(nn.HybridBlock):
    """x + Dense(ReLU(Dense(x)))."""

    def __init__(self, width: int):
        super().__init__()
        self.body = nn.HybridSequential()
        self.body.add(nn.Dense(width, activation="relu"), nn.Dense(width))

    def forward(self, x: Array) -> Array:
        """The input and what the two layers make of it."""
        return x + self.body(x)


def build_stack(width: int, blocks: int, batch: int) -> tuple[Block, Array]:
    """A residual stack, and a batch of inputs of shape (batch, 20)."""
    mx.np.random.seed(0)
    stack = nn.HybridSequential()
    stack.add(nn.Dense(width), *(Residual(width) for _ in range(blocks)), nn.Dense(10))
    stack.initialize(mx.init.Xavier())
    x = mx.np.random.normal(size=(batch, 20))
    stack(x)
    return stack, x


def check_by_hand(block: Block, args: object, output: Array) -> None:
    """Asks at every block whether its output is finite."""
    if not mx.np.isfinite(output).all().item():
        print("not finite:", block)


def record_by_hand(block: Block, args: object, output: Array) -> None:
    """Takes the five numbers of `record_activations`, one by one."""
    zeros = (output == 0).mean()
    numbers = output.mean(), output.std(), output.min(), output.max(), zeros
    record = [number.item() for number in numbers]
    del record


def set_hooks(hook: Callable[..., None]) -> Callable[[Block], object]:
    """A context manager in which every block has the hook."""

    @contextmanager
    def hooked(model: Block) -> Iterator[None]:
        handles: list[object] = []
        model.apply(lambda b: handles.append(b.register_forward_hook(hook)))
        yield
        for handle in handles:
            handle.detach()

    return hooked


def run_forward(model: Block, x: Array) -> None:
    """The work that is timed; it builds the graph, as in training."""
    with autograd.record():
        model(x)
    mx.nd.waitall()


def run_step(model: Block, x: Array) -> None:
    """A forward and a backward pass."""
    with autograd.record():
        loss = (model(x) ** 2).mean()
    loss.backward()
    mx.nd.waitall()


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
}
