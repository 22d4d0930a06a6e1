"""Streams of Python and NumPy of every kind that can be saved."""

import random

import numpy as np

ALGORITHMS = ("MT19937", "PCG64", "PCG64DXSM", "Philox", "SFC64")


def make_streams(seed):
    """A generator of each kind, a few draws after its start."""
    streams = {"python": random.Random(seed), "legacy": np.random.RandomState(seed)}
    for name in ALGORITHMS:
        bits = getattr(np.random, name)
        streams[name] = np.random.Generator(bits(seed))
        streams[f"legacy_{name}"] = np.random.RandomState(bits(seed))
    draw(streams)
    return streams


def draw(streams):
    """Draws that leave half a word or one of two normals behind."""
    drawn = [random.gauss(0, 1), random.random(), float(np.random.normal())]
    for stream in streams.values():
        if isinstance(stream, random.Random):
            drawn.append(stream.gauss(0, 1))
        elif isinstance(stream, np.random.RandomState):
            drawn.append(float(stream.normal()))
        elif isinstance(stream, np.random.Generator):
            drawn.append(int(stream.integers(100, dtype=np.uint32)))
            drawn.append(float(stream.normal()))
    return drawn


def snapshot(streams):
    """The states of the process and of the streams, read by other means."""
    states = [random.getstate(), np.random.get_state(legacy=False)]
    for stream in streams.values():
        if isinstance(stream, random.Random):
            states.append(stream.getstate())
        elif isinstance(stream, np.random.RandomState):
            states.append(stream.get_state(legacy=False))
        elif isinstance(stream, np.random.Generator):
            states.append(stream.bit_generator.state)
    return freeze(states)


def freeze(state):
    """The state with the bytes of each array in its place."""
    if isinstance(state, np.ndarray):
        return state.tobytes()
    if isinstance(state, dict):
        return {name: freeze(part) for name, part in state.items()}
    return [freeze(part) for part in state] if isinstance(state, list) else state
