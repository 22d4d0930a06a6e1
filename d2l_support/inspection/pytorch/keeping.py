"""A pass that leaves no trace: random streams, buffers and gradients."""

import random
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.parameter import is_lazy

from d2l_support.inspection.leaves import walk_leaves
from d2l_support.inspection.pytorch.tensors import find_obstacle, is_tensor
from d2l_support.streams import fingerprint, read_numpy_state, read_python_state


@contextmanager
def keep_state(
    model: nn.Module, inputs: tuple[object, ...], kwargs: Mapping[str, object] | None
) -> Iterator[Callable[[], None]]:
    """Puts everything back that passes inside the block change.

    That is: the streams of torch (on the CPU and on the model's devices), of
    Python and of NumPy; the buffers of the model, such as running averages;
    the inputs, which a module may write to; and the gradients of both, which
    are None inside the block. Not put back is what else a module remembers,
    and the gradient of a tensor that only the loss knows.

    Yields:
        A function that puts everything back at once, for another pass that
        starts as the first one did.

    Raises:
        ValueError: The model gets its shapes from its first call.
    """
    check_shapes(model)
    given = list_tensors((inputs, kwargs))
    streams, buffers = read_streams(model), Buffers(model)
    copies = [(x, x._version, x.detach().clone()) for x in given if is_counted(x)]
    gradients = [(x, x.grad) for x in (*model.parameters(), *given) if x.is_leaf]

    def rewind() -> None:
        set_streams(streams)
        buffers.restore()
        for x, version, copy in copies:
            if x._version != version:
                x.data.copy_(copy)
        for x, _ in gradients:
            x.grad = None

    for x, _ in gradients:
        x.grad = None
    try:
        yield rewind
    finally:
        rewind()
        for x, gradient in gradients:
            x.grad = gradient


def list_tensors(thing: object) -> list[Tensor]:
    """The tensors in a nested value."""
    return [x for _, x in walk_leaves(thing, is_tensor) if is_tensor(x)]


def check_shapes(model: nn.Module) -> None:
    """Refuses a model whose parameters a first call would make."""
    for name, p in model.named_parameters():
        if is_lazy(p):
            raise ValueError(
                f"found that {name} gets its shape from the first call, expected a "
                "model that has been called. Call it once, then look into it."
            )


def is_counted(x: Tensor) -> bool:
    """Whether the tensor has plain values, and counts how often it is written."""
    return not x.is_inference() and not find_obstacle(x)


class Buffers:
    """The buffers of a model as they were: which tensors, with which values."""

    def __init__(self, model: nn.Module):
        self._kept = [
            (module, name, x, x.clone())
            for module in model.modules()
            for name, x in module._buffers.items()
            if x is not None
        ]

    def restore(self) -> None:
        """Puts back each tensor and its values.

        Batch norm writes its averages without counting it as a write, so all
        of them are written; through `.data`, which is not counted either, so
        that a graph that has saved one of them is still good.
        """
        for module, name, x, values in self._kept:
            module._buffers[name] = x
            with torch.inference_mode(x.is_inference()):
                x.data.copy_(values)


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


def backpropagate(loss: Callable[[Any], Tensor], output: object) -> None:
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


def check_effects(model: nn.Module, given: object) -> None:
    """Refuses what a backward pass would change outside the model's gradients."""
    for name, p in model.named_parameters():
        if getattr(p, "_post_accumulate_grad_hooks", None):
            raise ValueError(
                f"found a hook on {name} that runs once its gradient is there, "
                "perhaps an optimizer's step, expected a pass without effects. "
                "Watch a pass of your own: with d2l.gradient_norms(net) as seen: ..."
            )
    if any(x.grad_fn is not None for x in list_tensors(given)):
        raise ValueError(
            "found an input that was computed from something with a gradient, "
            "expected one with nothing behind it. Give x.detach() in its place."
        )
