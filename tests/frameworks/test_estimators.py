"""The book's estimators, from their recorded cells, against NumPy."""

import numpy as np
import pytest


@pytest.fixture
def points():
    """Normals of several sizes, halves and the bounds of the range."""
    rng = np.random.default_rng(0)
    drawn = rng.normal(size=2000) * 10 ** rng.uniform(-3, 4, 2000)
    special = [-2.5, -2.0, -1.5, -0.5, 0.0, 0.5, 1.5, 2.0, 2.5, 1e7]
    return np.concatenate([drawn, special]).astype("float32")


@pytest.fixture
def incoming(points):
    """An incoming gradient for each point, zeros among them."""
    drawn = np.random.default_rng(1).normal(size=points.size)
    drawn[::7] = 0
    return drawn.astype("float32")


@pytest.fixture
def estimator(cells):
    """The rule of the section's first page."""
    return cells.load("ste", "flat", "estimator")["round_ste"]


@pytest.fixture
def shortcut(cells):
    """The same in three operations."""
    return cells.load("ste", "flat", "estimator", "check", "shortcut")["round_shortcut"]


def test_estimator_rounds_and_passes_every_gradient(
    pull_back, estimator, points, incoming
):
    value, grad = pull_back(estimator, points, incoming)
    assert np.array_equal(value, np.rint(points))
    assert np.array_equal(grad, incoming)


def test_estimator_keeps_infinities_and_nan(pull_back, estimator):
    x = np.array([np.inf, -np.inf, np.nan], "float32")
    value, grad = pull_back(estimator, x, np.ones(3, "float32"))
    assert np.array_equal(value, x, equal_nan=True)
    assert np.array_equal(grad, [1, 1, 1])


def test_shortcut_agrees_where_the_input_is_finite(
    pull_back, shortcut, points, incoming
):
    value, grad = pull_back(shortcut, points, incoming)
    assert np.array_equal(value, np.rint(points))
    assert np.array_equal(grad, incoming)


def test_shortcut_of_infinity_is_nan(pull_back, shortcut):
    value, _ = pull_back(shortcut, np.array([np.inf], "float32"), np.ones(1, "float32"))
    assert np.isnan(value).all()


@pytest.mark.parametrize("limit", [1, 2, 7])
def test_ranged_estimator_passes_inside_only(cells, pull_back, points, incoming, limit):
    rule = cells.load("ste-range", "ranged")["round_within"]
    value, grad = pull_back(lambda x: rule(x, limit), points, incoming)
    assert np.array_equal(value, np.rint(points).clip(-limit, limit))
    assert np.array_equal(grad, incoming * (np.abs(points) <= limit))
