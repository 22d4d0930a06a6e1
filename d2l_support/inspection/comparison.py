"""Two traces, call by call: what agrees, and how the rest differs."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from d2l_support.inspection.differences import Difference, Tolerance, compare_tensors
from d2l_support.inspection.formats import format_shape
from d2l_support.inspection.origins import Marks
from d2l_support.inspection.runs import Call, Labels, Slot, Value
from d2l_support.inspection.traces import Trace


@dataclass(frozen=True)
class Comparison:
    """How two traces differ.

    Attributes:
        a, b: The traces.
        marks: For each call of the first, the slots that differ.
        differences: By the index of a value of the first, how it differs; in
            words where it cannot be measured.
        compared: How many outputs were compared.
        missing: The labels of calls that only one of the runs made.
        weights: The names of parameters and buffers that differ.
        streams: The names of random streams that began differently.
        settings: What differs in the environment: "threads: 1 and 2".
    """

    a: Trace
    b: Trace
    marks: list[Marks]
    differences: dict[int, Difference | str]
    compared: int
    missing: tuple[str, ...]
    weights: tuple[str, ...]
    streams: tuple[str, ...]
    settings: tuple[str, ...]


def compare_traces(a: Trace, b: Trace, tolerance: Tolerance | None) -> Comparison:
    """How the second trace differs from the first.

    Raises:
        ValueError: They are of two frameworks, or of models that have no
            module in common.
    """
    check_comparable(a, b)
    others = {call.key: call for call in b.run.calls}
    pairing = Pairing(a, b, tolerance)
    marks = [pairing.mark(call, others.get(call.key)) for call in a.run.calls]
    return Comparison(
        a,
        b,
        marks,
        pairing.differences,
        pairing.compared,
        list_missing(a, b),
        list_unequal(a.weights, b.weights),
        list_unequal(a.streams, b.streams),
        list_settings(a.environment, b.environment),
    )


class Pairing:
    """Compares the values of two traces, each pair of them once.

    Attributes:
        differences: As in `Comparison`.
        compared: How many outputs were compared so far.
    """

    def __init__(self, a: Trace, b: Trace, tolerance: Tolerance | None):
        self.differences: dict[int, Difference | str] = {}
        self.compared = 0
        self._a, self._b, self._tolerance = a, b, tolerance
        self._done: dict[tuple[int, int], bool] = {}

    def mark(self, call: Call, other: Call | None) -> Marks:
        """The slots of a call that differ from those of the other run's."""
        if other is None:
            return Marks((), ())
        self.compared += len(call.outputs)
        inputs = self._list_unequal(call.inputs or (), other.inputs or ())
        return Marks(inputs, self._list_unequal(call.outputs, other.outputs))

    def _list_unequal(
        self, slots: tuple[Slot, ...], others: tuple[Slot, ...]
    ) -> tuple[Slot, ...]:
        there = dict(others)
        return tuple(slot for slot in slots if self._differs(slot, there))

    def _differs(self, slot: Slot, there: Mapping[str, int]) -> bool:
        """Whether a value differs; how, is kept for the report."""
        path, at = slot
        pair = at, there.get(path, -1)
        if pair not in self._done:
            difference = self._compare(*pair)
            self._done[pair] = difference is not None
            if difference is not None:
                self.differences.setdefault(at, difference)
        return self._done[pair]

    def _compare(self, at: int, other: int) -> Difference | str | None:
        """How two values differ; None if they agree, or cannot be read."""
        if other < 0:
            return "is there in one run only"
        mine, theirs = self._a.run.values[at], self._b.run.values[other]
        if (mine.shape, mine.dtype) != (theirs.shape, theirs.dtype):
            kinds = describe_kind(mine), describe_kind(theirs)
            return "is {} in one run and {} in the other".format(*kinds)
        if self._a.digests[at] == self._b.digests[other]:
            return None
        if mine.data is None or theirs.data is None:
            return "differs; by how much is not known without the values"
        where = mine.shape, mine.dtype, mine.data, theirs.data
        return compare_tensors(*where, self._tolerance)


def check_comparable(a: Trace, b: Trace) -> None:
    """Refuses traces that have nothing to compare."""
    mine, theirs = a.run.framework, b.run.framework
    if mine != theirs:
        raise ValueError(f"found traces of {mine} and of {theirs}, expected one's.")
    keys = {call.key for call in b.run.calls}
    if not any(call.key in keys for call in a.run.calls):
        names = [Labels(t.run.calls)(0) if t.run.calls else "none" for t in (a, b)]
        raise ValueError(
            "found two runs without a module in common (the first calls are "
            f"{names[0]} and {names[1]}), expected two runs of one model."
        )


def list_missing(a: Trace, b: Trace) -> tuple[str, ...]:
    """The labels of the calls that only one of the runs made."""
    missing = []
    for one, other in ((a, b), (b, a)):
        keys, labels = {call.key for call in other.run.calls}, Labels(one.run.calls)
        alone = (i for i, c in enumerate(one.run.calls) if c.key not in keys)
        missing += [labels(index) for index in alone]
    return tuple(missing)


def list_unequal(a: Mapping[str, str], b: Mapping[str, str]) -> tuple[str, ...]:
    """The names that stand for different digests in two mappings."""
    return tuple(name for name in a if name in b and a[name] != b[name])


def list_settings(a: Mapping[str, Any], b: Mapping[str, Any]) -> tuple[str, ...]:
    """What differs between two environments: "threads: 1 and 2"."""
    mine, theirs = flatten(a), flatten(b)
    names = dict.fromkeys((*mine, *theirs))
    return tuple(
        f"{name}: {mine.get(name, 'not set')} and {theirs.get(name, 'not set')}"
        for name in names
        if mine.get(name) != theirs.get(name)
    )


def flatten(environment: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """The environment with one name for each entry: "versions.torch"."""
    flat: dict[str, Any] = {}
    for name, entry in environment.items():
        if isinstance(entry, Mapping):
            flat |= flatten(entry, f"{prefix}{name}.")
        else:
            flat[prefix + name] = entry
    return flat


def describe_kind(value: Value) -> str:
    """The shape and the dtype of a value."""
    return f"{format_shape(value.shape)} {value.dtype}"
