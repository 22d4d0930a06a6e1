"""What a PyTorch training needs to be interrupted and resumed."""

import numpy as np
import torch
from torch import nn
from torch.optim import Optimizer
from torch.optim.lr_scheduler import LRScheduler

from d2l_support.resume.checkpoint import check_arrays
from d2l_support.resume.proof import make_prover
from d2l_support.resume.training import Saved, bind
from d2l_support.state.pytorch import read_random_state, restore_random_state

prove_resume = make_prover("pytorch")


def read_model(model: nn.Module) -> dict[str, np.ndarray]:
    """Copies of all parameters and persistent buffers, by name.

    Not among them: gradients, buffers registered with `persistent=False`,
    and whether the model is in training mode.

    Source: section Saving and resuming random state.
    """
    state = model.state_dict()
    return {name: _to_array(tensor) for name, tensor in state.items()}


def restore_model(model: nn.Module, arrays: dict[str, np.ndarray]) -> None:
    """Copies arrays that `read_model` returned into the model.

    Raises:
        CheckpointError: They do not fit; the model has not been touched.
    """
    state = model.state_dict()
    check_arrays(arrays, read_model(model), "model")
    with torch.no_grad():
        for name, tensor in state.items():
            tensor.copy_(_to_tensor(arrays[name]))


def read_optimizer(optimizer: Optimizer) -> dict[str, object]:
    """The moments that an optimizer keeps of each parameter, and its settings.

    Returns:
        "state": for each parameter, by position, its moments as arrays;
        "groups": the settings of each parameter group, its learning rate too.
    """
    whole = optimizer.state_dict()
    state = {
        index: {name: _to_array(part) for name, part in moments.items()}
        for index, moments in whole["state"].items()
    }
    return {"state": state, "groups": whole["param_groups"]}


def restore_optimizer(optimizer: Optimizer, data: dict[str, object]) -> None:
    """Puts back what `read_optimizer` returned.

    Raises:
        ValueError: The optimizer has other parameter groups.
    """
    state = {
        index: {name: _to_tensor(part) for name, part in moments.items()}
        for index, moments in data["state"].items()
    }
    whole = {"state": state, "param_groups": data["groups"]}
    optimizer.load_state_dict(whole)


def read_schedule(scheduler: LRScheduler) -> dict[str, object]:
    """Where a learning rate scheduler is; functions it was given are left out."""
    return scheduler.state_dict()


def restore_schedule(scheduler: LRScheduler, data: dict[str, object]) -> None:
    """Puts back what `read_schedule` returned."""
    scheduler.load_state_dict(data)


def _to_array(part: object) -> object:
    """A copy of a tensor as an array; what is no tensor stays as it is.

    NumPy has no bfloat16; float32 holds all of its numbers exactly.
    """
    if not isinstance(part, torch.Tensor):
        return part
    part = part.detach().cpu()
    exact = part.float() if part.dtype == torch.bfloat16 else part
    return exact.numpy().copy()


def _to_tensor(part: object) -> object:
    """An array as a tensor of its own; what is no array stays as it is."""
    return torch.tensor(part) if isinstance(part, np.ndarray) else part


def list_items(
    model: nn.Module,
    optimizer: Optimizer,
    scheduler: LRScheduler,
    loader: Saved,
    **named: object,
) -> dict[str, Saved]:
    """What a checkpoint of a training has to keep, random streams last.

    Args:
        model: The model; its weights and persistent buffers are kept.
        optimizer: Its moments and settings are kept.
        scheduler: Its count of steps is kept.
        loader: One of the two loaders above; its position is kept.
        **named: Generators of your own, as in `save_random_state`.
    """
    return {
        "model": bind(read_model, restore_model, model),
        "optimizer": bind(read_optimizer, restore_optimizer, optimizer),
        "scheduler": bind(read_schedule, restore_schedule, scheduler),
        "loader position": loader,
        "random streams": bind(read_random_state, restore_random_state, **named),
    }
