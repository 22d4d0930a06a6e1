"""The pictures: well-formed SVG that says what it was given."""

import re
from xml.etree import ElementTree

import pytest

from d2l_support.steppers import Curve, Row, draw_curves, draw_tiles

TILE = re.compile(r"M(\d+) (\d+)h(\d+)v(\d+)h-\d+z")


def read(svg: str) -> ElementTree.Element:
    return ElementTree.fromstring(svg)  # noqa: S314 - our own text


def list_texts(svg: str) -> list[str]:
    return [node.text for node in read(svg).iter("text")]


def list_looks(svg: str) -> list[tuple[str, int]]:
    """Each layer's stroke, short, with the number of its shapes."""
    groups = [(node.get("stroke", ""), len(node)) for node in read(svg).iter("g")]
    return [(stroke.partition(",")[0], count) for stroke, count in groups if stroke]


def test_draw_tiles_writes_names_tiles_and_notes():
    svg = draw_tiles([Row("seed 0", [44, 39], notes=["weights"]), Row("a < b", ["x"])])
    assert list_texts(svg) == ["seed 0", "a < b", "44", "39", "x", "weights"]


def test_draw_tiles_gives_each_tile_its_look():
    svg = draw_tiles([Row("r", [1, 2, 3, 4], ["", "mark", "bad"])])
    assert list_looks(svg) == [
        ("var(--pst-color-text-muted", 2),
        ("var(--pst-color-link", 1),
        ("var(--pst-color-danger", 1),
    ]


def test_draw_tiles_of_one_series_have_one_size():
    short = draw_tiles([Row("r", [1])], columns=8, lines=2)
    long = draw_tiles([Row("r", range(8))] * 2, columns=8, lines=2)
    assert read(short).get("viewBox") == read(long).get("viewBox")


@pytest.mark.parametrize("count", [1, 8])
def test_draw_tiles_holds_every_tile(count):
    svg = read(draw_tiles([Row("r", range(count))] * 3, width=40))
    corners = [TILE.match(tile.get("d")).groups() for tile in svg.iter("path")]
    assert len(corners) == 3 * count
    for x, y, across, down in (map(float, corner) for corner in corners):
        assert x + across <= float(svg.get("width"))
        assert y + down <= float(svg.get("height"))


def test_draw_tiles_refuses_a_look_that_does_not_exist():
    message = "found the kind 'loud', expected one of '', 'mark', 'bad', 'empty'"
    with pytest.raises(ValueError, match=message):
        draw_tiles([Row("r", [1], ["loud"])])


def test_draw_curves_draws_each_curve_and_the_axes():
    curves = [Curve("stairs", [-1, 1], [-1, 1], "mark"), Curve("ramp", [0, 1], [0, 1])]
    svg = draw_curves(curves)
    assert sum(count for _, count in list_looks(svg)) == 4
    assert list_texts(svg) == ["stairs", "ramp"]


def test_draw_curves_puts_the_dot_on_the_curve():
    svg = draw_curves([Curve("line", [-1.5, 0.6], [-1.5, 0.6])], at=(0.6, 0.6))
    (dot,) = read(svg).iter("circle")
    end = next(read(svg).iter("path")).get("d").rpartition("L")[2]
    assert end == f"{dot.get('cx')} {dot.get('cy')}"
    assert list_texts(svg) == ["line", "x = 0.6"]


def test_pictures_are_hidden_from_screen_readers_which_get_the_words():
    for svg in (draw_tiles([Row("r", [1])]), draw_curves([])):
        assert read(svg).get("aria-hidden") == "true"
