"""A pass that leaves no trace: random streams, buffers and gradients."""

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np
import torch
from torch import Tensor, nn

from d2l_support.streams import fingerprint, read_numpy_state, read_python_state


@contextmanager
def keep_state(model: nn.Module) -> Iterator[Callable[[], None]]:
    """Puts everything back that passes inside the block change.

    That is: the streams of torch (on the CPU and on the model's devices), of
    Python and of NumPy; the buffers of the model, such as running averages;
    the gradients of its parameters, which are None inside the block.

    Yields:
        A function that puts everything back at once, for another pass that
        starts as the first one did.
    """
    streams, buffers = read_streams(model), Buffers(model)
    parameters = [(p, p.grad) for p in model.parameters()]

    def rewind() -> None:
        set_streams(streams)
        buffers.restore()
        for parameter, _ in parameters:
            parameter.grad = None

    for parameter, _ in parameters:
        parameter.grad = None
    try:
        yield rewind
    finally:
        rewind()
        for parameter, gradient in parameters:
            parameter.grad = gradient


class Buffers:
    """The buffers of a model as they were: which tensors, with which values."""

    def __init__(self, model: nn.Module):
        self._kept = [
            (module, name, x, x.clone(), x._version)
            for module in model.modules()
            for name, x in module._buffers.items()
            if x is not None
        ]

    def restore(self) -> None:
        """Puts back each tensor, and its values if they were written to."""
        for at, (module, name, x, values, version) in enumerate(self._kept):
            module._buffers[name] = x
            if x._version != version:
                with torch.no_grad():
                    x.copy_(values)
                self._kept[at] = (module, name, x, values, x._version)


def read_streams(model: nn.Module) -> list[object]:
    """The states of the random streams that a pass may draw from."""
    devices = sorted({p.device.index for p in model.parameters() if p.is_cuda})
    cuda = {index: torch.cuda.get_rng_state(index) for index in devices}
    return [torch.get_rng_state(), cuda, random.getstate(), np.random.get_state()]


def set_streams(states: list[object]) -> None:
    """Puts the random streams back to these states."""
    cpu, cuda, python, numpy = states
    torch.set_rng_state(cpu)
    for index, state in cuda.items():
        torch.cuda.set_rng_state(state, index)
    random.setstate(python)
    np.random.set_state(numpy)


def digest_streams(model: nn.Module) -> dict[str, str]:
    """By name, the digest of each stream that a pass may draw from."""
    cpu, cuda, *_ = read_streams(model)
    states = {"Python random": read_python_state(), "NumPy global": read_numpy_state()}
    states["PyTorch cpu"] = cpu.numpy().tobytes()
    states |= {f"PyTorch cuda:{i}": s.numpy().tobytes() for i, s in cuda.items()}
    return {name: fingerprint(state) for name, state in states.items()}


def backpropagate(loss: Callable[[object], Tensor], output: object) -> None:
    """Runs the backward pass from what `loss` makes of a model's output.

    Raises:
        ValueError: That is not one number that depends on the model.
    """
    value = loss(output)
    if not isinstance(value, Tensor) or value.numel() != 1 or not value.requires_grad:
        shape = list(value.shape) if isinstance(value, Tensor) else None
        found = type(value).__name__ if shape is None else f"a tensor of shape {shape}"
        raise ValueError(
            f"found that loss(output) is {found}, expected one number with a "
            "gradient. Give for instance loss=lambda out: out.square().mean()."
        )
    value.backward()
