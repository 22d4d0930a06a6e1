"""A pass that leaves no trace: averages, inputs, gradients, and streams.

MXNet has no call that reads or sets the state of its own random stream. So a
pass that draws from it cannot be undone, and is refused where it is foreseen.
"""

import random
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
from mxnet import autograd
from mxnet.gluon import Block, nn, rnn

from d2l_support.inspection.leaves import walk_leaves
from d2l_support.inspection.mxnet.arrays import Array, find_obstacle, is_array
from d2l_support.inspection.mxnet.blocks import Places, list_arrays
from d2l_support.inspection.mxnet.marking import is_in_graph
from d2l_support.inspection.runs import name_module
from d2l_support.streams import fingerprint, read_numpy_state, read_python_state

# By class, where a block keeps how much it draws in training mode.
DRAWS = {
    nn.Dropout: ("_rate",),
    rnn.rnn_layer._RNNLayer: ("_dropout",),
    rnn.DropoutCell: ("_rate",),
    rnn.ZoneoutCell: ("zoneout_outputs", "zoneout_states"),
    rnn.VariationalDropoutCell: ("drop_inputs", "drop_states", "drop_outputs"),
}


@contextmanager
def keep_state(
    model: Block,
    inputs: tuple[object, ...],
    kwargs: Mapping[str, object] | None,
    backward: bool = False,
) -> Iterator[Callable[[], None]]:
    """Puts everything back that passes inside the block change.

    That is: parameters that no gradient reaches, such as running averages; the
    inputs, which a block may write to; the streams of Python and NumPy; and
    with a backward pass the gradients of parameters. Not put back is MXNet's
    own stream, and what else a block remembers.

    Yields:
        A function that puts everything back at once, for another pass that
        starts as the first one did.

    Raises:
        ValueError: The model gets its values from its first call, or would
            draw in training mode.
    """
    places = Places(model)
    check_values(places)
    check_draws(places)
    given = list_dense((inputs, kwargs))
    parameters = places.list_parameters()
    fixed = [(n, p) for n, p in parameters if p.grad_req == "null"]
    arrays = [x for _, x in list_arrays(fixed)]
    arrays += [x for x in given if x.writable]
    learned = []
    if backward:
        learned = [x for _, x in list_arrays(parameters) if x.grad is not None]
    with autograd.pause():
        kept = Kept(arrays, learned)
    try:
        yield kept.rewind
    finally:
        kept.put_back()


class Kept:
    """Arrays and streams as they were.

    Args:
        arrays: Those whose values are to be put back.
        learned: Those whose gradients are.
    """

    def __init__(self, arrays: list[Array], learned: list[Array]):
        self._streams = random.getstate(), np.random.get_state()
        self._learned = learned
        self._gradients = [(x.grad, x.grad.copy(), x._fresh_grad) for x in learned]
        self._copies = [(x, x.copy()) for x in arrays]
        self._clear()

    def _clear(self) -> None:
        """Empties the gradients, since some may be added to."""
        for gradient, _, _ in self._gradients:
            gradient[()] = 0

    def rewind(self) -> None:
        """Puts arrays and streams back, and empties the gradients."""
        with autograd.pause():
            for x, copy in self._copies:
                copy.copyto(x)
            self._clear()
        random.setstate(self._streams[0])
        np.random.set_state(self._streams[1])

    def put_back(self) -> None:
        """Puts everything back."""
        self.rewind()
        with autograd.pause():
            for x, (gradient, copy, fresh) in zip(
                self._learned, self._gradients, strict=True
            ):
                copy.copyto(gradient)
                x._fresh_grad = fresh


def list_dense(thing: object) -> list[Array]:
    """The arrays in a nested value that have plain values."""
    leaves = (x for _, x in walk_leaves(thing, is_array) if is_array(x))
    return [x for x in leaves if not find_obstacle(x) and x.size]


def check_values(places: Places) -> None:
    """Refuses a model whose parameters have no values yet."""
    for names, parameter in places.list_parameters():
        if parameter._data is not None:
            continue
        name = name_module(names)
        if parameter._deferred_init:
            raise ValueError(
                f"found that {name} gets its values from the first call, which a look "
                "must not make, since it draws them; expected a model that has been "
                "called. Call it once: net(X)."
            )
        raise ValueError(
            f"found that {name} has no values, expected a model that is initialised. "
            "Write net.initialize(), then call it once: net(X)."
        )


def check_draws(places: Places) -> None:
    """Refuses a pass in training mode through a block that draws."""
    if not autograd.is_training():
        return
    for place, block in places.modules.items():
        for kind, amounts in DRAWS.items():
            if isinstance(block, kind) and any(getattr(block, a) for a in amounts):
                raise ValueError(
                    f"found that {places.label(place)} draws in training mode, and "
                    "MXNet has no call that puts its stream back. Call this outside "
                    "of autograd.record() and train_mode(), or watch a pass of your "
                    "own: with d2l.find_nonfinite(net) as seen: ..."
                )


def set_apart(thing: Any) -> Any:
    """The same with new arrays over the same memory, that are in no graph.

    A backward pass from a graph of ours then cannot go on into one of the
    reader's. (Nor can it clear the note on a shared input, without which this
    release of MXNet cannot run the reader's own backward pass.)

    Args:
        thing: An array, or lists, tuples and dictionaries of them. Inside
            other objects nothing is replaced.
    """
    if is_array(thing) and not find_obstacle(thing):
        apart = thing.detach()
        if thing.grad is not None:
            apart.attach_grad()
        return apart
    if type(thing) in (list, tuple):
        return type(thing)(map(set_apart, thing))
    if type(thing) is dict:
        return {key: set_apart(part) for key, part in thing.items()}
    return thing


def digest_streams() -> dict[str, str]:
    """By name, the digest of each stream that can be read: not MXNet's own."""
    states = {"Python random": read_python_state(), "NumPy global": read_numpy_state()}
    return {name: fingerprint(state) for name, state in states.items()}


def backpropagate(value: Any, training: bool) -> None:
    """Runs the backward pass from what a loss gave.

    Args:
        value: One number that depends on the model.
        training: Whether the forward pass was in training mode.

    Raises:
        ValueError: It is no such number.
    """
    if not is_array(value) or value.size != 1 or not is_in_graph(value):
        shape = list(value.shape) if is_array(value) else None
        found = type(value).__name__ if shape is None else f"an array of shape {shape}"
        raise ValueError(
            f"found that loss(output) is {found}, expected one number with a "
            "gradient. Give for instance loss=lambda out: (out ** 2).mean()."
        )
    value.backward(train_mode=training)
