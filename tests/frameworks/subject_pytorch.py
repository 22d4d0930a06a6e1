"""What the shared tests of the inspection helpers look into: PyTorch."""

import hashlib
import random

import numpy as np
import torch
from torch import nn
from torch.nn.modules import module as nn_module

# The published spread of the ten stages of the stack, and the faulty module.
SPREAD = [0.60, 0.62, 0.66, 0.68, 0.69, 0.72, 0.74, 0.77, 0.78, 0.48]
STAGES = [str(stage) for stage in range(10)]
FIRST = "3.body.0"
FIRST_COUNTS = (256, 0, 0)  # NaN, +inf, -inf: one feature of each example
FAULTY = "Boom"
MODULES = 43
NO_WATCH = None  # or what the error says where passes cannot be watched


class Residual(nn.Module):
    """x + Linear(ReLU(Linear(x)))."""

    def __init__(self, width):
        super().__init__()
        layers = nn.Linear(width, width), nn.ReLU(), nn.Linear(width, width)
        self.body = nn.Sequential(*layers)

    def forward(self, x):
        return x + self.body(x)


class Boom(nn.Module):
    """Raises."""

    def forward(self, x):
        raise RuntimeError("boom")


def build_stack():
    """The residual stack and its probe batch, from seed 0."""
    torch.manual_seed(0)
    layers = [nn.Linear(20, 64), *(Residual(64) for _ in range(8)), nn.Linear(64, 10)]
    stack = nn.Sequential(*layers)
    return stack, torch.randn(256, 20)


def build_faulty():
    """A model whose second layer raises, and an input."""
    return nn.Sequential(nn.Linear(4, 4), nn.Sequential(Boom())), torch.randn(3, 4)


def build_noisy():
    """A model in training mode that draws and has running averages."""
    torch.manual_seed(0)
    layers = nn.Linear(4, 8), nn.BatchNorm1d(8), nn.Dropout(0.5), nn.Linear(8, 2)
    return nn.Sequential(*layers).train(), torch.randn(6, 4)


def poison(stack):
    """Puts one NaN into the first linear layer of block 3."""
    with torch.no_grad():
        stack[3].body[0].weight[5, 7] = float("nan")


def nudge(stack):
    """Changes one weight of the same layer a little."""
    with torch.no_grad():
        stack[3].body[0].weight[5, 7] += 1e-3


def loss(output):
    """The mean squared output."""
    return output.square().mean()


def run(model, x):
    """The bytes of the model's output."""
    return model(x).detach().numpy().tobytes()


def list_hooks(model):
    """How many hooks of each kind there are anywhere."""
    own = [
        len(getattr(module, kind))
        for module in model.modules()
        for kind in ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks")
    ]
    everywhere = [
        len(hooks)
        for name, hooks in vars(nn_module).items()
        if name.startswith("_global") and isinstance(hooks, dict)
    ]
    tensors = [len(p._backward_hooks or ()) for p in model.parameters()]
    after = [len(p._post_accumulate_grad_hooks or ()) for p in model.parameters()]
    return own, everywhere, tensors, after


def fingerprint(model):
    """A digest of all that a helper must leave as it is."""
    state = hashlib.sha256()
    for name, x in sorted(model.state_dict().items()):
        state.update(name.encode() + x.numpy().tobytes())
    for p in model.parameters():
        state.update(b"none" if p.grad is None else p.grad.numpy().tobytes())
    state.update(repr([m.training for m in model.modules()]).encode())
    state.update(torch.get_rng_state().numpy().tobytes())
    state.update(repr(random.getstate()).encode())
    state.update(np.random.get_state()[1].tobytes())
    return state.hexdigest()
