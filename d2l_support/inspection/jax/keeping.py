"""A pass that leaves no trace: random streams, running averages, attributes."""

import random
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import jax
import numpy as np
from flax import nnx

from d2l_support.inspection.jax.arrays import is_array, read_values
from d2l_support.inspection.jax.modules import walk_graph
from d2l_support.inspection.leaves import walk_leaves
from d2l_support.streams import fingerprint, read_numpy_state, read_python_state


@contextmanager
def keep_state(
    model: nnx.Module, inputs: tuple[object, ...], kwargs: Mapping[str, object] | None
) -> Iterator[Callable[[], None]]:
    """Puts everything back that passes inside the block change.

    That is: what the Variables of the model and of its inputs hold, such as
    running averages and the counts of random streams; the attributes of its
    modules; arrays of NumPy among the inputs; and the streams of Python and
    NumPy. Not put back is what lies outside the model, or in plain lists.

    Yields:
        A function that puts everything back at once, for another pass that
        starts as the first one did.

    Raises:
        ValueError: There are tracers in place of values.
    """
    given = (inputs, dict(kwargs or {}))
    check_values(model, given)
    held = Held(model, *inputs, *given[1].values())
    copies = [(x, x.copy()) for _, x in walk_given(given) if isinstance(x, np.ndarray)]
    streams = random.getstate(), np.random.get_state()

    def rewind() -> None:
        held.restore()
        for x, copy in copies:
            if x.flags.writeable:
                x[...] = copy
        random.setstate(streams[0])
        np.random.set_state(streams[1])

    try:
        yield rewind
    finally:
        rewind()


def walk_given(given: object) -> Iterator[tuple[str, Any]]:
    """The arrays among the inputs."""
    return ((path, x) for path, x in walk_leaves(given, is_array) if is_array(x))


def check_values(model: nnx.Module, given: object) -> None:
    """Refuses a model or inputs that hold tracers only."""
    held = (x for _, x in walk_graph(model) if isinstance(x, nnx.Variable))
    leaves = (*(x for _, x in walk_given(given)), *(x.get_raw_value() for x in held))
    if any(read_values(x) is None for x in leaves):
        raise ValueError(
            "found tracers in place of values, expected a model and inputs outside "
            "of any transform. Call the helper outside of nnx.jit, nnx.scan or "
            "nnx.vmap."
        )


class Held:
    """What some NNX objects hold: their attributes, and their Variables' values."""

    def __init__(self, *things: object):
        found = [part for thing in things for _, part in walk_graph(thing)]
        objects = {id(x): x for x in found if isinstance(x, nnx.Pytree)}
        variables = {id(x): x for x in found if isinstance(x, nnx.Variable)}
        self._attributes = [(x, dict(vars(x))) for x in objects.values()]
        self._values = [(x, x.get_raw_value()) for x in variables.values()]

    def restore(self) -> None:
        """Puts back what has changed."""
        for thing, attributes in self._attributes:
            own = vars(thing)
            if list(own) != list(attributes) or any(
                own[name] is not kept for name, kept in attributes.items()
            ):
                own.clear()
                own.update(attributes)
        for variable, value in self._values:
            if variable.get_raw_value() is not value:
                variable.set_raw_value(value)


def digest_streams(model: nnx.Module) -> dict[str, str]:
    """By name, the digest of each stream that a pass may draw from."""
    states = {"Python random": read_python_state(), "NumPy global": read_numpy_state()}
    for name, stream in walk_graph(model):
        if isinstance(stream, nnx.RngStream):
            key = jax.random.key_data(stream.key.get_raw_value())
            count = stream.count.get_raw_value()
            states[f"NNX {name}"] = (
                np.asarray(key).tobytes() + np.asarray(count).tobytes()
            )
    return {name: fingerprint(state) for name, state in states.items()}


def differentiate(
    model: nnx.Module,
    inputs: tuple[Any, ...],
    kwargs: Mapping[str, Any] | None,
    loss: Callable[[Any], Any],
) -> None:
    """Runs a model forward, and back from what `loss` makes of its output.

    Raises:
        ValueError: That is not one number that depends on the model.
    """

    def run(net: nnx.Module, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
        value = loss(net(*args, **named))
        check_loss(value)
        return value

    jax.block_until_ready(nnx.grad(run)(model, inputs, dict(kwargs or {})))


def check_loss(value: object) -> None:
    """Refuses a loss that is not one number that depends on the parameters."""
    scalar = isinstance(value, jax.Array) and not value.shape
    if scalar and isinstance(value, jax.core.Tracer):
        return
    found = type(value).__name__
    if isinstance(value, jax.Array):
        found = f"an array of shape {list(value.shape)}"
        found += " that depends on no Param" if scalar else ""
    raise ValueError(
        f"found that loss(output) is {found}, expected one number with a gradient. "
        "Give for instance loss=lambda out: (out ** 2).mean()."
    )
