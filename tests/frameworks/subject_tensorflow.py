"""What the shared tests of the inspection helpers look into: TensorFlow."""

import hashlib
import random

import keras
import numpy as np
import tensorflow as tf
from tensorflow.python.eager import context

# The published spread of the ten stages of the stack, and the faulty block.
SPREAD = [0.67, 0.86, 1.03, 1.26, 1.53, 1.86, 2.23, 2.80, 3.60, 3.93]
STAGES = ["stem", *(f"block{i}" for i in range(1, 9)), "head"]
FIRST = "block3"
FIRST_COUNTS = (256 * 64, 0, 0)  # NaN, +inf, -inf: all that follows in the block
FAULTY = "Boom"
MODULES = 11
NO_WATCH = None  # or what the error says where passes cannot be watched


class Residual(keras.Layer):
    """x + Linear(ReLU(Linear(x))), with weights of its own."""

    def __init__(self, width, **named):
        super().__init__(**named)
        square, zeros = (width, width), "zeros"
        self.kernel1 = self.add_weight(square, name="kernel1")
        self.bias1 = self.add_weight((width,), zeros, name="bias1")
        self.kernel2 = self.add_weight(square, name="kernel2")
        self.bias2 = self.add_weight((width,), zeros, name="bias2")

    def call(self, x):
        hidden = tf.nn.relu(x @ self.kernel1 + self.bias1)
        return x + (hidden @ self.kernel2 + self.bias2)


class Boom(keras.Layer):
    """Raises."""

    def call(self, x):
        raise RuntimeError("boom")


class Chain(keras.Model):
    """Layers one after the other, in training."""

    def __init__(self, *layers):
        super().__init__()
        self.chain = layers

    def call(self, x, training=True):
        for layer in self.chain:
            x = layer(x)
        return x


def build_stack():
    """The residual stack and its probe batch, from seed 0."""
    keras.utils.set_random_seed(0)
    inputs = keras.Input((20,))
    x = keras.layers.Dense(64, name="stem")(inputs)
    for i in range(1, 9):
        x = Residual(64, name=f"block{i}")(x)
    outputs = keras.layers.Dense(10, name="head")(x)
    return keras.Model(inputs, outputs), tf.random.normal((256, 20))


def build_faulty():
    """A model whose second layer raises, and an input."""
    first = keras.layers.Dense(4)
    first.build((None, 4))
    return Chain(first, Boom()), tf.ones((3, 4))


def build_noisy():
    """A model in training mode that draws and has running averages."""
    keras.utils.set_random_seed(0)
    layers = keras.layers
    parts = layers.Dense(8), layers.BatchNormalization(), layers.Dropout(0.5)
    model = Chain(*parts, layers.Dense(2))
    x = tf.random.normal((6, 4))
    model(x, training=False)  # makes the variables
    return model, x


def poison(stack):
    """Puts one NaN into the first weights of block 3."""
    change(stack, float("nan"))


def nudge(stack):
    """Changes one of the same weights a little."""
    change(stack, 1e-3)


def change(stack, by):
    """Adds a number to one weight of block 3."""
    kernel = stack.get_layer("block3").kernel1
    values = kernel.numpy()
    values[7, 5] += by
    kernel.assign(values)


def loss(output):
    """The mean squared output."""
    return tf.reduce_mean(output**2)


def run(model, x):
    """The bytes of the model's output."""
    return model(x).numpy().tobytes()


def list_hooks(model):
    """What is there in place of Keras's own methods, and TensorFlow's."""
    methods = keras.Layer.__call__, keras.Operation.__call__, tf.GradientTape.gradient
    callbacks = len(context.context().op_callbacks)
    layers = model._flatten_layers()
    return (
        [m.__module__ for m in methods],
        methods,
        callbacks,
        [sorted(vars(layer)) for layer in layers],
    )


def fingerprint(model):
    """A digest of all that a helper must leave as it is."""
    state = hashlib.sha256()
    for variable in model.variables:
        state.update(variable.path.encode() + variable.numpy().tobytes())
    state.update(repr([layer.trainable for layer in model._flatten_layers()]).encode())
    state.update(repr(context.context()._rng.getstate()).encode())
    state.update(repr(random.getstate()).encode())
    state.update(np.random.get_state()[1].tobytes())
    return state.hexdigest()
