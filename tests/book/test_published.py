"""The recorded outputs agree with what the reference edition printed."""

from pathlib import Path

import pytest

from d2l_support.build.layout import Book
from d2l_support.build.record import load_record
from d2l_support.build.survey.published import pair_figure, read_published

BOOK = Book(Path(__file__).parents[2])
FIGURES = [
    (figure, framework)
    for figure in read_published(BOOK)
    for framework in figure.values
]


def test_figures_of_each_part_are_published():
    sections = {figure.section for figure, _ in FIGURES}
    assert {"seeds", "hooks", "nan-finder", "custom-layers", "ste"} < sections


@pytest.mark.parametrize(
    ("figure", "framework"),
    FIGURES,
    ids=lambda part: part if isinstance(part, str) else f"{part.section}-{part.name}",
)
def test_recorded_figure_agrees_with_published(figure, framework):
    [section] = [name for name in BOOK.sections() if name.name == figure.section]
    found = pair_figure(figure, framework, load_record(BOOK, section, framework))
    assert found.agrees, f"published {found.published}, recorded {found.recorded}"
