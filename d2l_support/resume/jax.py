"""What a JAX training with Flax NNX needs to be interrupted and resumed."""

import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx

from d2l_support.resume.checkpoint import check_arrays
from d2l_support.resume.plain import widen
from d2l_support.resume.proof import make_prover
from d2l_support.resume.training import Saved, bind
from d2l_support.state.jax import join_path, read_random_state, restore_random_state

prove_resume = make_prover("jax")


def read_model(model: nnx.Module) -> dict[str, np.ndarray]:
    """Copies of all variables of a module but its random streams, by path.

    Batch statistics are among them, and arrays that are plain attributes.
    The streams of layers that draw are left to `save_random_state`.

    Source: section Saving and resuming random state.
    """
    return _read_state(model, nnx.Not(nnx.RngState))


def restore_model(model: nnx.Module, arrays: dict[str, np.ndarray]) -> None:
    """Copies arrays that `read_model` returned into the module.

    Raises:
        CheckpointError: They do not fit; the module has not been touched.
    """
    _restore_state(model, nnx.Not(nnx.RngState), arrays, "model")


def read_optimizer(optimizer: nnx.Optimizer) -> dict[str, np.ndarray]:
    """Copies of the moments of an optimizer: its numbers that are not whole."""
    return _read_state(optimizer, _is_moment)


def restore_optimizer(optimizer: nnx.Optimizer, arrays: dict[str, np.ndarray]) -> None:
    """Puts back what `read_optimizer` returned.

    Raises:
        CheckpointError: They do not fit; the optimizer has not been touched.
    """
    _restore_state(optimizer, _is_moment, arrays, "optimizer")


def read_schedule(optimizer: nnx.Optimizer) -> dict[str, np.ndarray]:
    """Copies of the counts of an optimizer: its whole numbers.

    A schedule of optax is a function of a count that the optimizer keeps. A
    second count may correct the bias of the moments, as in Adam.
    """
    return _read_state(optimizer, nnx.Not(_is_moment))


def restore_schedule(optimizer: nnx.Optimizer, arrays: dict[str, np.ndarray]) -> None:
    """Puts back what `read_schedule` returned.

    Raises:
        CheckpointError: They do not fit; the optimizer has not been touched.
    """
    _restore_state(optimizer, nnx.Not(_is_moment), arrays, "schedule")


def _is_moment(path: tuple[object, ...], value: object) -> bool:
    """Whether a part of an optimizer's state is a number that is not whole."""
    return not jnp.issubdtype(_get_array(value).dtype, jnp.integer)


def _get_array(part: object) -> jax.Array:
    """The array in a variable, or an array that is a plain attribute."""
    return part.get_value() if isinstance(part, nnx.Variable) else jnp.asarray(part)


def _read_state(thing: object, which: object) -> dict[str, np.ndarray]:
    """Copies of the arrays in an NNX object that a filter lets through."""
    flat = nnx.to_flat_state(nnx.state(thing, which))
    return {join_path(path): widen(_get_array(part)) for path, part in flat}


def _restore_state(
    thing: object, which: object, arrays: dict[str, np.ndarray], what: str
) -> None:
    """Puts arrays into an NNX object, once all are known to fit."""
    check_arrays(arrays, _read_state(thing, which), what)
    flat = nnx.to_flat_state(nnx.state(thing, which))
    parts = [
        (path, jnp.asarray(arrays[join_path(path)], _get_array(part).dtype))
        for path, part in flat
    ]
    nnx.update(thing, nnx.from_flat_state(parts))


def list_items(
    model: nnx.Module, optimizer: nnx.Optimizer, loader: Saved, /, **named: object
) -> dict[str, Saved]:
    """What a checkpoint of a training has to keep, random streams last.

    Args:
        model: The model; all of its variables but random streams.
        optimizer: Its moments and its count of steps are kept, one by one.
        loader: A loader that saves its position.
        **named: Sources of your own, as in `save_random_state`; give it
            `dropout=model` for the streams inside the model.
    """
    return {
        "model": bind(read_model, restore_model, model),
        "optimizer": bind(read_optimizer, restore_optimizer, optimizer),
        "scheduler": bind(read_schedule, restore_schedule, optimizer),
        "loader position": loader,
        "random streams": bind(read_random_state, restore_random_state, **named),
    }
