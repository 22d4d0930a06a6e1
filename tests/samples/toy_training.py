"""A training with everything that can be forgotten, in NumPy alone.

Linear regression with dropout on the inputs, momentum and a falling rate.
Twelve examples in batches of four: an epoch has three steps.
"""

import random
import sys
from types import SimpleNamespace

import numpy as np

from d2l_support.resume.training import Item
from d2l_support.state.random_state import read_streams, restore_streams
from d2l_support.state.shared_slots import list_shared_slots
from d2l_support.state.slots import Streams
from d2l_support.streams import seed_shared

# The framework that `run_segment` asks for: it has no streams of its own.
TOY = SimpleNamespace(set_seed=seed_shared)
sys.modules["d2l_support.toy"] = TOY


def list_streams():
    return Streams("toy", {}, 1, list_shared_slots(), {})


class Training:
    """Six weights, learnt with everything that a real training has."""

    def __init__(self):
        rng = np.random.default_rng(0)
        self.X, self.y = rng.normal(size=(12, 6)), rng.normal(size=12)
        self.weight = np.random.normal(size=6)
        self.moment = np.zeros(6)
        self.count, self.cursor = 0, 0
        self.order = np.arange(12)

    def step(self):
        if self.cursor % 12 == 0:
            random.shuffle(self.order)
        rows = self.order[self.cursor % 12 :][:4]
        X = self.X[rows] * (np.random.random((4, 6)) < 0.5)
        error = X @ self.weight - self.y[rows]
        self.moment = 0.9 * self.moment + X.T @ error / 4
        self.weight = self.weight - 0.1 * 0.5**self.count * self.moment
        self.count, self.cursor = self.count + 1, self.cursor + 4
        return float(np.mean(error**2))

    def items(self):
        def make_item(*names):
            return Item(
                lambda: {name: getattr(self, name) for name in names},
                lambda data: vars(self).update(data),
            )

        return {
            "model": make_item("weight"),
            "optimizer": make_item("moment"),
            "scheduler": make_item("count"),
            "loader position": make_item("order", "cursor"),
            "random streams": Item(
                lambda: read_streams(list_streams()),
                lambda data: restore_streams(data, list_streams(), "streams"),
            ),
        }

    def values(self):
        return {"weight": self.weight}


def build():
    return Training()


def build_broken():
    raise RuntimeError("no data today")
