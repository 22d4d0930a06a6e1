"""One part of a training: built, loaded, run and saved."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest

from d2l_support.resume.checkpoint import load_checkpoint, save_checkpoint
from d2l_support.resume.training import History, Item, Segment, run_segment


class Counting:
    """A training that counts, and notes what is done to it."""

    log: list

    def __init__(self):
        self.count = np.zeros(1)
        self.log.append("built")

    def step(self):
        self.count += 1
        return float(self.count[0])

    def items(self):
        def load(name, data):
            self.log.append((name, data))

        return {
            name: Item(
                lambda name=name: f"{name} {self.count[0]:.0f}",
                lambda data, name=name: load(name, data),
            )
            for name in ("second", "first")
        }

    def values(self):
        return {"count": self.count}


@pytest.fixture(autouse=True)
def log(monkeypatch):
    """What happened, in order."""
    log = []
    framework = SimpleNamespace(set_seed=lambda seed: log.append(("seed", seed)))
    monkeypatch.setitem(sys.modules, "d2l_support.counting", framework)
    monkeypatch.setattr(Counting, "log", log, raising=False)
    return log


def test_segment_seeds_builds_and_steps(log):
    seen = run_segment(Counting, Segment("counting", 7, 0, 2))
    assert log == [("seed", 7), "built"]
    assert [float(values["loss"]) for values in seen.steps.values()] == [1, 2]
    assert seen.loaded == {}
    assert seen.items == {"second": "second 2", "first": "first 2"}


def test_values_are_copies():
    seen = run_segment(Counting, Segment("counting", 7, 0, 2))
    assert [values["count"][0] for values in seen.steps.values()] == [1, 2]


def test_segment_loads_in_the_order_of_the_items(log, tmp_path):
    file = str(tmp_path / "step-3.npz")
    save_checkpoint(file, {"first": 1, "second": 2})
    seen = run_segment(Counting, Segment("counting", 7, 3, 4, source=file))
    assert log[2:] == [("second", 2), ("first", 1)]
    assert list(seen.steps) == [4]
    assert seen.loaded[3]["count"].tolist() == [0]


def test_segment_leaves_an_item_out(log, tmp_path):
    file = str(tmp_path / "step-3.npz")
    save_checkpoint(file, {"first": 1, "second": 2})
    part = Segment("counting", 7, 3, 4, source=file, leave_out="second")
    run_segment(Counting, part)
    assert log[2:] == [("first", 1)]


def test_segment_writes_a_checkpoint(tmp_path):
    file = tmp_path / "step-2.npz"
    run_segment(Counting, Segment("counting", 7, 0, 2, target=str(file)))
    assert load_checkpoint(file) == {"second": "second 2", "first": "first 2"}


def test_histories_are_joined():
    one = History({1: {}}, {}, {"a": 1})
    one.join(History({2: {}}, {1: {}}, {"a": 2}))
    assert one == History({1: {}, 2: {}}, {1: {}}, {"a": 2})
