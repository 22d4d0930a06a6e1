"""What a Keras training needs to be interrupted and resumed.

Keras numbers its layers through the process, so the names of variables are
not the same after building anew. Here they are known by their position.
"""

import keras
import numpy as np

from d2l_support.resume.checkpoint import check_arrays
from d2l_support.resume.plain import widen
from d2l_support.resume.proof import make_prover
from d2l_support.resume.training import Saved, bind
from d2l_support.state.tensorflow import read_random_state, restore_random_state

prove_resume = make_prover("tensorflow")


def read_model(model: keras.Model) -> dict[str, np.ndarray]:
    """Copies of all weights, those that are not trained included.

    Not among them: the seed generators of layers that draw. These are random
    streams, see `save_random_state`.

    Returns:
        The arrays by position and last word of the name, for example "0.kernel".

    Source: section Saving and resuming random state.
    """
    return _read_variables(model.weights)


def restore_model(model: keras.Model, arrays: dict[str, np.ndarray]) -> None:
    """Copies arrays that `read_model` returned into the model.

    Raises:
        CheckpointError: They do not fit; the model has not been touched.
    """
    _restore_variables(model.weights, arrays, "model")


def read_optimizer(optimizer: keras.Optimizer) -> dict[str, np.ndarray]:
    """Copies of the moments that an optimizer keeps of each weight."""
    return _read_variables(_list_moments(optimizer))


def restore_optimizer(
    optimizer: keras.Optimizer, arrays: dict[str, np.ndarray]
) -> None:
    """Puts back what `read_optimizer` returned; the optimizer has to be built.

    Raises:
        CheckpointError: They do not fit; the optimizer has not been touched.
    """
    _restore_variables(_list_moments(optimizer), arrays, "optimizer")


def read_schedule(optimizer: keras.Optimizer) -> dict[str, np.ndarray]:
    """Where the learning rate is: the count of steps, and the rate if constant.

    A Keras schedule is a function of the optimizer's `iterations` and keeps
    nothing itself. Adam counts with the same number.
    """
    return _read_variables(_list_counters(optimizer))


def restore_schedule(optimizer: keras.Optimizer, arrays: dict[str, np.ndarray]) -> None:
    """Puts back what `read_schedule` returned.

    Raises:
        CheckpointError: They do not fit; the optimizer has not been touched.
    """
    _restore_variables(_list_counters(optimizer), arrays, "schedule")


def _list_counters(optimizer: keras.Optimizer) -> list[keras.Variable]:
    """The count of steps, and the learning rate where it is a variable."""
    names = ("iteration", "learning_rate")
    return [each for each in optimizer.variables if each.name in names]


def _list_moments(optimizer: keras.Optimizer) -> list[keras.Variable]:
    """All variables of an optimizer but those two."""
    counters = set(map(id, _list_counters(optimizer)))
    return [each for each in optimizer.variables if id(each) not in counters]


def _read_variables(variables: list[keras.Variable]) -> dict[str, np.ndarray]:
    """Copies of variables, by position and the last word of the name."""
    return {
        f"{index}.{each.name.rpartition('_')[2]}": widen(each.numpy())
        for index, each in enumerate(variables)
    }


def _restore_variables(
    variables: list[keras.Variable], arrays: dict[str, np.ndarray], what: str
) -> None:
    """Copies arrays into variables, once all are known to fit."""
    check_arrays(arrays, _read_variables(variables), what)
    for each, array in zip(variables, arrays.values(), strict=True):
        each.assign(array)


def list_items(
    model: keras.Model, optimizer: keras.Optimizer, loader: Saved, /, **named: object
) -> dict[str, Saved]:
    """What a checkpoint of a training has to keep, random streams last.

    Args:
        model: The model; its weights are kept.
        optimizer: Its moments and its count of steps are kept, one by one.
        loader: A loader that saves its position.
        **named: Generators of your own, as in `save_random_state`; give it
            `dropout=model` for the generators inside the model.
    """
    return {
        "model": bind(read_model, restore_model, model),
        "optimizer": bind(read_optimizer, restore_optimizer, optimizer),
        "scheduler": bind(read_schedule, restore_schedule, optimizer),
        "loader position": loader,
        "random streams": bind(read_random_state, restore_random_state, **named),
    }
