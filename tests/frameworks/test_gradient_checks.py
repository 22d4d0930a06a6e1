"""The page on checks: what passes, what must fail, against NumPy in float64."""

import numpy as np
import pytest

PAGE = "ste-checks"


@pytest.fixture
def page(cells, framework):
    """The names of the page; JAX's precision is put back afterwards."""
    yield cells.load(PAGE, "rules", "gradient", "differences")
    if framework == "jax":
        import jax

        jax.config.update("jax_enable_x64", False)


@pytest.fixture
def points():
    """Vectors away from the halves, where rounding jumps."""
    rng = np.random.default_rng(0)
    return rng.integers(-5, 6, (10, 4)) + rng.uniform(-0.45, 0.45, (10, 4))


def test_differences_are_the_derivative_of_a_cubic(page, points):
    for x in points:
        found = page["numeric_gradient"](lambda x: x * x * x, x)
        assert np.allclose(found, 3 * x**2, rtol=1e-7, atol=1e-7)


def test_length_rule_is_the_true_derivative(page, points):
    for x in points:
        expected = x / np.linalg.norm(x)
        assert np.allclose(page["gradient"](page["length"], x), expected, rtol=1e-12)
        found = page["numeric_gradient"](page["length"], x)
        assert page["agree"](found, expected)


def test_length_rule_is_zero_at_zero_and_the_plain_one_is_not(page):
    assert np.array_equal(page["gradient"](page["length"], [0.0, 0.0]), [0, 0])
    assert np.isnan(page["gradient"](page["plain_length"], [0.0, 0.0])).all()


def test_estimator_fails_the_check_and_passes_against_its_surrogate(page, points):
    for x in points:
        found = page["gradient"](page["round_ste"], x)
        differences = page["numeric_gradient"]
        assert not page["agree"](found, differences(page["round_ste"], x))
        assert page["agree"](found, differences(lambda x: 1 * x, x))


def test_true_gradient_of_rounding_passes_the_check(page, points):
    for x in points:
        found = page["gradient"](page["true_round"], x)
        assert page["agree"](found, page["numeric_gradient"](page["true_round"], x))


def test_check_finds_a_rule_that_forgets_a_factor(page, points):
    for x in points:
        found = page["gradient"](page["length"], x)
        doubled = page["numeric_gradient"](lambda x: 2 * page["length"](x), x)
        assert not page["agree"](found, doubled)
