"""Shuffled PyTorch loaders whose place in an epoch can be saved and restored."""

import torch
from torch.utils.data import DataLoader, Dataset


class ShuffledLoader:
    """Batches without end: a DataLoader that draws a new order each epoch.

    Args:
        dataset: What to draw from.
        batch_size: Examples in a batch.
        generator: Gives the orders and the seeds of the workers. Nothing else
            may draw from it.
        **options: Handed on to the DataLoader, such as `num_workers`.

    Attributes:
        order: The order of this epoch, an int64 tensor of shape (n,).
        cursor: How many examples of it have been handed out. Workers fetch
            ahead, so the sampler knows less well where the training is.
    """

    def __init__(
        self,
        dataset: Dataset,
        batch_size: int,
        generator: torch.Generator,
        **options: object,
    ):
        self.generator = generator
        self._rest: list[int] = []
        self._seeds = torch.Generator()  # what gives the workers their seeds
        self._loader = DataLoader(
            dataset, batch_size, sampler=self._rest, generator=self._seeds, **options
        )
        self._begin_epoch()

    def next_batch(self) -> object:
        """The next batch; the last one of an epoch begins the next epoch."""
        batch = next(self._batches)
        self.cursor += self._loader.batch_size
        self._left -= 1
        if not self._left:
            self._begin_epoch()
        return batch

    def _begin_epoch(self) -> None:
        """Draws an order and starts to load it."""
        self._start = self.generator.get_state()
        count = len(self._loader.dataset)
        self._follow(torch.randperm(count, generator=self.generator), 0)

    def _follow(self, order: torch.Tensor, cursor: int) -> None:
        """Starts to load this order from this place, with a seed for the workers."""
        self.order, self.cursor = order, cursor
        self._drawn = self.generator.get_state()
        seed = torch.randint(2**62, (), generator=self.generator)
        self._seeds.manual_seed(seed.item())
        self._rest[:] = order[cursor:].tolist()
        self._left = len(self._loader)
        self._batches = iter(self._loader)


class ReplayingLoader(ShuffledLoader):
    """A loader whose position is restored by loading the epoch again.

    The price is the time to load the batches that are thrown away. In return
    the workers do all they did before, random draws included, unless they
    live on from epoch to epoch (`persistent_workers`).
    """

    def save(self) -> dict[str, object]:
        """The generator's state before this epoch, and how far it went."""
        return {"start": self._start.numpy().copy(), "cursor": self.cursor}

    def load(self, position: dict[str, object]) -> None:
        """Begins the epoch again and throws away what was handed out."""
        self.generator.set_state(torch.from_numpy(position["start"]))
        self._begin_epoch()
        while self.cursor < position["cursor"]:
            self.next_batch()


class StatefulLoader(ShuffledLoader):
    """A loader whose position is restored by its order and a cursor.

    Nothing is loaded twice. In return, inside an epoch, the workers begin
    their streams again, so what they draw must depend on the example alone.
    """

    def save(self) -> dict[str, object]:
        """The order, the cursor, and the generator's state after the order."""
        order, state = self.order.numpy().copy(), self._drawn.numpy().copy()
        return {"order": order, "cursor": self.cursor, "generator": state}

    def load(self, position: dict[str, object]) -> None:
        """Goes on with the order at the cursor."""
        self.generator.set_state(torch.from_numpy(position["generator"]))
        self._follow(torch.from_numpy(position["order"]), position["cursor"])
