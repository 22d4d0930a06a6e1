"""What a Gluon training needs to be interrupted and resumed.

The trainer's own `save_states` writes pickle, which can run code when it is
read. Here its moments, counts and schedule are read out of the pinned
release, where they have no public reader.
"""

from functools import partial

import mxnet as mx
import numpy as np
from mxnet import gluon

from d2l_support.resume.checkpoint import CheckpointError, check_arrays
from d2l_support.resume.proof import make_prover
from d2l_support.resume.training import Item, Saved, bind
from d2l_support.state.mxnet import read_random_state, restore_random_state

NOTE = (
    "The state of MXNet's own stream cannot be read, so it is not among what is "
    "compared: saving seeds it anew."
)
prove_resume = make_prover("mxnet", NOTE)
# What an optimizer's state can be: nothing, an array, or several of these.
State = mx.nd.NDArray | list | tuple | None


def read_model(net: gluon.Block) -> dict[str, np.ndarray]:
    """Copies of all parameters, running statistics included, by name.

    Source: section Saving and resuming random state.
    """
    parameters = net.collect_params().items()
    return {name: each.data().asnumpy() for name, each in parameters}


def restore_model(net: gluon.Block, arrays: dict[str, np.ndarray]) -> None:
    """Copies arrays that `read_model` returned into the net.

    Parameters that still wait for the shape of their input get it from here,
    and draw no initial weights any more.

    Raises:
        CheckpointError: They do not fit; the net has not been touched.
    """
    parameters = net.collect_params()
    expected = {
        name: _make_like(each, arrays.get(name)) for name, each in parameters.items()
    }
    check_arrays(arrays, expected, "model")
    for name, each in parameters.items():
        each.set_data(mx.np.array(arrays[name], dtype=arrays[name].dtype))
        each._finish_deferred_init()


def _make_like(parameter: gluon.Parameter, array: object) -> np.ndarray:
    """An array as the parameter needs it; sizes it does not know are free."""
    shape = [max(size, 0) for size in parameter.shape]
    if isinstance(array, np.ndarray) and array.ndim == len(shape):
        shape = [size or given for size, given in zip(shape, array.shape, strict=True)]
    return np.empty(shape, parameter.dtype)


def read_optimizer(trainer: gluon.Trainer) -> dict[str, object]:
    """Copies of the moments that a trainer keeps of each parameter.

    Returns:
        By the parameter's position: None, an array, or a list of these.
    """
    states = _find_updater(trainer).states
    return {str(index): _to_plain(state) for index, state in states.items()}


def restore_optimizer(trainer: gluon.Trainer, moments: dict[str, object]) -> None:
    """Puts back what `read_optimizer` returned; the net comes first.

    Raises:
        CheckpointError: The moments do not fit.
    """
    updater = _find_updater(trainer)
    updater.states.clear()
    for index, part in moments.items():
        weight = trainer._params[int(index)].data().as_nd_ndarray()
        state = trainer.optimizer.create_state_multi_precision(int(index), weight)
        _fill(state, part, index)
        updater.states[int(index)] = state
        updater.states_synced[int(index)] = True


def read_schedule(trainer: gluon.Trainer) -> dict[str, object]:
    """Where the learning rate is: the counts of updates and the schedule.

    Some schedules of MXNet change as they are asked, so all they hold is kept.
    """
    optimizer = trainer.optimizer
    schedule = optimizer.lr_scheduler
    return {
        "updates": optimizer.num_update,
        "counts": optimizer._all_index_update_counts,
        "rate": optimizer.lr,
        "schedule": None if schedule is None else dict(vars(schedule)),
    }


def restore_schedule(trainer: gluon.Trainer, data: dict[str, object]) -> None:
    """Puts back what `read_schedule` returned."""
    optimizer = trainer.optimizer
    optimizer.num_update = data["updates"]
    for device, counts in data["counts"].items():
        optimizer._all_index_update_counts[device] = counts
    optimizer._set_current_device(0)
    optimizer.lr = data["rate"]
    if optimizer.lr_scheduler is not None:
        vars(optimizer.lr_scheduler).update(data["schedule"])


def _find_updater(trainer: gluon.Trainer) -> object:
    """What holds the moments, if there is one device and no server."""
    updaters = trainer._updaters
    if len(updaters) != 1 or trainer._update_on_kvstore:
        raise CheckpointError(
            f"trainer: found {len(updaters)} sets of moments, or some kept by a "
            "server, expected one on one device. Train on one device, or use "
            "the trainer's save_states, which writes pickle."
        )
    return updaters[0]


def _to_plain(state: State) -> object:
    """Copies of the arrays in an optimizer's state; a tuple becomes a list."""
    if isinstance(state, mx.nd.NDArray):
        return state.asnumpy()
    return None if state is None else [_to_plain(part) for part in state]


def _fill(state: State, data: object, index: str) -> None:
    """Copies arrays into an optimizer's fresh state, if they fit."""
    if isinstance(state, mx.nd.NDArray) and isinstance(data, np.ndarray):
        check_arrays({index: data}, {index: state.asnumpy()}, "optimizer")
        state[:] = mx.nd.array(data, dtype=data.dtype)
    elif isinstance(state, list | tuple) and isinstance(data, list):
        for part, piece in zip(state, data, strict=True):
            _fill(part, piece, index)
    elif state is not None or data is not None:
        raise CheckpointError(
            f"optimizer: found for {index} {type(data).__name__}, expected "
            f"{type(state).__name__}. Use the optimizer that was saved."
        )


def list_items(
    net: gluon.Block,
    trainer: gluon.Trainer,
    loader: Saved,
    reseed: int,
    /,
    **named: object,
) -> dict[str, Saved]:
    """What a checkpoint of a training has to keep, random streams last.

    Args:
        net: The net; its parameters are kept.
        trainer: Its moments and its schedule are kept, one by one.
        loader: A loader that saves its position.
        reseed: Added to the count of updates, it is what MXNet is seeded
            with when the streams are saved and when they are loaded.
        **named: Generators of your own, as in `save_random_state`.
    """

    def read_streams() -> dict[str, object]:
        seed = reseed + trainer.optimizer.num_update
        return read_random_state(reseed=seed, **named)

    return {
        "model": bind(read_model, restore_model, net),
        "optimizer": bind(read_optimizer, restore_optimizer, trainer),
        "scheduler": bind(read_schedule, restore_schedule, trainer),
        "loader position": loader,
        "random streams": Item(read_streams, partial(restore_random_state, **named)),
    }
