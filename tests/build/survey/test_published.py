"""What the reference edition printed, beside what a record holds."""

import json
import math

import pytest
from nbformat import v4

from d2l_support.build.problems import ContentError
from d2l_support.build.survey.published import (
    PATH,
    Figure,
    agree,
    pair_figure,
    read_published,
    read_values,
)

ENTRY = {
    "section": "seeds",
    "step": "loss",
    "figure": "loss of seed 0",
    "rule": "within 1e-5",
    "pattern": r"seed 0: (\S+)",
    "values": {"jax": [[0.5], [2]]},
}


def write(book, *entries):
    path = book.root / PATH
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"figures": entries}))


def record_printing(text: str, step: str = "loss"):
    outputs = [v4.new_output("stream", name="stdout", text=text)]
    return v4.new_notebook(cells=[v4.new_code_cell("", id=step, outputs=outputs)])


def test_read_published_makes_nested_lists_flat(tiny_book):
    write(tiny_book, ENTRY)
    [figure] = read_published(tiny_book)
    assert (figure.section, figure.step, figure.name) == (
        "seeds",
        "loss",
        "loss of seed 0",
    )
    assert figure.values == {"jax": [0.5, 2]}


def test_read_published_without_a_file_is_empty(tiny_book):
    assert read_published(tiny_book) == []


@pytest.mark.parametrize(
    ("entry", "found"),
    [
        ({**ENTRY, "rule": "about"}, "ValueError: the rule 'about'"),
        ({key: ENTRY[key] for key in ENTRY if key != "step"}, "KeyError: 'step'"),
        ("loss", "TypeError"),
    ],
)
def test_read_published_refuses_what_it_cannot_understand(tiny_book, entry, found):
    write(tiny_book, entry)
    with pytest.raises(ContentError) as raised:
        read_published(tiny_book)
    message = str(raised.value)
    assert message.startswith("chapters/published.json: found no list of published")
    assert found in message


@pytest.mark.parametrize(
    ("rule", "published", "recorded", "agrees"),
    [
        ("exact", True, True, True),
        ("exact", 1, True, False),
        ("exact", True, 1, False),
        ("exact", 9, 9.0, True),
        ("exact", "3.body.1", "3.body.0", False),
        ("within 1e-5", 1.0, 1.000009, True),
        ("within 1e-5", 1.0, 1.000011, False),
        ("within 1e-7 absolute", 0, -9e-8, True),
        ("within 1e-7 absolute", 0, 2e-7, False),
        ("within 1e-5", 1.0, math.nan, False),
        ("to 2 decimals", 0.60, 0.6049, True),
        ("to 2 decimals", 0.60, 0.6051, False),
        ("same magnitude", -0.0001, 0.0002, True),
        ("same magnitude", -0.0001, 0.002, False),
    ],
)
def test_agree_tells_agreement(rule, published, recorded, agrees):
    assert agree(rule, published, recorded) is agrees


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


@pytest.mark.parametrize(
    ("printed", "recorded", "agrees", "distance"),
    [
        ("seed 0: [0.5]\n", None, False, 0.0),
        ("seed 1: 0.5 2\n", None, False, 0.0),
        ("seed 0: [0.5,2]\n", [0.5, 2], True, 0.0),
        ("seed 0: [0.5,3]\n", [0.5, 3], False, 0.5),
    ],
)
def test_pair_figure_finds_the_recorded_values(printed, recorded, agrees, distance):
    figure = Figure("seeds", "loss", "loss", "exact", r"0: (\S+)", {"jax": [0.5, 2]})
    found = pair_figure(figure, "jax", record_printing(printed))
    assert (found.recorded, found.agrees) == (recorded, agrees)
    assert found.distance == distance


def test_pair_figure_of_another_cell_finds_none():
    figure = Figure("seeds", "loss", "loss", "exact", r"(\S+)", {"jax": [0.5]})
    found = pair_figure(figure, "jax", record_printing("0.5", step="other"))
    assert found.recorded is None
