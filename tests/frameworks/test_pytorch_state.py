"""PyTorch's states: the bytes that torch takes, and those that it should not."""

import base64
import json
import struct

import numpy as np
import pytest
import torch

from d2l_support import pytorch as d2l
from d2l_support.state.file import encode_file
from d2l_support.state.pytorch import LEFT, NEXT, NORMAL, WORDS


@pytest.fixture
def saved(tmp_path):
    """A generator, and the file that it has just been saved to."""
    generator = torch.Generator().manual_seed(1)
    torch.randn(1, dtype=torch.float64, generator=generator)
    d2l.save_random_state(tmp_path / "state.json", generator=generator)
    return generator, tmp_path / "state.json"


def write_state(file, state):
    """Puts other bytes into the file, with the right digest."""
    text = base64.b64encode(bytes(state)).decode()
    content = json.loads(file.read_bytes())["content"]
    content["named"]["generator"]["state"]["bytes"] = text
    file.write_bytes(encode_file(content))


def test_second_normal_of_a_pair_is_part_of_the_state(saved):
    generator, file = saved
    drawn = torch.randn(1, dtype=torch.float64, generator=generator)
    d2l.load_random_state(file, generator=generator)
    again = torch.randn(1, dtype=torch.float64, generator=generator)
    assert torch.equal(drawn, again)


def test_every_position_of_the_table_can_be_saved(tmp_path):
    generator = torch.Generator().manual_seed(1)
    for _ in range(200):
        torch.randint(9, (7,), generator=generator)
        d2l.restore_random_state(
            d2l.read_random_state(generator=generator), generator=generator
        )


@pytest.mark.parametrize(
    ("place", "format", "value", "said"),
    [
        (LEFT, "<i", 700, "torch says: Invalid mt19937 state"),
        (LEFT, "<i", 3, "3 words are left after position 4"),
        (NEXT, "<Q", 600, "words are left after position 600"),
        (WORDS + 4, "<I", 1, "torch would not keep it as it is"),
        (NORMAL, "<d", float("nan"), "its stored normal is not finite"),
        (WORDS, f"{624 * 8}s", b"", "its words are all zero"),
    ],
)
def test_load_refuses_nonsense(saved, place, format, value, said):
    generator, file = saved
    state = bytearray(generator.get_state().numpy().tobytes())
    struct.pack_into(format, state, place, value)
    write_state(file, state)
    before = generator.get_state()
    with pytest.raises(d2l.RandomStateError, match=f"stream 'generator': .*{said}"):
        d2l.load_random_state(file, generator=generator)
    assert torch.equal(generator.get_state(), before)


def test_torch_itself_takes_a_place_outside_its_table():
    # With 600 words left after position 600 it would read up to word 1200.
    generator = torch.Generator().manual_seed(1)
    torch.rand(1, generator=generator)
    state = generator.get_state()
    state.numpy()[NEXT : NEXT + 2] = np.frombuffer(struct.pack("<H", 600), np.uint8)
    generator.set_state(state)
    assert torch.equal(generator.get_state(), state)


def test_generator_of_another_device_is_another_kind(saved, monkeypatch):
    content = d2l.read_random_state(generator=saved[0])
    content["named"]["generator"]["kind"] = "torch.Generator on cuda:0"
    message = "of 'torch.Generator on cuda:0', expected that of .* on cpu'"
    with pytest.raises(d2l.RandomStateError, match=message):
        d2l.restore_random_state(content, generator=saved[0])


@pytest.fixture
def cuda_states(monkeypatch):
    """Two pretended CUDA devices: a seed and an offset each, by index."""
    states = {
        index: torch.from_numpy(np.array([index, 8], np.uint64).view(np.uint8))
        for index in range(2)
    }

    def put(state, device):
        states[device] = state

    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    monkeypatch.setattr(torch.cuda, "get_rng_state", lambda index: states[index])
    monkeypatch.setattr(torch.cuda, "set_rng_state", put)
    return states


def test_states_of_all_cuda_devices_are_saved(cuda_states, tmp_path):
    file = tmp_path / "state.json"
    d2l.save_random_state(file)
    one, two = cuda_states[0].clone(), cuda_states[1].clone()
    cuda_states.update({0: two, 1: two})
    d2l.load_random_state(file)
    assert torch.equal(cuda_states[0], one)
    assert torch.equal(cuda_states[1], two)


def test_state_of_a_cuda_device_has_a_form(cuda_states, tmp_path):
    content = d2l.read_random_state()
    cuda_states[1] = torch.from_numpy(np.array([1, 6], np.uint64).view(np.uint8))
    broken = d2l.read_random_state()
    with pytest.raises(d2l.RandomStateError, match="its offset is 6, expected a multi"):
        d2l.restore_random_state(broken)
    assert torch.equal(cuda_states[1][8:], torch.tensor([6, *[0] * 7]).byte())
    d2l.restore_random_state(content)


def test_number_of_cuda_devices_has_to_agree(cuda_states, monkeypatch):
    content = d2l.read_random_state()
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 1)
    message = r"found states for 3 device\(s\), expected 2"
    with pytest.raises(d2l.RandomStateError, match=message):
        d2l.restore_random_state(content)


def test_loading_resumes_at_draw_n_plus_one(tmp_path):
    # Section 1.4: draw 4, save, draw 3, restore, draw the same 3.
    torch.manual_seed(17)
    torch.rand(4, dtype=torch.float64)
    d2l.save_random_state(tmp_path / "state.json")
    following = torch.rand(3, dtype=torch.float64)
    d2l.load_random_state(tmp_path / "state.json")
    assert torch.equal(torch.rand(3, dtype=torch.float64), following)
    torch.manual_seed(17)
    assert not torch.equal(torch.rand(3, dtype=torch.float64), following)
