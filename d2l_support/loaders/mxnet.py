"""Shuffled Gluon loaders whose place in an epoch can be saved and restored."""

import numpy as np
from mxnet.gluon.data import DataLoader, Dataset


class ShuffledLoader:
    """Batches without end: a Gluon loader that draws a new order each epoch.

    The orders come from a NumPy generator, because MXNet's own stream cannot
    be saved. Gluon's workers live on from epoch to epoch and take batches in
    a race, so what they draw must depend on the example alone.

    Args:
        dataset: What to draw from.
        batch_size: Examples in a batch.
        generator: Gives the orders. Nothing else may draw from it.
        **options: Handed on to the DataLoader, such as `num_workers`.

    Attributes:
        order: The order of this epoch, an int64 array of shape (n,).
        cursor: How many examples of it have been handed out.
    """

    def __init__(
        self,
        dataset: Dataset,
        batch_size: int,
        generator: np.random.Generator,
        **options: object,
    ):
        self.generator, self.batch_size = generator, batch_size
        self._count = len(dataset)
        self._rest: list[int] = []
        self._loader = DataLoader(dataset, batch_size, sampler=self._rest, **options)
        self._begin_epoch()

    def next_batch(self) -> list:
        """The next batch; the last one of an epoch begins the next epoch."""
        batch = next(self._batches)
        self.cursor += self.batch_size
        if self.cursor >= self._count:
            self._begin_epoch()
        return batch

    def _begin_epoch(self) -> None:
        """Draws an order and starts to load it."""
        self._start = self.generator.bit_generator.state
        self._follow(self.generator.permutation(self._count), 0)

    def _follow(self, order: np.ndarray, cursor: int) -> None:
        """Starts to load this order from this place."""
        self.order, self.cursor = order, cursor
        self._rest[:] = order[cursor:].tolist()
        self._batches = iter(self._loader)


class ReplayingLoader(ShuffledLoader):
    """A loader whose position is restored by loading the epoch again.

    The price is the time to load the batches that are thrown away.
    """

    def save(self) -> dict[str, object]:
        """The generator's state before this epoch, and how far it went."""
        return {"start": self._start, "cursor": self.cursor}

    def load(self, position: dict[str, object]) -> None:
        """Begins the epoch again and throws away what was handed out."""
        self.generator.bit_generator.state = position["start"]
        self._begin_epoch()
        while self.cursor < position["cursor"]:
            self.next_batch()


class StatefulLoader(ShuffledLoader):
    """A loader whose position is restored by its order and a cursor.

    Nothing is loaded twice.
    """

    def save(self) -> dict[str, object]:
        """The order, the cursor, and the generator's state for what follows."""
        state = self.generator.bit_generator.state
        return {"order": self.order, "cursor": self.cursor, "generator": state}

    def load(self, position: dict[str, object]) -> None:
        """Goes on with the order at the cursor."""
        self.generator.bit_generator.state = position["generator"]
        self._follow(position["order"], position["cursor"])
