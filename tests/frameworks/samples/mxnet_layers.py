"""Runs a normalisation layer of Gluon on NumPy arrays.

Answers are in float64, which holds every type here without loss. MXNet makes
no bfloat16 array from Python.
"""

import numpy as np
from mxnet import autograd
from mxnet import np as mnp

TYPES = ("float64", "float32", "float16")


def _cast(x: np.ndarray, dtype: str):
    return mnp.array(x, dtype="float64").astype(dtype)


def rounded(x: np.ndarray, dtype: str) -> np.ndarray:
    """What an array becomes in a type."""
    return np.asarray(x).astype(dtype).astype("float64")


def make(kind: type, x: np.ndarray, gain: np.ndarray, eps: float, dtype: str):
    """A layer for rows like these, its gain set, in a type."""
    layer = kind(x.shape[-1], eps)
    layer.initialize()
    layer.cast(dtype)
    layer.gain.set_data(_cast(gain, dtype))
    return layer


def run(layer, x: np.ndarray, dtype: str) -> tuple[np.ndarray, str]:
    """The layer's output and the name of its type."""
    out = layer(_cast(x, dtype))
    return out.asnumpy().astype("float64"), str(np.dtype(out.dtype))


def differentiate(layer, x: np.ndarray, v: np.ndarray, dtype: str) -> list[np.ndarray]:
    """The gradients of the input and of the gain, for one at the output."""
    rows = _cast(x, dtype)
    rows.attach_grad()
    with autograd.record():
        out = layer(rows)
    out.backward(_cast(v, out.dtype))
    grads = [rows.grad, layer.gain.grad()]
    return [grad.asnumpy().astype("float64") for grad in grads]
