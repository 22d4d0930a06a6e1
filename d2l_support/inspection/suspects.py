"""The tensors of a run that are not finite, as rows of a report.

The numbers of a value are (NaN, +inf, -inf, first): three counts, and the
place of the first in C order. A look that does not count gives 1 for each
kind that is there, and -1 as the place.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from d2l_support.inspection.formats import count_elements, find_place, format_shape
from d2l_support.inspection.origins import Marks, find_roles
from d2l_support.inspection.runs import (
    BACKWARD,
    Labels,
    Run,
    Value,
    describe_value,
    fits,
    name_module,
)

KINDS = ("NaN", "+inf", "-inf")
Weights = Iterable[tuple[tuple[str, ...], Value]]


@dataclass(frozen=True)
class Suspect:
    """A tensor that is not finite.

    Attributes:
        label: What the report calls it.
        name: The first name of its module, or of the parameter.
        phase: "forward", "recompute", "backward" or "weights".
        role: "origin"; "carries" what came in, or what was made inside;
            "ends" it; "later" where inputs were not looked at; "gradient";
            "weight".
        shape, dtype: The tensor's.
        counts: How many NaN, +inf, -inf; 1 means some if place is None.
        place: The index of the first; None if it was not looked for.
    """

    label: str
    name: str
    phase: str
    role: str
    shape: tuple[int, ...]
    dtype: str
    counts: tuple[int, int, int]
    place: tuple[int, ...] | None


@dataclass(frozen=True)
class Findings:
    """What is not finite in a run, and not allowed to be.

    Attributes:
        run: The run.
        marks: The wrong slots of each call.
        gradients: The positions of the wrong gradients.
        weight_gradients, weights: The wrong ones of those.
        notes: What to tell about what is allowed.
    """

    run: Run
    marks: list[Marks]
    gradients: list[int]
    weight_gradients: list[tuple[tuple[str, ...], Value]]
    weights: list[tuple[tuple[str, ...], Value]]
    notes: tuple[str, ...]


def find_suspects(run: Run, allow_neginf: Collection[str]) -> Findings:
    """What is not finite in a run.

    Args:
        run: A run whose numbers are as this module says.
        allow_neginf: Where -inf is meant: names of modules, arguments, leaves
            such as "scores[0]", or buffers; "*" stands for any characters.
    """
    named = name_values(run)
    allowed = {id(value) for name, value in named if fits(name, allow_neginf)}
    bad = {i for i, v in enumerate(run.values) if is_bad(v, id(v) in allowed)}
    marks = [
        Marks(
            tuple(slot for slot in call.inputs or () if slot[1] in bad),
            tuple(slot for slot in call.outputs if slot[1] in bad),
        )
        for call in run.calls
    ]
    return Findings(
        run,
        marks,
        [at for at, (_, value) in enumerate(run.gradients) if is_bad(value)],
        [(names, value) for names, value in run.weight_gradients if is_bad(value)],
        [(n, value) for n, value in run.weights if is_bad(value, id(value) in allowed)],
        tuple(describe_allowed(named, pattern) for pattern in allow_neginf),
    )


def name_values(run: Run) -> list[tuple[str, Value]]:
    """The values of a run under every name that a pattern may fit."""
    labels, named = Labels(run.calls), []
    for index, call in enumerate(run.calls):
        for path, at in call.outputs:
            names = (*call.names, labels(index, path))
            named += [(name, run.values[at]) for name in names]
        named += [(path, run.values[at]) for path, at in call.inputs or ()]
    named += [(name, value) for names, value in run.weights for name in names]
    return named


def describe_allowed(named: list[tuple[str, Value]], pattern: str) -> str:
    """What a pattern for allowed -inf comes to."""
    fitting = [value for name, value in named if fits(name, (pattern,))]
    if not fitting:
        return f"allow_neginf {pattern!r} fits no output, argument or buffer."
    if any(value.numbers and value.numbers[2] for value in fitting):
        return f"-inf in {pattern} is allowed, and is there."
    return f"-inf in {pattern} is allowed, but is not there."


def is_bad(value: Value, neginf_allowed: bool = False) -> bool:
    """Whether a value has a NaN, +inf, or a -inf that is not allowed."""
    if not value.numbers:
        return False
    nan, positive, negative, _ = value.numbers
    return bool(nan or positive or (negative and not neginf_allowed))


def list_suspects(found: Findings) -> tuple[Suspect, ...]:
    """The rows: outputs in order of execution, gradients, then parameters."""
    rows = [*list_outputs(found), *list_gradients(found)]
    for names, value in found.weight_gradients:
        label = f"gradient of {name_module(names)}"
        rows.append(make_suspect(label, names[0], BACKWARD, "gradient", value))
    for names, value in found.weights:
        label = name_module(names)
        rows.append(make_suspect(label, names[0], "weights", "weight", value))
    return tuple(rows)


def list_outputs(found: Findings) -> list[Suspect]:
    """A row for each output that is not finite, but only one for a tensor."""
    run, rows, told = found.run, [], set()
    labels = Labels(run.calls)
    for index, role in find_roles(run.calls, found.marks).items():
        call = run.calls[index]
        for path, at in found.marks[index].outputs:
            if at not in told:
                where = (labels(index, path), call.names[0], call.phase, role)
                rows.append(make_suspect(*where, run.values[at]))
                told.add(at)
    return rows


def list_gradients(found: Findings) -> list[Suspect]:
    """A row for each gradient of an activation, in order of arrival."""
    rows = []
    for at in found.gradients:
        target, value = found.run.gradients[at]
        label = f"gradient of {describe_value(found.run, target)}"
        rows.append(make_suspect(label, label, BACKWARD, "gradient", value))
    return rows


def make_suspect(label: str, name: str, phase: str, role: str, value: Value) -> Suspect:
    """The row of a value that is not finite."""
    *counts, first = (int(number) for number in value.numbers)
    place = find_place(first, value.shape) if first >= 0 else None
    shape, dtype = value.shape, value.dtype
    return Suspect(label, name, phase, role, shape, dtype, tuple(counts), place)


def describe_kinds(value: Value) -> str:
    """What is not finite in a value: "256 NaN of 16384, first at [0, 5]"."""
    *counts, first = (int(number) for number in value.numbers)
    kinds = [(n, kind) for n, kind in zip(counts, KINDS, strict=True) if n]
    if first < 0:
        return " and ".join(kind for _, kind in kinds)
    told = " and ".join(f"{n} {kind}" for n, kind in kinds)
    place = list(find_place(first, value.shape))
    return f"{told} of {count_elements(value.shape)}, the first at {place}"


def describe_row(row: Suspect) -> tuple[str, ...]:
    """The cells of one row."""
    counted = row.place is not None
    cells = ("-" if not n else str(n) if counted else "some" for n in row.counts)
    place = str(list(row.place)) if counted else "?"
    return row.label, format_shape(row.shape), *cells, place, row.role
