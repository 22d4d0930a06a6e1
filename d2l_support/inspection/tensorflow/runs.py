"""A settled pass in the words that all frameworks share."""

from collections import Counter

from d2l_support.inspection.runs import Call, Run, Slot
from d2l_support.inspection.tensorflow.collecting import Argument, Called, Pass
from d2l_support.inspection.tensorflow.modules import Places


def build_run(places: Places, seen: Pass, traced: set[int]) -> Run:
    """The run of a pass.

    Args:
        places: The layers of the model.
        seen: The pass, settled.
        traced: The layers that were called while a graph was built.
    """
    counts: Counter[tuple[int, str]] = Counter()
    calls = []
    for called in seen.calls:
        counts[called.place, called.phase] += 1
        number = counts[called.place, called.phase]
        calls.append(build_call(places, called, number))
    return Run(
        "tensorflow",
        tuple(calls),
        tuple(sight.to_value() for sight in seen.sights),
        places.cover((called.place for called in seen.calls), traced),
        tuple((index, sight.to_value()) for index, sight in seen.gradients),
        tuple((names, sight.to_value()) for names, sight in seen.weights.items()),
        tuple((n, sight.to_value()) for n, sight in seen.weight_gradients.items()),
        seen.raised,
        seen.number,
    )


def build_call(places: Places, called: Called, number: int) -> Call:
    """One call, with names in place of ids and positions."""
    inputs = None
    if called.inputs is not None:
        inputs = tuple(name_argument(places, called.place, i) for i in called.inputs)
    names, kind = places.names[called.place], places.kind(called.place)
    return Call(names, kind, number, called.phase, inputs, called.outputs)


def name_argument(places: Places, place: int, argument: Argument) -> Slot:
    """The slot of an argument, under its name in the layer's call."""
    key, path, index = argument
    name = places.argument(place, key) if isinstance(key, int) else key
    return name + path, index
