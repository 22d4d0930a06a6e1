"""What one pass through a model showed, without a tensor of any framework.

A `Run` lists the calls of the modules in the order in which they *ended*, so
that a module comes after everything inside it. A call holds slots, which say
where in its inputs and outputs a tensor was and which `Value` describes it.
The same tensor is the same value wherever it turns up again.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from d2l_support.inspection.coverage import Coverage

FORWARD, RECOMPUTE, BACKWARD = "forward", "recompute", "backward"
MODEL = "(model)"

Slot = tuple[str, int]  # how a tensor is reached, and the index of its value


@dataclass(frozen=True)
class Value:
    """One tensor, looked at once.

    Attributes:
        shape: Its shape.
        dtype: The name of its dtype without the framework's: "float32".
        numbers: What was measured, in the order that the report says; None
            for a number that this tensor does not have.
        skipped: Why it could not be measured, or nothing.
        data: Its bytes in C order, where the helper asked for them.
    """

    shape: tuple[int, ...]
    dtype: str
    numbers: tuple[float | None, ...] = ()
    skipped: str = ""
    data: bytes | None = field(default=None, repr=False)


@dataclass(frozen=True)
class Call:
    """One call of one module.

    Attributes:
        names: All the dotted names of the module; "" is the model itself.
        kind: The module's class.
        number: 1 for the first call in this phase, 2 for the second, ...
        phase: "forward", or "recompute" inside a backward pass.
        inputs: The slots of its arguments; None where they were not looked at.
        outputs: The slots of what it returned; none if it raised.
    """

    names: tuple[str, ...]
    kind: str
    number: int
    phase: str
    inputs: tuple[Slot, ...] | None
    outputs: tuple[Slot, ...]

    @property
    def key(self) -> tuple[tuple[str, ...], int, str]:
        """What tells this call from every other one of the run."""
        return self.names, self.number, self.phase


@dataclass(frozen=True)
class Run:
    """One pass through a model.

    Attributes:
        framework: The framework's key.
        calls: The calls in the order in which they ended.
        values: The tensors that the slots point to.
        coverage: Which modules were seen.
        gradients: For each gradient in order of arrival, the index of the
            value that it belongs to, and what was measured.
        weights: Parameters and buffers: all their names, and the value.
        weight_gradients: The gradients of the parameters, likewise.
        raised: Where an exception ended the pass, or nothing.
        number: 1 for the first pass that was watched, 2 for the second, ...
    """

    framework: str
    calls: tuple[Call, ...]
    values: tuple[Value, ...]
    coverage: Coverage
    gradients: tuple[tuple[int, Value], ...] = ()
    weights: tuple[tuple[tuple[str, ...], Value], ...] = ()
    weight_gradients: tuple[tuple[tuple[str, ...], Value], ...] = ()
    raised: str = ""
    number: int = 1


def name_module(names: tuple[str, ...]) -> str:
    """All names of a module in one text; a tied module has several."""
    return " = ".join(name or MODEL for name in names)


class Labels:
    """Names for the calls of a run: "3.body.0", or "tied = other, call 2"."""

    def __init__(self, calls: Sequence[Call]):
        self._calls = calls
        self._counts = Counter((call.names, call.phase) for call in calls)

    def __call__(self, index: int, path: str = "") -> str:
        """The label of a call, or of the part of its output under a path."""
        call = self._calls[index]
        label = name_module(call.names) + path
        if call.phase != FORWARD:
            label += f", {call.phase}"
        often = self._counts[call.names, call.phase] > 1
        return f"{label}, call {call.number}" if often else label


def fits(name: str, patterns: Iterable[str]) -> bool:
    """Whether a name is one of the patterns, or fits one: "*.body.?"."""
    return any(name == p or fnmatchcase(name, p) for p in patterns)


def encloses(outer: Call, inner: Call) -> bool:
    """Whether one call's module contains the other's, judged by the names."""
    if outer.phase != inner.phase or outer.names == inner.names:
        return False
    return any(
        name == "" or other.startswith(f"{name}.")
        for name in outer.names
        for other in inner.names
    )


def find_enclosing(calls: Sequence[Call], index: int) -> int | None:
    """The index of the call from inside which this call was made.

    It is the first one around it to end afterwards; None at the outside.
    """
    inner = calls[index]
    later = range(index + 1, len(calls))
    return next((i for i in later if encloses(calls[i], inner)), None)


def describe_value(run: Run, value: int) -> str:
    """Where a value turns up first: as whose output, or as whose argument."""
    labels = Labels(run.calls)
    for index, call in enumerate(run.calls):
        for path, slot in call.outputs:
            if slot == value:
                return f"the output of {labels(index, path)}"
    for index, call in enumerate(run.calls):
        for path, slot in call.inputs or ():
            if slot == value:
                return f"the argument {path} of {labels(index)}"
    raise IndexError(f"value {value} is in no call of this run.")
