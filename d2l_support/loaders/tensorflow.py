"""Shuffled `tf.data` loaders whose place in an epoch can be saved and restored."""

import tempfile
from pathlib import Path

import numpy as np
import tensorflow as tf

ITERATOR_FILES = ("iterator.index", "iterator.data-00000-of-00001")


class ShuffledLoader:
    """Batches without end, in a new order each epoch.

    The order of an epoch is a function of the seed and the epoch's number.
    `Dataset.shuffle` would make it depend on TensorFlow's global seed too.

    Args:
        data: Arrays with one example in each row.
        batch_size: Examples in a batch.
        seed: Gives the orders.

    Attributes:
        epoch: The number of this epoch, from 0.
        cursor: How many examples of it have been handed out.
    """

    def __init__(self, data: tuple[np.ndarray, ...], batch_size: int, seed: int):
        self.data = tuple(map(tf.convert_to_tensor, data))
        self.batch_size, self.seed = batch_size, seed
        self._follow(0, 0)

    def next_batch(self) -> tuple[tf.Tensor, ...]:
        """The next batch; the last one of an epoch begins the next epoch."""
        batch = next(self._batches)
        self.cursor += self.batch_size
        if self.cursor >= len(self.data[0]):
            self._follow(self.epoch + 1, 0)
        return batch

    def _follow(self, epoch: int, cursor: int) -> None:
        """Starts to load an epoch's order from this place."""
        self.epoch, self.cursor = epoch, cursor
        order = tf.random.experimental.stateless_shuffle(
            tf.range(len(self.data[0])), seed=(self.seed, epoch)
        )
        rows = tf.data.Dataset.from_tensor_slices(order[cursor:])
        batches = rows.batch(self.batch_size).map(
            lambda row: tuple(tf.gather(array, row) for array in self.data),
            num_parallel_calls=2,
        )
        self._batches = iter(batches.prefetch(2))


class ReplayingLoader(ShuffledLoader):
    """A loader whose position is restored by loading the epoch again.

    The price is the time to load the batches that are thrown away.
    """

    def save(self) -> dict[str, int]:
        """The epoch and how far it went."""
        return {"epoch": self.epoch, "cursor": self.cursor}

    def load(self, position: dict[str, int]) -> None:
        """Begins the epoch again and throws away what was handed out."""
        self._follow(position["epoch"], 0)
        while self.cursor < position["cursor"]:
            self.next_batch()


class StatefulLoader(ShuffledLoader):
    """A loader whose position is restored by the order and a cursor.

    Nothing is loaded twice, and the order need not be saved: it is a function
    of the seed and the epoch.
    """

    def save(self) -> dict[str, int]:
        """The epoch and the cursor."""
        return {"epoch": self.epoch, "cursor": self.cursor}

    def load(self, position: dict[str, int]) -> None:
        """Goes on with the epoch's order at the cursor."""
        self._follow(position["epoch"], position["cursor"])


def read_iterator(iterator: tf.data.Iterator) -> dict[str, np.ndarray]:
    """The place of a `tf.data` iterator, as TensorFlow writes it to files.

    It holds the shuffle buffer, so it is as large as the examples in there.
    The orders of later epochs in `shuffle(...).repeat()` are not part of it.

    Returns:
        The bytes of the two files, by the files' names, uint8.

    Raises:
        tf.errors.FailedPreconditionError: The pipeline draws in a map.
    """
    with tempfile.TemporaryDirectory(prefix="d2l-") as folder:
        tf.train.Checkpoint(iterator=iterator).write(f"{folder}/iterator")
        return {
            name: np.frombuffer((Path(folder) / name).read_bytes(), np.uint8)
            for name in ITERATOR_FILES
        }


def restore_iterator(iterator: tf.data.Iterator, files: dict[str, np.ndarray]) -> None:
    """Puts an iterator over the same pipeline where `read_iterator` found it."""
    with tempfile.TemporaryDirectory(prefix="d2l-") as folder:
        for name in ITERATOR_FILES:
            (Path(folder) / name).write_bytes(files[name].tobytes())
        tf.train.Checkpoint(iterator=iterator).read(f"{folder}/iterator")
