"""Runs a normalisation layer of Keras on NumPy arrays.

Answers are in float64, which holds every type here without loss.
"""

import numpy as np
import tensorflow as tf

TYPES = ("float64", "float32", "float16", "bfloat16")


def rounded(x: np.ndarray, dtype: str) -> np.ndarray:
    """What an array becomes in a type."""
    return tf.cast(x, dtype).numpy().astype("float64")


def make(kind: type, x: np.ndarray, gain: np.ndarray, eps: float, dtype: str):
    """A layer for rows like these, its gain set, in a type."""
    layer = kind(eps, dtype=dtype)
    layer.build(x.shape)
    layer.gain.assign(gain)
    return layer


def run(layer, x: np.ndarray, dtype: str) -> tuple[np.ndarray, str]:
    """The layer's output and the name of its type."""
    out = layer(tf.cast(x, dtype))
    return out.numpy().astype("float64"), out.dtype.name


def differentiate(layer, x: np.ndarray, v: np.ndarray, dtype: str) -> list[np.ndarray]:
    """The gradients of the input and of the gain, for one at the output."""
    rows = tf.cast(x, dtype)
    with tf.GradientTape() as tape:
        tape.watch(rows)
        out = layer(rows)
    grads = tape.gradient(out, [rows, layer.gain], tf.cast(v, out.dtype))
    return [grad.numpy().astype("float64") for grad in grads]
