"""The quantised layers, from their recorded cells, against NumPy in float64."""

import numpy as np
import pytest

PAGE = "ste-training"


@pytest.fixture
def page(cells):
    """The names of the page up to the layer with an output layer on top."""
    return cells.load(PAGE, "data", "layer", "train", "two-layers")


def draw(seed, columns=2):
    """Inputs, whole weights to be found, and where training starts."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(64, 8))
    whole = rng.integers(-3, 4, (8, columns)).astype("float64")
    return x, whole, rng.uniform(-0.4, 0.4, (8, columns))


def descend(x, y, start, lr, steps):
    """Losses of the estimator's descent, in float64."""
    weight, losses = start.astype("float32").astype("float64"), []
    for _ in range(steps):
        error = x @ np.rint(weight) - y
        losses.append((error**2).mean())
        weight = weight - lr * 2 * x.T @ error / error.size
    return losses, weight


def narrow(*arrays):
    """The arrays in float32."""
    return [array.astype("float32") for array in arrays]


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_true_gradient_is_stuck_to_the_last_bit(page, seed):
    x, whole, start = draw(seed)
    x, y, start = narrow(x, x @ whole, start)
    model = page["QuantisedLinear"](start, page["true_round"])
    losses, weights = page["train"](model, x, y, lr=0.3, steps=10)
    assert len(set(losses)) == 1
    assert all(np.array_equal(weight, start) for weight in weights)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_estimator_follows_its_descent_in_float64(page, seed):
    x, whole, start = draw(seed)
    expected, last = descend(x, x @ whole, start, lr=0.3, steps=30)
    assert np.array_equal(np.rint(last), whole), "the reference does not learn"
    model = page["QuantisedLinear"](*narrow(start), page["round_ste"])
    losses, weights = page["train"](model, *narrow(x, x @ whole), lr=0.3, steps=30)
    assert np.allclose(losses, expected, rtol=1e-4, atol=1e-8)
    assert np.array_equal(np.rint(weights[-1]), whole)


def test_layer_below_stands_still_while_the_one_above_learns(page):
    rng = np.random.default_rng(4)
    x, start, out = narrow(
        rng.normal(size=(64, 8)),
        rng.uniform(-1.4, 1.4, (8, 6)),
        rng.normal(size=(6, 1)),
    )
    y = np.tanh(x @ rng.integers(-1, 2, (8, 6))) @ rng.normal(size=(6, 1))
    for rounding, moves in (("true_round", False), ("round_ste", True)):
        model = page["TwoLayers"](start, out, page[rounding])
        losses, weights = page["train"](model, *narrow(x, y), lr=0.1, steps=30)
        assert (weights[-1] != start).any() == moves
        assert losses[-1] < losses[0]


@pytest.mark.parametrize("target", [0.2, 0.3, 0.7])
def test_share_of_steps_at_one_is_the_target(page, target):
    one = np.ones((1, 1), "float32")
    model = page["QuantisedLinear"](0 * one, page["round_ste"])
    _, latent = page["train"](model, one, target * one, lr=0.02, steps=500)
    settled = np.concatenate(latent[200:]).ravel()
    assert np.rint(settled).mean() == pytest.approx(target, abs=0.011)
    assert settled.min() > 0.44
    assert settled.max() < 0.56
