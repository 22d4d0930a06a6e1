"""What the shared tests of the inspection helpers look into: JAX with NNX."""

import hashlib
import random

import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx

from d2l_support.inspection.jax.modules import walk_graph
from d2l_support.inspection.jax.wrapping import list_wrapped

# The published spread of the ten stages of the stack, and the faulty module.
SPREAD = [0.99, 1.23, 1.50, 1.78, 2.15, 2.75, 3.26, 3.90, 4.33, 4.27]
STAGES = [f"layers.{stage}" for stage in range(10)]
FIRST = "layers.3.body.layers.0"
FIRST_COUNTS = (256, 0, 0)  # NaN, +inf, -inf: one feature of each example
FAULTY = "Boom"
MODULES = 35
NO_WATCH = None  # or what the error says where passes cannot be watched


class Residual(nnx.Module):
    """x + Linear(relu(Linear(x)))."""

    def __init__(self, width, rngs):
        self.body = nnx.Sequential(
            nnx.Linear(width, width, rngs=rngs),
            nnx.relu,
            nnx.Linear(width, width, rngs=rngs),
        )

    def __call__(self, x):
        return x + self.body(x)


class Boom(nnx.Module):
    """Raises."""

    def __call__(self, x):
        raise RuntimeError("boom")


def build_stack():
    """The residual stack and its probe batch."""
    rngs = nnx.Rngs(0)
    layers = [nnx.Linear(20, 64, rngs=rngs)]
    layers += [Residual(64, rngs) for _ in range(8)]
    layers += [nnx.Linear(64, 10, rngs=rngs)]
    x = jax.random.normal(jax.random.key(1), (256, 20))
    return nnx.Sequential(*layers), x


def build_faulty():
    """A model whose second layer raises, and an input."""
    linear = nnx.Linear(4, 4, rngs=nnx.Rngs(0))
    return nnx.Sequential(linear, nnx.Sequential(Boom())), jnp.ones((3, 4))


def build_noisy():
    """A model in training mode that draws and has running averages."""
    rngs = nnx.Rngs(0)
    model = nnx.Sequential(
        nnx.Linear(4, 8, rngs=rngs),
        nnx.BatchNorm(8, rngs=rngs),
        nnx.Dropout(0.5, rngs=rngs),
        nnx.Linear(8, 2, rngs=rngs),
    )
    model.train()
    return model, jax.random.normal(jax.random.key(1), (6, 4))


def poison(stack):
    """Puts one NaN into the first linear layer of block 3."""
    kernel = stack.layers[3].body.layers[0].kernel
    kernel[...] = kernel[...].at[7, 5].set(jnp.nan)


def nudge(stack):
    """Changes one weight of the same layer a little."""
    kernel = stack.layers[3].body.layers[0].kernel
    kernel[...] = kernel[...].at[7, 5].add(1e-3)


def loss(output):
    """The mean squared output."""
    return (output**2).mean()


def run(model, x):
    """The bytes of the model's output."""
    return np.asarray(model(x)).tobytes()


def list_hooks(model):
    """The classes that are wrapped, and all attributes of the modules."""
    own = [sorted(vars(m)) for _, m in walk_graph(model) if isinstance(m, nnx.Module)]
    calls = [m.__call__.__func__ for _, m in nnx.iter_modules(model) if callable(m)]
    return list_wrapped(), own, calls


def fingerprint(model):
    """A digest of all that a helper must leave as it is."""
    state = hashlib.sha256()
    for name, x in walk_graph(model):
        if isinstance(x, nnx.Variable):
            raw = x.get_raw_value()
            if jnp.issubdtype(raw.dtype, jax.dtypes.prng_key):
                raw = jax.random.key_data(raw)
            state.update(name.encode() + np.asarray(raw).tobytes())
    state.update(str(nnx.graphdef(model)).encode())
    state.update(repr(random.getstate()).encode())
    state.update(np.random.get_state()[1].tobytes())
    return state.hexdigest()
