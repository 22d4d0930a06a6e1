"""The recorded outputs agree with what the reference edition printed.

A section is held to it by one row of ``ROWS`` for each figure and framework.
"""

import json
import math
import re
from ast import literal_eval
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import nbformat
import pytest

from d2l_support.build.frameworks import ALL_KEYS
from d2l_support.build.layout import Book

BOOK = Book(Path(__file__).parents[2])
FIGURES = json.loads(Path(__file__).with_name("published.json").read_text())["figures"]
WORD = re.compile(r"True|False|[-+]?\d+\.?\d*(?:[eE][-+]?\d+)?")

Value = float | bool | str
Rule = Callable[[Value, Value], bool]


def exact(found: Value, published: Value) -> bool:
    """Whether two values are equal; a boolean equals no number."""
    is_bool = isinstance(found, bool), isinstance(published, bool)
    return found == published and is_bool in ((True, True), (False, False))


def within(rtol: float = 0.0, atol: float = 0.0) -> Rule:
    """A rule: within a relative or an absolute distance of the published."""
    return lambda found, published: (
        abs(found - published) <= max(rtol * abs(published), atol)
    )


def rounded(decimals: int) -> Rule:
    """A rule: equal once both are rounded to so many decimals."""
    return lambda found, published: round(found, decimals) == round(published, decimals)


def same_magnitude(found: float, published: float) -> bool:
    """Whether two values, their signs aside, are within a factor of ten."""
    return 0.1 <= abs(found / published) <= 10


class Row(NamedTuple):
    """One figure of a section in one framework.

    Attributes:
        section: The section's name.
        step: The cell that prints the figure.
        framework: The framework key.
        figure: The figure's name in ``published.json``.
        pattern: Finds the figure in the output: its first group.
        rule: How the two are to agree.
    """

    section: str
    step: str
    framework: str
    figure: str
    pattern: str
    rule: Rule


SAME_DEVICE = within(rtol=1e-5)
OTHER_DEVICE = within(rtol=1e-4)  # the figures of JAX were printed on a GPU
GPU_NORMS = within(rtol=2e-3)  # and so were the norms of gradients

ROWS = [
    *(
        Row("seeds", "same-seed", key, "same seed, equal", r"weights: (\w+)", exact)
        for key in ALL_KEYS
    ),
    *(
        Row("seeds", "same-seed", key, f"loss of seed {n}", rf"seed {n}: (\S+)", rule)
        for n in (0, 1)
        for key, rule in (
            ("pytorch", SAME_DEVICE),
            ("tensorflow", SAME_DEVICE),
            ("jax", OTHER_DEVICE),
            ("mxnet", SAME_DEVICE),
        )
    ),
    *(
        Row("generators", "split", key, "split", r"True\n(\[.*?\])", exact)
        for key in ALL_KEYS
    ),
    Row("loader-workers", "order", "pytorch", "order", r"first pass: +(\S.*)", exact),
    *(
        Row("loader-workers", "order", "tensorflow", figure, pattern, exact)
        for figure, pattern in (
            ("order of epoch 1", r"epoch 1: +(\[\[.*)"),
            ("order of epoch 2", r"epoch 2: +(\[\[.*)"),
            ("order when rebuilt", r"rebuilt, epoch 1: +(\[\[.*)"),
        )
    ),
    *(
        Row(
            "deterministic-arithmetic",
            "sum",
            key,
            "sum forward minus reversed",
            r"reversed: (\S+)",
            same_magnitude,
        )
        for key in ("pytorch", "tensorflow", "jax")
    ),
    Row(
        "deterministic-arithmetic",
        "triple",
        "mxnet",
        "regrouped triple",
        r"\+ c = (\S+)",
        exact,
    ),
    *(
        Row(section, step, "pytorch", figure, pattern, exact)
        for section, step, figure, pattern in (
            ("resumption", "next-draws", "same next draws", r"next draws: (\w+)"),
            ("resumption", "next-draws", "draws before saving", r"count: (\d+)"),
            ("resumption-modes", "mode", "dropout in training", r"train: (\[.*)"),
            ("resumption-modes", "mode", "dropout in evaluation", r"eval: +(\[.*)"),
        )
    ),
    *(
        Row("ste", step, key, figure, rf"{label}: +(\[.*)", exact)
        for key in ALL_KEYS
        for step, figure, label in (
            (
                "flat",
                "gradient of round",
                "as zero" if key == "tensorflow" else "gradient",
            ),
            ("check", "gradient of the estimator", "gradient"),
        )
    ),
    Row("ste", "shortcut", "jax", "stop_gradient agrees", r"agree: (\[.*)", exact),
    *(
        Row(
            "hooks",
            "spread",
            key,
            "standard deviation of outputs",
            r"spread: (\[.*)",
            rounded(2),
        )
        for key in ALL_KEYS
    ),
    Row(
        "hooks-spread",
        "zeros",
        "pytorch",
        "share of zeros",
        r"zeros: (\[.*)",
        rounded(2),
    ),
    Row(
        "backward-hooks",
        "arriving",
        "pytorch",
        "gradient that arrives",
        r"((?:\w+ +\d\.\d{4}\n?){3})",
        rounded(4),
    ),
    *(
        Row("backward-hooks", "parameter-norms", key, figure, pattern, GPU_NORMS)
        for key in ("tensorflow", "jax")
        for figure, pattern in (
            ("norm of the kernel's gradient", r"kernel: (\S+)"),
            ("norm of the bias's gradient", r"bias: +(\S+)"),
        )
    ),
    *(
        Row("custom-layers", step, key, figure, pattern, rule)
        for step, figure, pattern, rule in (
            ("centered", "centered", r"(\[.*?\])", exact),
            ("centered-mean", "mean of centered", r"mean: (\S+)", within(atol=1e-7)),
            *(
                # One value is published, for each of the rows.
                (
                    "mean-square",
                    "mean square",
                    rf"row: \[(?:\S+ ){{{n}}}([^,\]]+)",
                    within(atol=1e-6),
                )
                for n in range(4)
            ),
        )
        for key in ALL_KEYS
    ),
    *(
        Row(
            "custom-layers-axes",
            "clone",
            key,
            "clone agrees",
            r"after .*: +(\w+)",
            exact,
        )
        for key in ALL_KEYS
    ),
    *(
        Row(
            "custom-layers-native",
            "native",
            key,
            "native agrees",
            r"layer: (\w+)",
            exact,
        )
        for key in ("pytorch", "tensorflow", "jax")
    ),
    *(
        Row("nan-finder", "first", key, "first module", r"first: (\S.*)", exact)
        for key in ALL_KEYS
    ),
]


def flatten(values: list | Value) -> list[Value]:
    """The values in nested lists, in order."""
    if not isinstance(values, list):
        return [values]
    return [value for part in values for value in flatten(part)]


def read_values(text: str, published: list[Value]) -> list[Value]:
    """The values in a text, of the kinds that were published."""
    if any(isinstance(value, str) for value in published):
        is_list = text.startswith(("[", "("))
        return list(literal_eval(text)) if is_list else [text.strip("'\"")]
    return [literal_eval(word) for word in WORD.findall(text)]


def recorded_text(section: str, step: str, framework: str) -> str:
    """What a recorded cell printed or returned."""
    [name] = [known for known in BOOK.sections() if known.name == section]
    record = nbformat.read(BOOK.record(name, framework), as_version=4)
    [cell] = [cell for cell in record.cells if cell.id == step]
    texts = (out.get("text") or out.data["text/plain"] for out in cell.outputs)
    return "".join(texts)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: "-".join(row[:4]))
def test_recorded_figure_agrees_with_published(row):
    published = flatten(FIGURES[row.section][row.figure][row.framework])
    text = recorded_text(row.section, row.step, row.framework)
    match = re.search(row.pattern, text)
    assert match, f"found no {row.pattern!r} in the output, expected one:\n{text}"
    found = read_values(match[1], published)
    assert len(found) == len(published)
    for now, then in zip(found, published, strict=True):
        assert row.rule(now, then), f"found {now}, published {then}"


@pytest.mark.parametrize(
    "section", [name.name for name in BOOK.sections() if name.name in FIGURES]
)
def test_every_published_figure_of_a_section_has_a_row(section):
    wanted = {
        (figure, key) for figure, values in FIGURES[section].items() for key in values
    }
    held = {(row.figure, row.framework) for row in ROWS if row.section == section}
    assert held == wanted, "expected one row in ROWS for each figure and framework"


@pytest.mark.parametrize(
    ("rule", "found", "published", "agrees"),
    [
        (exact, True, True, True),
        (exact, True, 1, False),
        (exact, 1, True, False),
        (exact, 9.0, 9, True),
        (exact, "3.body.0", "3.body.1", False),
        (within(rtol=1e-5), 1.000009, 1.0, True),
        (within(rtol=1e-5), 1.000011, 1.0, False),
        (within(atol=1e-7), -9e-8, 0, True),
        (within(atol=1e-7), 2e-7, 0, False),
        (within(rtol=1e-5), math.nan, 1.0, False),
        (rounded(2), 0.6049, 0.60, True),
        (rounded(2), 0.6051, 0.60, False),
        (same_magnitude, 0.0002, -0.0001, True),
        (same_magnitude, 0.002, -0.0001, False),
    ],
)
def test_rule_tells_agreement(rule, found, published, agrees):
    assert rule(found, published) is agrees


@pytest.mark.parametrize(
    ("text", "published", "values"),
    [
        ("1.5e-05", [0.0], [1.5e-05]),
        ("[9. 1. 4.]", [9, 1, 4], [9.0, 1.0, 4.0]),
        ("tensor([[5, 3], [-1, 7]])", [5, 3, -1, 7], [5, 3, -1, 7]),
        ("[True, False]", [True, True], [True, False]),
        ("'3.body.0'", ["3.body.0"], ["3.body.0"]),
        ("('layers', 3)", ["layers", 3], ["layers", 3]),
    ],
)
def test_read_values_reads_what_frameworks_print(text, published, values):
    found = read_values(text, published)
    assert found == values
    assert [type(value) for value in found] == [type(value) for value in values]
