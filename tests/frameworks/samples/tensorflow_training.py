"""A training with everything that has to survive an interruption, in Keras.

Twelve examples in batches of four, so that an epoch has three steps. The
learning rate follows a cosine.
"""

import keras
import numpy as np
import tensorflow as tf

from d2l_support import tensorflow as d2l


class Training:
    """A network with dropout and batch norm, momentum and a schedule."""

    def __init__(self, loader=d2l.StatefulLoader):
        self.model = keras.Sequential(
            [
                keras.Input((4,)),
                keras.layers.Dense(8, activation="relu"),
                keras.layers.BatchNormalization(),
                keras.layers.Dropout(0.5),
                keras.layers.Dense(1),
            ]
        )
        schedule = keras.optimizers.schedules.CosineDecay(0.1, 10)
        self.optimizer = keras.optimizers.SGD(schedule, momentum=0.9)
        self.optimizer.build(self.model.trainable_variables)
        rng = np.random.default_rng(0)
        data = rng.normal(size=(12, 4)), rng.normal(size=(12, 1))
        self.loader = loader(tuple(np.float32(each) for each in data), 4, seed=1)

    def step(self):
        X, y = self.loader.next_batch()
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((self.model(X, training=True) - y) ** 2)
        weights = self.model.trainable_variables
        self.optimizer.apply_gradients(
            zip(tape.gradient(loss, weights), weights, strict=True)
        )
        return float(loss)

    def items(self):
        return d2l.list_items(
            self.model, self.optimizer, self.loader, dropout=self.model
        )

    def values(self):
        return d2l.read_model(self.model)


def build():
    return Training()


# Where an item shows first that was left out at step 4: the step, whether
# right after loading, and the value.
SHOWS = {
    "model": (4, True, "0.kernel"),
    "optimizer": (5, False, "0.kernel"),
    "scheduler": (5, False, "0.kernel"),
    "loader position": (5, False, "loss"),
    "random streams": (5, False, "loss"),
}
PROOF = {}
