"""Catching gradients on their way back, without changing them."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import jax
from jax import Array

Arrived = Callable[[Any], None]


@partial(jax.custom_vjp, nondiff_argnums=(0,))
def tap(arrived: Arrived, x: Any) -> Any:
    """The array itself; its gradient is shown to `arrived` and passed on.

    In an eager pass JAX runs the backward rule when the gradient is there, so
    that `arrived` is given values, in the order in which they come back.

    Args:
        arrived: Is called with the gradient, of x's shape and dtype.
        x: Floats of any shape, or a list of such arrays.
    """
    return x


def keep_nothing(arrived: Arrived, x: Any) -> tuple[Any, None]:
    """The forward half of the rule."""
    return x, None


def show_gradient(arrived: Arrived, kept: None, gradient: Any) -> tuple[Any]:
    """The backward half of the rule."""
    arrived(gradient)
    return (gradient,)


tap.defvjp(keep_nothing, show_gradient)


def try_tap(arrived: Arrived, x: Any) -> Any:
    """The tapped array; the array itself in forward mode, as under `jax.jvp`."""
    if isinstance(x, list) and not x:
        return x
    try:
        return tap(arrived, x)
    except TypeError:  # there, JAX allows no backward rule of one's own
        return x


def replace_leaves(thing: Any, new: Mapping[int, Array]) -> Any:
    """A nested output with other arrays in place of some of its own.

    Args:
        thing: What a module returned.
        new: By the id of an array in it, the array to put there.
    """
    if id(thing) in new:
        return new[id(thing)]
    if type(thing) in (list, tuple):
        return type(thing)(replace_leaves(part, new) for part in thing)
    if type(thing) is dict:
        return {key: replace_leaves(part, new) for key, part in thing.items()}
    return jax.tree.map(lambda leaf: new.get(id(leaf), leaf), thing)
