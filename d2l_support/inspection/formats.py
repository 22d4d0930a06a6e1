"""Numbers, shapes and places in the words of a report."""

import math

import numpy as np

from d2l_support.inspection.coverage import group_reasons
from d2l_support.inspection.runs import Labels, Run, describe_value, name_module


def format_number(number: float | None) -> str:
    """Two decimals where they tell something, two digits elsewhere."""
    if number is None:
        return "-"
    if not math.isfinite(number):
        return "NaN" if math.isnan(number) else f"{number:+}"
    if number == 0 or 0.01 <= abs(number) < 1000:
        return f"{number + 0.0:.2f}"
    return f"{number:.1e}"


def format_share(share: float | None) -> str:
    """A share of one, in percent."""
    return "-" if share is None else f"{100 * share:.0f} %"


def format_shape(shape: tuple[int, ...]) -> str:
    """The sizes with a cross between them."""
    return "x".join(map(str, shape)) or "scalar"


def find_place(flat: int, shape: tuple[int, ...]) -> tuple[int, ...]:
    """The index of an element, from its number in C order."""
    return tuple(int(index) for index in np.unravel_index(flat, shape))


def count_elements(shape: tuple[int, ...]) -> int:
    """How many elements a tensor of this shape has."""
    return math.prod(shape)


def describe_skipped(run: Run) -> tuple[str, ...]:
    """What was not measured, grouped by the reason."""
    labels = Labels(run.calls)
    pairs = []
    for index, call in enumerate(run.calls):
        for path, value in call.outputs:
            pairs.append((labels(index, path), run.values[value].skipped))
        for path, value in call.inputs or ():
            name = f"{path} of {labels(index)}"
            pairs.append((name, run.values[value].skipped))
    for target, value in run.gradients:
        name = f"gradient of {describe_value(run, target)}"
        pairs.append((name, value.skipped))
    for names, value in run.weight_gradients:
        pairs.append((f"gradient of {name_module(names)}", value.skipped))
    for names, value in run.weights:
        pairs.append((name_module(names), value.skipped))
    skipped = [(name, reason) for name, reason in pairs if reason]
    return tuple(f"Not checked: {text}" for text in group_reasons(skipped))


def describe_end(run: Run) -> tuple[str, ...]:
    """The notes that every report ends with."""
    raised = (f"The pass ended early: {run.raised}.",) if run.raised else ()
    return (*raised, *describe_skipped(run), *run.coverage.describe())
