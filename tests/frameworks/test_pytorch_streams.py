"""PyTorch's streams: every device, generator objects, and the switches."""

import pytest
import torch

from d2l_support import pytorch as d2l


def find_stream(inventory, name):
    return next(s for s in inventory.streams if s.name == name)


def test_set_seed_equals_manual_seed():
    assert d2l.set_seed(3) is None
    reference = torch.Generator().manual_seed(3)
    assert torch.equal(torch.randn(5), torch.randn(5, generator=reference))


def test_set_seed_does_not_reach_generator():
    generator = torch.Generator().manual_seed(7)
    state = generator.get_state()
    d2l.set_seed(3)
    assert torch.equal(generator.get_state(), state)


def test_generator_shows_whether_it_has_moved():
    generator = torch.Generator().manual_seed(7)
    assert d2l.random_inventory(shuffle=generator).streams[-1].moved is False
    torch.randperm(10, generator=generator)
    assert d2l.random_inventory(shuffle=generator).streams[-1].moved is True


def test_new_generators_all_start_alike():
    # A generator that nobody seeded is not random: its first seed is fixed.
    one, two = torch.Generator(), torch.Generator()
    assert one.initial_seed() == two.initial_seed() == 67280421310721
    assert torch.equal(one.get_state(), two.get_state())


def test_inventory_refuses_global_generator():
    message = r"rng=\.\.\.\): found torch's global generator of cpu, .* in any case"
    with pytest.raises(ValueError, match=message):
        d2l.random_inventory(rng=torch.default_generator)


def test_seeding_by_hand_shows_as_moved():
    d2l.set_seed(3)
    torch.manual_seed(4)
    found = find_stream(d2l.random_inventory(), "PyTorch cpu")
    assert (found.seeded_by, found.moved) == (3, True)


@pytest.fixture
def cuda_states(monkeypatch):
    """Two pretended CUDA devices: their states by index, empty before start."""
    states = {}

    def start():
        states.update({0: torch.tensor([5], dtype=torch.uint8), 1: torch.zeros(1)})

    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    monkeypatch.setattr(torch.cuda, "is_initialized", lambda: bool(states))
    monkeypatch.setattr(torch.cuda, "init", start)
    monkeypatch.setattr(torch.cuda, "get_rng_state", lambda index: states[index])
    return states


@pytest.mark.usefixtures("unseeded")
def test_inventory_does_not_start_cuda(cuda_states):
    found = find_stream(d2l.random_inventory(), "PyTorch cuda:1")
    assert (found.seeded_by, found.moved, found.reached) == (None, None, True)
    assert not cuda_states


@pytest.mark.usefixtures("unseeded")
def test_inventory_has_a_row_for_each_cuda_device(cuda_states):
    d2l.set_seed(3)
    cuda_states[1] = torch.ones(1)
    first = find_stream(d2l.random_inventory(), "PyTorch cuda:0")
    second = find_stream(d2l.random_inventory(), "PyTorch cuda:1")
    assert (first.seeded_by, first.moved) == (3, False)
    assert (second.seeded_by, second.moved) == (3, True)


def test_environment_lists_changed_switches():
    name = "torch.use_deterministic_algorithms"
    assert name not in d2l.describe_environment()["flags"]
    torch.use_deterministic_algorithms(True)
    try:
        assert d2l.describe_environment()["flags"][name] is True
    finally:
        torch.use_deterministic_algorithms(False)


def test_environment_reads_threads_back():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        assert d2l.describe_environment()["threads"] == 1
    finally:
        torch.set_num_threads(before)
