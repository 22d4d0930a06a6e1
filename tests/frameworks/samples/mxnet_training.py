"""A training with everything that has to survive an interruption, in MXNet.

Twelve examples in batches of four, so that an epoch has three steps. The
learning rate follows a cosine.
"""

import mxnet as mx
import numpy
from mxnet import autograd, gluon, lr_scheduler

from d2l_support import mxnet as d2l

mx.npx.set_np()


class NoisyRows(gluon.data.Dataset):
    """Rows with noise that depends on the row's number only."""

    def __init__(self):
        rng = numpy.random.default_rng(0)
        self.X = rng.normal(size=(12, 4)).astype("float32")
        self.y = rng.normal(size=(12, 1)).astype("float32")

    def __len__(self):
        return len(self.X)

    def __getitem__(self, index):
        noise = numpy.random.default_rng([1, index]).normal(size=4)
        return self.X[index] + noise.astype("float32"), self.y[index]


class Training:
    """A network with dropout and batch norm, momentum and a schedule."""

    def __init__(self, loader=d2l.StatefulLoader, workers=0, rate=0.5):
        self.net = gluon.nn.HybridSequential()
        self.net.add(
            gluon.nn.Dense(8, activation="relu", in_units=4),
            gluon.nn.BatchNorm(in_channels=8),
            gluon.nn.Dropout(rate),
            gluon.nn.Dense(1, in_units=8),
        )
        self.net.initialize()
        schedule = lr_scheduler.CosineScheduler(10, base_lr=0.1)
        options = {"learning_rate": 0.1, "momentum": 0.9, "lr_scheduler": schedule}
        self.trainer = gluon.Trainer(self.net.collect_params(), "sgd", options)
        generator = numpy.random.default_rng(1)
        self.loader = loader(NoisyRows(), 4, generator, num_workers=workers)

    def step(self):
        X, y = self.loader.next_batch()
        with autograd.record():
            loss = ((self.net(X) - y) ** 2).mean()
        loss.backward()
        self.trainer.step(1)  # the loss is a mean already
        return loss.item()

    def items(self):
        return d2l.list_items(self.net, self.trainer, self.loader, 1000)

    def values(self):
        return d2l.read_model(self.net)


def build():
    return Training()


# Where an item shows first that was left out at step 4: the step, whether
# right after loading, and the value.
SHOWS = {
    "model": (4, True, "0.weight"),
    "optimizer": (5, False, "0.weight"),
    "scheduler": (5, False, "0.weight"),
    "loader position": (5, False, "loss"),
    "random streams": (5, False, "loss"),
}
# MXNet draws anew from each saving on, so the other training saves too.
PROOF = {"undisturbed": False}
