"""Numbers, shapes and places in words."""

from math import inf, nan

import pytest

from d2l_support.inspection.formats import (
    find_place,
    format_number,
    format_shape,
    format_share,
)


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (None, "-"),
        (0.0, "0.00"),
        (-0.0, "0.00"),
        (0.6049, "0.60"),
        (-999.9, "-999.90"),
        (0.0012345, "1.2e-03"),
        (-12345.6, "-1.2e+04"),
        (nan, "NaN"),
        (inf, "+inf"),
        (-inf, "-inf"),
    ],
)
def test_format_number(number, text):
    assert format_number(number) == text


def test_format_share_and_shape():
    assert (format_share(0.507), format_share(None)) == ("51 %", "-")
    assert (format_shape((256, 64)), format_shape(())) == ("256x64", "scalar")


@pytest.mark.parametrize(
    ("flat", "shape", "place"),
    [(0, (), ()), (5, (2, 3), (1, 2)), (7, (2, 2, 2), (1, 1, 1))],
)
def test_find_place_counts_in_c_order(flat, shape, place):
    assert find_place(flat, shape) == place
