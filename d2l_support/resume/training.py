"""A training that can be interrupted, and one part of it.

A training is any object with three methods, see `Training`. What it does in
a step is its own affair; this module imports no framework.
"""

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol

import numpy as np

from d2l_support.resume.checkpoint import load_checkpoint, save_checkpoint

LOSS = "loss"

Values = dict[str, np.ndarray]


class Saved(Protocol):
    """One thing that a checkpoint keeps, such as the model or the loader."""

    def save(self) -> object:
        """Its state as plain data and arrays."""

    def load(self, data: object) -> object:
        """Puts back what `save` returned, perhaps in another process."""


@dataclass(frozen=True)
class Item:
    """One thing that a checkpoint keeps, given by two functions.

    Attributes:
        save: Returns its state as plain data and arrays.
        load: Puts back what `save` returned, perhaps in another process.
    """

    save: Callable[[], object]
    load: Callable[[object], object]


def bind(
    save: Callable[..., object],
    load: Callable[..., object],
    *args: object,
    **named: object,
) -> Item:
    """An item of two functions that are both given the same things first.

    Args:
        save: Returns the state of these things as plain data and arrays.
        load: Puts back what `save` returned, which it takes last.
        *args: What both are given, such as a model.
        **named: Likewise, by name.
    """
    return Item(partial(save, *args, **named), partial(load, *args, **named))


class Training(Protocol):
    """A training that can be taken one step further, saved and loaded."""

    def step(self) -> float:
        """Takes one training step; returns its loss."""

    def items(self) -> Mapping[str, Saved]:
        """What a checkpoint keeps, in the order in which it is loaded.

        Random streams come last: building and loading the rest may draw.
        """

    def values(self) -> Mapping[str, np.ndarray]:
        """The arrays to compare after each step, by name."""


@dataclass
class History:
    """What was seen of a training.

    Attributes:
        steps: After each step, the loss and the values.
        loaded: After each loading, by the step it was saved at, the values.
        items: What the items were at the end.
    """

    steps: dict[int, Values] = field(default_factory=dict)
    loaded: dict[int, Values] = field(default_factory=dict)
    items: dict[str, object] = field(default_factory=dict)

    def join(self, later: "History") -> None:
        """Takes over what was seen later on."""
        self.steps |= later.steps
        self.loaded |= later.loaded
        self.items = later.items


@dataclass(frozen=True)
class Segment:
    """A part of a training between two stops.

    Attributes:
        framework: The framework's key.
        seed: What the process is seeded with before the training is built.
        first: The step after which it begins; 0 at the start.
        last: The step after which it ends.
        source: The checkpoint to load; None at the start.
        target: The checkpoint to write at the end; None for none.
        leave_out: The name of an item that is not loaded, or None.
        saves: Steps after which everything is saved, and no more is done.
    """

    framework: str
    seed: int
    first: int
    last: int
    source: str | None = None
    target: str | None = None
    leave_out: str | None = None
    saves: tuple[int, ...] = ()


def run_segment(build: Callable[[], Training], part: Segment) -> History:
    """What is seen of a training from one stop to the next.

    Args:
        build: Builds a training from the start.
        part: Which part of it to run.

    State touched: all streams that `set_seed` reaches; the file `part.target`.
    """
    module = importlib.import_module(f"d2l_support.{part.framework}")
    module.set_seed(part.seed)
    training = build()
    seen = History()
    if part.source is not None:
        _load_items(training, part.source, part.leave_out)
        seen.loaded[part.first] = _copy_values(training)
    for step in range(part.first + 1, part.last + 1):
        loss = np.asarray(training.step())
        seen.steps[step] = {LOSS: loss, **_copy_values(training)}
        if step in part.saves:
            _save_items(training)
    seen.items = _save_items(training)
    if part.target is not None:
        save_checkpoint(part.target, seen.items)
    return seen


def _save_items(training: Training) -> dict[str, object]:
    """What the items of a training are now, by name."""
    return {name: item.save() for name, item in training.items().items()}


def _load_items(training: Training, path: str, leave_out: str | None) -> None:
    """Puts a checkpoint's items into a training, but the one to leave out."""
    saved = load_checkpoint(path)
    for name, item in training.items().items():
        if name != leave_out:
            item.load(saved[name])


def _copy_values(training: Training) -> Values:
    """The values of a training, safe from its next step."""
    return {name: np.array(array) for name, array in training.values().items()}
