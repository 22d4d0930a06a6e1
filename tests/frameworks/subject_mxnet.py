"""What the shared tests of the inspection helpers look into: MXNet."""

import hashlib
import random

import mxnet as mx
import numpy as np
from mxnet import autograd
from mxnet.base import _LIB
from mxnet.gluon import nn

# The published spread of the ten stages of the stack, and the faulty block.
SPREAD = [0.68, 0.83, 1.03, 1.21, 1.46, 1.83, 2.28, 2.75, 3.43, 4.41]
STAGES = [str(stage) for stage in range(10)]
FIRST = "3.body.1"
FIRST_COUNTS = (256, 0, 0)  # NaN, +inf, -inf: one feature of each example
FAULTY = "Boom"
MODULES = 43
NO_WATCH = None  # or what the error says where passes cannot be watched


class Residual(nn.HybridBlock):
    """x + Dense(ReLU(Dense(x)))."""

    def __init__(self, width):
        super().__init__()
        self.body = nn.HybridSequential()
        self.body.add(nn.Dense(width, activation="relu"), nn.Dense(width))

    def forward(self, x):
        return x + self.body(x)


class Boom(nn.HybridBlock):
    """Raises."""

    def forward(self, x):
        raise RuntimeError("boom")


def chain(*layers):
    """The layers one after another."""
    net = nn.HybridSequential()
    net.add(*layers)
    return net


def build_stack():
    """The residual stack and its probe batch, from seed 0.

    The weights are drawn at the first call, after the batch.
    """
    mx.np.random.seed(0)
    stack = chain(nn.Dense(64), *(Residual(64) for _ in range(8)), nn.Dense(10))
    stack.initialize(mx.init.Xavier())
    x = mx.np.random.normal(size=(256, 20))
    stack(x)
    return stack, x


def build_faulty():
    """A model whose second layer raises, and an input."""
    net = chain(nn.Dense(4, in_units=4), chain(Boom()))
    net.initialize()
    return net, mx.np.random.normal(size=(3, 4))


def build_noisy():
    """A model that draws and has running averages in training mode."""
    mx.np.random.seed(0)
    net = chain(nn.Dense(8), nn.BatchNorm(), nn.Dropout(0.5), nn.Dense(2))
    net.initialize()
    x = mx.np.random.normal(size=(6, 4))
    net(x)
    return net, x


def poison(stack):
    """Puts one NaN into the second dense layer of block 3.

    The first one's would be hidden: with oneDNN, its ReLU turns NaN into 0.
    """
    stack[3].body[1].weight.data()[5, 7] = float("nan")


def nudge(stack):
    """Changes one weight of the same layer a little."""
    weight = stack[3].body[1].weight.data()
    weight[5, 7] = weight[5, 7] + 1e-3


def loss(output):
    """The mean squared output."""
    return (output**2).mean()


def run(model, x):
    """The bytes of the model's output and gradients in training mode."""
    with autograd.record():
        output = model(x)
    output.backward()
    gradients = [p.grad().asnumpy().tobytes() for p in list_learned(model)]
    return output.asnumpy().tobytes(), gradients


def list_learned(model):
    """The parameters that gather gradients."""
    return [p for p in model.collect_params().values() if p.grad_req != "null"]


def list_hooks(model):
    """How many hooks of each kind there are, and what runs backward passes."""
    counts = []
    model.apply(
        lambda b: counts.append((len(b._forward_hooks), len(b._forward_pre_hooks)))
    )
    return counts, _LIB.MXAutogradBackwardEx.__name__


def fingerprint(model):
    """A digest of all that a helper must leave as it is, but MXNet's stream."""
    state = hashlib.sha256()
    for name, p in sorted(model.collect_params().items()):
        state.update(name.encode() + p.data().asnumpy().tobytes())
        state.update(p.grad_req.encode() + bytes([p.data()._fresh_grad]))
    for p in list_learned(model):
        state.update(p.grad().asnumpy().tobytes())
    state.update(repr((autograd.is_training(), autograd.is_recording())).encode())
    state.update(repr(random.getstate()).encode())
    state.update(np.random.get_state()[1].tobytes())
    return state.hexdigest()
