"""What processes hold together, some of them on their way out."""

from types import SimpleNamespace

import psutil
import pytest

from d2l_support.build.isolation.processes import measure_memory

LIMIT = 600


def raise_(error: Exception):
    raise error


@pytest.fixture
def make_process():
    """A function that makes a process of some size, with its share of it."""

    def make(rss, pss):
        def measure(value):
            return raise_(value) if isinstance(value, Exception) else value

        return SimpleNamespace(
            memory_info=lambda: SimpleNamespace(rss=measure(rss)),
            memory_full_info=lambda: SimpleNamespace(pss=measure(pss)),
        )

    return make


def test_measure_memory_below_the_limit_asks_for_sizes_alone(make_process):
    processes = [make_process(200, AssertionError("asked")) for _ in range(3)]
    assert measure_memory(processes, LIMIT) == 600


def test_measure_memory_counts_what_is_shared_once(make_process):
    assert measure_memory([make_process(300, 75) for _ in range(4)], LIMIT) == 300


def test_measure_memory_counts_nothing_of_what_has_ended(make_process):
    gone = make_process(300, psutil.NoSuchProcess(1))
    zombie = make_process(300, psutil.ZombieProcess(2))
    never = make_process(psutil.NoSuchProcess(3), psutil.NoSuchProcess(3))
    processes = [gone, zombie, never, make_process(300, 290)]
    assert measure_memory(processes, LIMIT) == 290


def test_measure_memory_counts_the_size_where_shares_are_secret(make_process):
    processes = [make_process(400, psutil.AccessDenied(1)), make_process(400, 100)]
    assert measure_memory(processes, LIMIT) == 500
