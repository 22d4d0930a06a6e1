"""A training with everything that has to survive an interruption, in PyTorch.

Twelve examples in batches of four, so that an epoch has three steps. The
learning rate follows a cosine.
"""

import numpy as np
import torch
from torch import nn
from torch.utils.data import Dataset

from d2l_support import pytorch as d2l


class NoisyRows(Dataset):
    """Rows with noise that depends on the row's number only."""

    def __init__(self):
        rng = np.random.default_rng(0)
        self.X = rng.normal(size=(12, 4)).astype(np.float32)
        self.y = rng.normal(size=(12, 1)).astype(np.float32)

    def __len__(self):
        return len(self.X)

    def __getitem__(self, index):
        noise = np.random.default_rng([1, index]).normal(size=4)
        return self.X[index] + noise.astype(np.float32), self.y[index]


class DrawnRows(NoisyRows):
    """Rows with noise from the stream of the process that loads them."""

    def __getitem__(self, index):
        return self.X[index] + torch.randn(4).numpy(), self.y[index]


class Training:
    """A network with dropout and batch norm, momentum and a schedule."""

    def __init__(self, loader=d2l.StatefulLoader, dataset=NoisyRows, workers=0):
        self.model = nn.Sequential(
            nn.Linear(4, 8),
            nn.ReLU(),
            nn.BatchNorm1d(8),
            nn.Dropout(0.5),
            nn.Linear(8, 1),
        )
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1, momentum=0.9)
        self.scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(self.optimizer, 10)
        generator = torch.Generator().manual_seed(1)
        self.loader = loader(dataset(), 4, generator, num_workers=workers)

    def step(self):
        X, y = self.loader.next_batch()
        loss = nn.functional.mse_loss(self.model(X), y)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        self.scheduler.step()
        return loss.item()

    def items(self):
        return d2l.list_items(self.model, self.optimizer, self.scheduler, self.loader)

    def values(self):
        return d2l.read_model(self.model)


def build():
    return Training()


# Where an item shows first that was left out at step 4: the step, whether
# right after loading, and the value.
SHOWS = {
    "model": (4, True, "0.weight"),
    "optimizer": (5, False, "0.weight"),
    "scheduler": (6, False, "0.weight"),
    "loader position": (5, False, "loss"),
    "random streams": (5, False, "loss"),
}
PROOF = {}
