"""Shuffled loaders for JAX whose place in an epoch can be saved and restored."""

import jax
import jax.numpy as jnp


class ShuffledLoader:
    """Batches without end, in a new order each epoch.

    The order of an epoch is a function of the key and the epoch's number.

    Args:
        data: Arrays with one example in each row.
        batch_size: Examples in a batch.
        key: Gives the orders; a scalar typed key.

    Attributes:
        epoch: The number of this epoch, from 0.
        cursor: How many examples of it have been handed out.
    """

    def __init__(self, data: tuple[jax.Array, ...], batch_size: int, key: jax.Array):
        self.data = tuple(map(jnp.asarray, data))
        self.batch_size, self.key = batch_size, key
        self._follow(0, 0)

    def next_batch(self) -> tuple[jax.Array, ...]:
        """The next batch; the last one of an epoch begins the next epoch."""
        rows = self.order[self.cursor : self.cursor + self.batch_size]
        self.cursor += self.batch_size
        if self.cursor >= len(self.order):
            self._follow(self.epoch + 1, 0)
        return tuple(array[rows] for array in self.data)

    def _follow(self, epoch: int, cursor: int) -> None:
        """Goes to a place in an epoch's order."""
        self.epoch, self.cursor = epoch, cursor
        key = jax.random.fold_in(self.key, epoch)
        self.order = jax.random.permutation(key, len(self.data[0]))


class ReplayingLoader(ShuffledLoader):
    """A loader whose position is restored by loading all from the start again.

    The price is the time to load the batches that are thrown away. That is
    what a loader needs that knows no other way, such as a Python generator.
    """

    def save(self) -> dict[str, int]:
        """The epoch and how far it went."""
        return {"epoch": self.epoch, "cursor": self.cursor}

    def load(self, position: dict[str, int]) -> None:
        """Begins at the start and throws away what was handed out."""
        self._follow(0, 0)
        while self.save() != position:
            self.next_batch()


class StatefulLoader(ShuffledLoader):
    """A loader whose position is restored by the order and a cursor.

    Nothing is loaded twice, and the order need not be saved: it is a function
    of the key and the epoch.
    """

    def save(self) -> dict[str, int]:
        """The epoch and the cursor."""
        return {"epoch": self.epoch, "cursor": self.cursor}

    def load(self, position: dict[str, int]) -> None:
        """Goes on with the epoch's order at the cursor."""
        self._follow(position["epoch"], position["cursor"])
