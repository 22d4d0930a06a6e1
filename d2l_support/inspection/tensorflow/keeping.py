"""A pass that leaves no trace: random streams, variables and losses."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import keras
import tensorflow as tf
from tensorflow.python.eager import record
from tensorflow.python.ops.gen_resource_variable_ops import (
    assign_variable_op,
    read_variable_op,
)

from d2l_support.inspection.leaves import walk_leaves
from d2l_support.inspection.tensorflow.checking import check_built, check_model
from d2l_support.inspection.tensorflow.streams import read_streams, set_streams

EXPECTED = (
    "expected one number with a gradient. Give for instance "
    "loss=lambda out: tf.reduce_mean(out**2)."
)


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
        TypeError, ValueError: The model cannot be looked into, or makes its
            variables in its first call.
    """
    check_built(check_model(model))
    layers = [each for each in model._flatten_layers() if isinstance(each, keras.Layer)]
    variables = list_variables(model, layers, (inputs, kwargs))
    streams = read_streams()
    # Reading shares the memory until the variable is written to.
    with record.stop_recording():
        values = [read_variable_op(v.handle, v.dtype) for v in variables]
    losses = [(each, list(each._losses), set(each._loss_ids)) for each in layers]

    def rewind() -> None:
        set_streams(streams)
        for variable, value in zip(variables, values, strict=True):
            assign_variable_op(variable.handle, value)
        for layer, kept, ids in losses:
            layer._losses[:] = kept
            layer._loss_ids.clear()
            layer._loss_ids.update(ids)

    try:
        yield rewind
    finally:
        rewind()


def list_variables(
    model: keras.Layer, layers: list[keras.Layer], given: object
) -> list[tf.Variable]:
    """TensorFlow's variables in a model, in its layers, and in its inputs."""
    held = [
        thing
        for layer in layers
        for name, thing in vars(layer).items()
        if not name.startswith("_")
    ]
    variables = [*model.variables]  # not among them: what a recurrent layer keeps
    variables += [leaf for _, leaf in walk_leaves((held, given), is_variable)]
    found = [v.value if isinstance(v, keras.Variable) else v for v in variables]
    found += [thing.state for thing in held if isinstance(thing, tf.random.Generator)]
    tensors = (thing for thing in found if isinstance(thing, tf.Variable))
    return list({id(variable): variable for variable in tensors}.values())


def is_variable(thing: object) -> bool:
    """Whether something is a variable of TensorFlow or of Keras."""
    return isinstance(thing, keras.Variable | tf.Variable)


def run_model(
    model: keras.Layer,
    inputs: tuple[object, ...],
    kwargs: Mapping[str, object] | None,
    loss: Callable[[Any], tf.Tensor] | None = None,
) -> None:
    """Calls a model, and goes back from what `loss` makes of its output.

    Raises:
        ValueError: That is not one number that depends on the model.
    """
    if loss is None:
        model(*inputs, **(kwargs or {}))
        return
    with tf.GradientTape() as tape:
        value = loss(model(*inputs, **(kwargs or {})))
    found = "no tensor"
    if tf.is_tensor(value):
        number = value.shape.num_elements() == 1 and value.dtype.is_floating
        found = "" if number else f"of shape {value.shape} and {value.dtype.name}"
    if found:
        raise ValueError(f"found that loss(output) is {found}, {EXPECTED}")
    gradients = tape.gradient(value, model.trainable_variables)
    if all(gradient is None for gradient in gradients):
        raise ValueError(
            f"found that loss(output) depends on no variable of the model, {EXPECTED}"
        )
