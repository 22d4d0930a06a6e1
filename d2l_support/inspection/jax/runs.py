"""A settled pass in the words that all frameworks share."""

from collections import Counter

from d2l_support.inspection.jax.collecting import Pass
from d2l_support.inspection.jax.modules import Places
from d2l_support.inspection.jax.sights import Argument, Called
from d2l_support.inspection.runs import FORWARD, Call, Run, Slot


def build_run(places: Places, seen: Pass) -> Run:
    """The run of a pass.

    Every call is one of the forward pass: what `nnx.remat` computes again in
    the backward pass is compiled, and calls no module.

    Args:
        places: The modules of the model.
        seen: The pass, settled.
    """
    counts: Counter[int] = Counter()
    calls = []
    for called in seen.calls:
        counts[called.place] += 1
        calls.append(build_call(places, called, counts[called.place]))
    return Run(
        "jax",
        tuple(calls),
        tuple(sight.to_value() for sight in seen.sights),
        places.cover({called.place for called in seen.calls}, seen.traced),
        tuple((index, sight.to_value()) for index, sight in seen.gradients),
        tuple((names, sight.to_value()) for names, sight in seen.weights.items()),
        tuple((n, sight.to_value()) for n, sight in seen.weight_gradients.items()),
        seen.raised,
        seen.number,
    )


def build_call(places: Places, called: Called, number: int) -> Call:
    """One call, with names in place of numbers and positions."""
    inputs = None
    if called.inputs is not None:
        inputs = tuple(name_argument(places, called.place, i) for i in called.inputs)
    names, kind = places.names[called.place], places.kind(called.place)
    return Call(names, kind, number, FORWARD, inputs, called.outputs)


def name_argument(places: Places, place: int, argument: Argument) -> Slot:
    """The slot of an argument, under its name in the module's __call__."""
    key, path, index = argument
    name = places.argument(place, key) if isinstance(key, int) else key
    return name + path, index
