"""TensorFlow's streams: what there is, what it draws, and in which state."""

import keras
import tensorflow as tf
from tensorflow.python.eager import context

SAVE = {}


def make_streams(seed):
    layer = keras.layers.Dropout(0.5, seed=seed)
    model = keras.Sequential(
        [
            keras.Input((4,)),
            keras.layers.Dropout(0.5, seed=seed),
            keras.layers.Dropout(0.5, seed=seed + 1),
        ]
    )
    return {
        "own": tf.random.Generator.from_seed(seed),
        "mask": keras.random.SeedGenerator(seed),
        "layer": layer,
        "model": model,
    }


def draw(streams):
    ones = tf.ones((2, 4))
    drawn = (
        tf.random.normal((3,)),
        keras.random.normal((2,)),
        tf.random.get_global_generator().normal((2,)),
        streams["own"].normal((2,)),
        keras.random.normal((2,), seed=streams["mask"]),
        streams["layer"](ones, training=True),
        streams["model"](ones, training=True),
    )
    return [part.numpy().tolist() for part in drawn]


def snapshot(streams):
    states = [
        streams["own"].state,
        streams["mask"].state,
        streams["layer"].seed_generator.state,
        *(each.seed_generator.state for each in streams["model"].layers),
        tf.random.get_global_generator().state,
        keras.src.random.seed_generator.global_seed_generator().state,
    ]
    operations = context.global_seed(), context.context()._rng.getstate()
    return [operations, *(state.numpy().tolist() for state in states)]
