"""What stands around every call of a Keras layer while something watches.

Keras has no hooks. So, from the first watch until the last one is off,
`Layer.__call__`, `Operation.__call__` (for the sums and the like in a
functional model) and `GradientTape.gradient` are ours: they tell whoever
listens, and call Keras's and TensorFlow's own. No layer and no tensor is
changed, and nothing is set on either.
"""

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, Protocol

import keras
import tensorflow as tf

LAYER_CALL = keras.Layer.__call__
OPERATION_CALL = keras.Operation.__call__
GRADIENT = tf.GradientTape.gradient
NONE = tf.UnconnectedGradients.NONE


class Listener(Protocol):
    """What a watch wants to be told."""

    def knows(self, layer: keras.Operation) -> bool:
        """Whether a layer or operation is part of the watched model."""

    def entered(self, layer: keras.Operation, args: tuple, kwargs: Mapping) -> None:
        """A layer is called with values."""

    def left(self, layer: keras.Operation, output: object) -> None:
        """It has returned."""

    def failed(self, layer: keras.Operation, error: BaseException) -> None:
        """It has raised."""

    def traced(self, layer: keras.Operation) -> None:
        """It is called while a graph is built: there are no values."""

    def list_awaited(self) -> list[tf.Tensor]:
        """A backward pass begins: the tensors whose gradients are wanted."""

    def arrived(self, gradients: list, sources: list, values: list) -> None:
        """It has ended.

        Args:
            gradients: Those of the awaited tensors, or None.
            sources: What the caller asked for.
            values: The gradients of these.
        """

    def returned(self) -> None:
        """It has ended, in whatever way."""


_listeners: list[Listener] = []


def attach(listener: Listener) -> None:
    """Begins to tell a listener."""
    _listeners.append(listener)
    keras.Layer.__call__ = call_layer
    keras.Operation.__call__ = call_operation
    tf.GradientTape.gradient = take_gradient


def detach(listener: Listener) -> None:
    """Stops telling it; the last one leaves everything as it was."""
    if listener in _listeners:
        _listeners.remove(listener)
    if not _listeners:
        keras.Layer.__call__ = LAYER_CALL
        keras.Operation.__call__ = OPERATION_CALL
        tf.GradientTape.gradient = GRADIENT


# `wraps` also gives these Keras's module name, by which AutoGraph knows that
# it must not convert them.


@wraps(LAYER_CALL)
def call_layer(layer: keras.Layer, *args: Any, **kwargs: Any) -> Any:
    """Calls a layer, and tells."""
    return tell(LAYER_CALL, layer, args, kwargs)


@wraps(OPERATION_CALL)
def call_operation(operation: keras.Operation, *args: Any, **kwargs: Any) -> Any:
    """Calls an operation that is no layer, and tells."""
    if isinstance(operation, keras.Layer):  # here from within `call_layer`
        return OPERATION_CALL(operation, *args, **kwargs)
    return tell(OPERATION_CALL, operation, args, kwargs)


def tell(
    call: Callable[..., Any], layer: keras.Operation, args: tuple, kwargs: Mapping
) -> Any:
    """Calls a layer or operation, and tells those who know it."""
    concerned = [each for each in _listeners if each.knows(layer)]
    if not concerned or is_symbolic(args):
        return call(layer, *args, **kwargs)
    if not tf.executing_eagerly():
        for each in concerned:
            each.traced(layer)
        return call(layer, *args, **kwargs)
    for each in concerned:
        each.entered(layer, args, kwargs)
    try:
        output = call(layer, *args, **kwargs)
    except BaseException as error:
        for each in concerned:
            each.failed(layer, error)
        raise
    for each in concerned:
        each.left(layer, output)
    return output


def is_symbolic(args: tuple) -> bool:
    """Whether a functional model is being built, and not called."""
    return bool(args) and isinstance(args[0], keras.KerasTensor)


@wraps(GRADIENT)
def take_gradient(
    tape: tf.GradientTape,
    target: Any,
    sources: Any,
    output_gradients: Any = None,
    unconnected_gradients: Any = NONE,
) -> Any:
    """Asks for the gradients of activations together with the caller's."""
    if not tf.executing_eagerly():  # in a graph, which must not change
        return GRADIENT(tape, target, sources, output_gradients, unconnected_gradients)
    listeners = tuple(_listeners)
    everything = [sources, *(each.list_awaited() for each in listeners)]
    try:
        found, *gradients = GRADIENT(tape, target, everything, output_gradients)
        if tf.UnconnectedGradients(unconnected_gradients) != NONE:
            found = tf.nest.map_structure(fill_with_zeros, sources, found)
        flat = tf.nest.flatten(sources), tf.nest.flatten(found)
        for each, values in zip(listeners, gradients, strict=True):
            each.arrived(values, *flat)
    finally:
        for each in listeners:
            each.returned()
    return found


def fill_with_zeros(source: Any, gradient: Any) -> Any:
    """Zeros in place of a gradient that there is not.

    Not left to TensorFlow, which would also give zeros for activations that
    another tape has recorded.
    """
    return tf.zeros_like(source) if gradient is None else gradient
