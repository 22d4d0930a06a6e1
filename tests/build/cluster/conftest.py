"""Real Dask clusters on loopback."""

from collections.abc import Callable, Iterator

import distributed
import pytest


@pytest.fixture
def make_cluster() -> Iterator[Callable[[int], str]]:
    """A function that starts a cluster of worker processes; returns its address."""
    started = []

    def make(workers: int) -> str:
        one = distributed.LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            host="127.0.0.1",
            dashboard_address=None,
        )
        started.append(one)
        return one.scheduler_address

    yield make
    for one in started:
        one.close()
