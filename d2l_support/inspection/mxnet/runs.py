"""A settled pass in the words that all frameworks share."""

from collections import Counter

from d2l_support.inspection.coverage import Coverage
from d2l_support.inspection.mxnet.blocks import Places
from d2l_support.inspection.mxnet.collecting import Pass
from d2l_support.inspection.mxnet.sights import Called
from d2l_support.inspection.runs import FORWARD, Call, Run


def build_run(places: Places, seen: Pass, warnings: tuple[str, ...] = ()) -> Run:
    """The run of a pass.

    Args:
        places: The blocks of the model.
        seen: The pass, settled.
        warnings: What else a reader must know to trust the report.
    """
    counts: Counter[int] = Counter()
    calls = []
    for called in seen.calls:
        counts[called.place] += 1
        calls.append(build_call(places, seen, called, counts[called.place]))
    cover = places.cover(called.place for called in seen.calls)
    return Run(
        "mxnet",
        tuple(calls),
        tuple(sight.to_value() for sight in seen.sights),
        Coverage(cover.seen, cover.silent, (*cover.warnings, *warnings)),
        tuple(
            (seen.same.get(index, index), sight.to_value())
            for index, sight in seen.gradients
        ),
        tuple((names, sight.to_value()) for names, sight in seen.weights.items()),
        tuple((n, sight.to_value()) for n, sight in seen.weight_gradients.items()),
        seen.raised,
        seen.number,
    )


def build_call(places: Places, seen: Pass, called: Called, number: int) -> Call:
    """One call, with names in place of ids and positions."""
    inputs = None
    if called.inputs is not None:
        inputs = tuple(
            (places.argument(called.place, position) + path, seen.same.get(at, at))
            for position, path, at in called.inputs
        )
    outputs = tuple((path, seen.same.get(at, at)) for path, at in called.outputs)
    names, kind = places.names[called.place], places.kind(called.place)
    return Call(names, kind, number, FORWARD, inputs, outputs)
