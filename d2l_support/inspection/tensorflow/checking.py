"""Which models can be looked into, and which cannot."""

import keras
import tensorflow as tf
from keras.src.utils.python_utils import is_default
from tensorflow.types.experimental import PolymorphicFunction


def check_model(model: keras.Layer) -> keras.Layer:
    """The model, if one can stand around its layers.

    Raises:
        TypeError: It is no layer of Keras.
        ValueError: Its call is a graph.
    """
    if isinstance(model, PolymorphicFunction):
        raise TypeError(
            "found a tf.function, expected a Keras model. Its graph calls no layers: "
            "give the model that it calls."
        )
    if not isinstance(model, keras.Layer):
        kind = type(model).__name__
        raise TypeError(
            f"found a model of type {kind}, expected a keras.Model or keras.Layer. "
            "What tf.saved_model.load gives is a graph, without layers to look into."
        )
    if is_graph(model):
        raise ValueError(
            "found a model whose call is a tf.function, which runs as a graph where "
            "layers are not called. Look into it before you wrap it, or after "
            "tf.config.run_functions_eagerly(True)."
        )
    return model


def is_graph(layer: keras.Operation) -> bool:
    """Whether calling the layer runs a graph."""
    is_function = isinstance(getattr(layer, "call", None), PolymorphicFunction)
    return is_function and not tf.config.functions_run_eagerly()


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
