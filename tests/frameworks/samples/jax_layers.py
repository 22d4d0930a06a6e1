"""Runs a normalisation layer of Flax NNX on NumPy arrays.

Answers are in float64, which holds every type here without loss.
"""

import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx

TYPES = ("float64", "float32", "float16", "bfloat16")


def _cast(x: np.ndarray, dtype: str) -> jax.Array:
    return jnp.asarray(x).astype(dtype)


def rounded(x: np.ndarray, dtype: str) -> np.ndarray:
    """What an array becomes in a type."""
    with jax.enable_x64(True):
        return np.asarray(_cast(x, dtype).astype("float64"))


def make(kind: type, x: np.ndarray, gain: np.ndarray, eps: float, dtype: str):
    """A layer for rows like these, its gain set, in a type."""
    with jax.enable_x64(True):
        layer = kind(x.shape[-1], eps)
        layer.gain = nnx.Param(_cast(gain, dtype))
    return layer


def run(layer, x: np.ndarray, dtype: str) -> tuple[np.ndarray, str]:
    """The layer's output and the name of its type."""
    with jax.enable_x64(True):
        out = layer(_cast(x, dtype))
        return np.asarray(out.astype("float64")), str(out.dtype)


def differentiate(layer, x: np.ndarray, v: np.ndarray, dtype: str) -> list[np.ndarray]:
    """The gradients of the input and of the gain, for one at the output."""
    with jax.enable_x64(True):
        graph, state = nnx.split(layer)
        out, pull_back = jax.vjp(
            lambda state, rows: nnx.merge(graph, state)(rows), state, _cast(x, dtype)
        )
        of_state, of_rows = pull_back(_cast(v, out.dtype))
        grads = [of_rows, *jax.tree.leaves(of_state)]
        return [np.asarray(grad.astype("float64")) for grad in grads]
