"""Runs a normalisation layer of PyTorch on NumPy arrays.

Answers are in float64, which holds every type here without loss.
"""

import numpy as np
import torch

TYPES = ("float64", "float32", "float16", "bfloat16")


def rounded(x: np.ndarray, dtype: str) -> np.ndarray:
    """What an array becomes in a type."""
    return torch.tensor(x).to(getattr(torch, dtype)).double().numpy()


def make(kind: type, x: np.ndarray, gain: np.ndarray, eps: float, dtype: str):
    """A layer for rows like these, its gain set, in a type."""
    layer = kind(x.shape[-1], eps).to(getattr(torch, dtype))
    with torch.no_grad():
        layer.gain.copy_(torch.tensor(gain))
    return layer


def run(layer, x: np.ndarray, dtype: str) -> tuple[np.ndarray, str]:
    """The layer's output and the name of its type."""
    with torch.no_grad():
        out = layer(torch.tensor(x).to(getattr(torch, dtype)))
    return out.double().numpy(), str(out.dtype).removeprefix("torch.")


def differentiate(layer, x: np.ndarray, v: np.ndarray, dtype: str) -> list[np.ndarray]:
    """The gradients of the input and of the gain, for one at the output."""
    rows = torch.tensor(x).to(getattr(torch, dtype)).requires_grad_()
    out = layer(rows)
    out.backward(torch.tensor(v).to(out.dtype))
    return [rows.grad.double().numpy(), layer.gain.grad.double().numpy()]
