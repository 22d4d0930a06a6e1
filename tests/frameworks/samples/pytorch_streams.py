"""PyTorch's streams: what there is, what it draws, and in which state it is."""

import torch

SAVE = {}


def make_streams(seed):
    return {"shuffle": torch.Generator().manual_seed(seed)}


def draw(streams):
    drawn = torch.randn(3), torch.randn(1, dtype=torch.float64)
    own = torch.rand(2, generator=streams["shuffle"])
    return [part.tolist() for part in (*drawn, own)]


def snapshot(streams):
    states = torch.get_rng_state(), streams["shuffle"].get_state()
    return [state.tolist() for state in states]
