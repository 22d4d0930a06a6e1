"""Keys and NNX streams: what there is, what it draws, and in which state."""

import jax
import jax.numpy as jnp
from flax import nnx

SAVE = {}


class Network(nnx.Module):
    """Two layers that draw, each from a stream of its own."""

    def __init__(self, rngs):
        self.one = nnx.Dropout(0.5, rngs=rngs)
        self.two = nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, X):
        return self.two(self.one(X))


def make_streams(seed):
    return {
        "key": jax.random.key(seed),
        "keys": jax.random.split(jax.random.key(seed), (2, 3)),
        "rbg": jax.random.key(seed, impl="rbg"),
        "rngs": nnx.Rngs(seed, dropout=seed + 1),
        "stream": nnx.Rngs(seed).split(2).default,
        "model": Network(nnx.Rngs(seed)),
    }


def draw(streams):
    streams["stream"].count[...] += 1
    drawn = (
        jax.random.normal(streams["key"], (2,)),
        jax.random.key_data(streams["keys"]),
        jax.random.key_data(streams["rbg"]),
        jax.random.key_data(streams["rngs"].dropout()),
        jax.random.key_data(streams["rngs"].params()),
        jax.random.key_data(streams["stream"].key[...]),
        streams["stream"].count[...],
        streams["model"](jnp.ones(8)),
    )
    return [part.tolist() for part in drawn]


def snapshot(streams):
    rngs, stream = streams["rngs"], streams["stream"]
    layers = streams["model"].one.rngs, streams["model"].two.rngs
    held = (rngs.default, rngs.dropout, stream, *layers)
    return [
        (jax.random.key_data(each.key[...]).tolist(), each.count[...].tolist())
        for each in held
    ]
