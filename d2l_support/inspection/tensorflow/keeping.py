"""A pass that leaves no trace: random streams, variables and losses."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import keras
import tensorflow as tf
from keras.src.utils.python_utils import is_default

from d2l_support.inspection.leaves import walk_leaves
from d2l_support.inspection.tensorflow.streams import (
    list_generators,
    read_streams,
    set_streams,
)
from d2l_support.inspection.tensorflow.tensors import is_tensor


@contextmanager
def keep_state(
    model: keras.Layer, inputs: tuple[object, ...], kwargs: Mapping[str, object] | None
) -> Iterator[Callable[[], None]]:
    """Puts everything back that passes inside the block change.

    That is: the streams of TensorFlow, Keras, Python and NumPy; all variables
    of the model, running averages and seeds included, and those among the
    inputs; and the losses that its layers have added. Tensors cannot be
    written to. Not put back is what else a layer remembers, and how far
    draws with a seed of their own (`tf.random.normal(..., seed=7)`) have come.

    Yields:
        A function that puts everything back at once, for another pass that
        starts as the first one did.

    Raises:
        ValueError: The model makes its variables in its first call.
    """
    check_built(model)
    layers = [each for each in model._flatten_layers() if isinstance(each, keras.Layer)]
    variables = list_variables(model, layers, (inputs, kwargs))
    streams = read_streams()
    # Reading shares the memory until the variable is written to.
    values = [variable.read_value() for variable in variables]
    losses = [(each, list(each._losses), set(each._loss_ids)) for each in layers]

    def rewind() -> None:
        set_streams(streams)
        for variable, value in zip(variables, values, strict=True):
            variable.assign(value)
        for layer, kept, ids in losses:
            layer._losses[:] = kept
            layer._loss_ids = ids

    try:
        yield rewind
    finally:
        rewind()


def list_variables(
    model: keras.Layer, layers: list[keras.Layer], given: object
) -> list[tf.Variable]:
    """TensorFlow's variables in a model, in its layers, and in its inputs."""
    found = [v.value for v in model.variables]
    for layer in layers:
        held = vars(layer).values()
        found += [thing for thing in held if isinstance(thing, tf.Variable)]
        found += list_generators(layer)
    for _, leaf in walk_leaves(given, is_tensor):
        if isinstance(leaf, keras.Variable | tf.Variable):
            found.append(leaf.value if isinstance(leaf, keras.Variable) else leaf)
    return list({id(variable): variable for variable in found}.values())


def check_built(model: keras.Layer) -> None:
    """Refuses a model whose variables a first call would make."""
    if model._called:
        return
    for layer in model._flatten_layers():
        if not layer.built and not is_default(layer.build):
            raise ValueError(
                f"found that {layer.name} makes its variables in the first call, "
                "expected a model that has been called. Call it once, then look "
                "into it."
            )


def backpropagate(
    tape: tf.GradientTape,
    loss: Callable[[Any], tf.Tensor],
    output: object,
    variables: list[keras.Variable],
) -> None:
    """Runs the backward pass from what `loss` makes of a model's output.

    Raises:
        ValueError: That is not one number that depends on the model.
    """
    value = loss(output)
    number = tf.is_tensor(value) and value.shape.num_elements() == 1
    found = "no tensor" if not tf.is_tensor(value) else f"of shape {value.shape}"
    if not number or not value.dtype.is_floating:
        raise ValueError(
            f"found that loss(output) is {type(value).__name__} {found}, expected one "
            "number with a gradient. Give for instance "
            "loss=lambda out: tf.reduce_mean(out**2)."
        )
    tape.gradient(value, variables)
