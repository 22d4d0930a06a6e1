"""A training with everything that has to survive an interruption, in JAX.

Twelve examples in batches of four, so that an epoch has three steps. The
learning rate follows a cosine.
"""

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import nnx

from d2l_support import jax as d2l

# Made once, so that the step is compiled once for all trainings.
RULE = optax.sgd(optax.cosine_decay_schedule(0.1, 10), momentum=0.9)


class Network(nnx.Module):
    """A network with dropout and batch norm."""

    def __init__(self, rngs):
        self.hidden = nnx.Linear(4, 8, rngs=rngs)
        self.norm = nnx.BatchNorm(8, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)
        self.out = nnx.Linear(8, 1, rngs=rngs)

    def __call__(self, X):
        return self.out(self.drop(self.norm(nnx.relu(self.hidden(X)))))


@nnx.jit
def take_step(model, optimizer, X, y):
    def mean_squared_error(model):
        return jnp.mean((model(X) - y) ** 2)

    loss, grads = nnx.value_and_grad(mean_squared_error)(model)
    optimizer.update(model, grads)
    return loss


class Training:
    """A network with dropout and batch norm, momentum and a schedule."""

    def __init__(self, loader=d2l.StatefulLoader):
        self.model = Network(nnx.Rngs(0))
        self.optimizer = nnx.Optimizer(self.model, RULE, wrt=nnx.Param)
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(12, 4)), rng.normal(size=(12, 1))
        self.loader = loader((X, y), 4, jax.random.key(1))

    def step(self):
        X, y = self.loader.next_batch()
        return float(take_step(self.model, self.optimizer, X, y))

    def items(self):
        return d2l.list_items(
            self.model, self.optimizer, self.loader, dropout=self.model
        )

    def values(self):
        return d2l.read_model(self.model)


def build():
    return Training()


# Where an item shows first that was left out at step 4: the step, whether
# right after loading, and the value.
SHOWS = {
    "model": (4, True, "hidden/bias"),
    "optimizer": (5, False, "hidden/bias"),
    "scheduler": (5, False, "hidden/bias"),
    "loader position": (5, False, "loss"),
    "random streams": (5, False, "loss"),
}
PROOF = {}
