"""The mask of the page on buffers, and what training does to one, in NumPy."""

import functools
import importlib

import numpy
import pytest

ARRAYS = {
    "pytorch": ("torch", "from_numpy"),
    "tensorflow": ("tensorflow", "constant"),
    "jax": ("jax.numpy", "asarray"),
    "mxnet": ("mxnet.np", "array"),
}
PAGE = "buffers"


@pytest.fixture
def tensor(framework):
    """What turns a NumPy array into one of the framework's."""
    module, name = ARRAYS[framework]
    package, _, inner = module.partition(".")
    found = importlib.import_module(package)
    return getattr(getattr(found, inner) if inner else found, name)


@functools.cache
def run_page(cells):
    """The names of the page after its two trainings."""
    return cells.load(PAGE, "causal-mask", "lists", "next-value", "train")


@pytest.fixture
def trained(cells):
    """What the page leaves, run once a module."""
    return run_page(cells)


def as_numpy(array):
    """The values of a framework's array."""
    return array.asnumpy() if hasattr(array, "asnumpy") else numpy.asarray(array)


def descend(learn_mask, steps=200, rate=0.1, n=6):
    """The losses and the mask by gradients worked out by hand, in float64."""
    x = numpy.random.default_rng(0).normal(size=(64, n)).astype("float32")
    x = x.astype("float64")
    weight, mask = numpy.full((n, n), 1 / n), numpy.tril(numpy.ones((n, n)))
    losses = []
    for _ in range(steps):
        error = (x @ (weight * mask).T)[:, :-1] - x[:, 1:]
        losses.append((error**2).mean())
        slope = numpy.zeros((n, n))
        slope[:-1] = 2 * error.T @ x / error.size
        weight, mask = (
            weight - rate * slope * mask,
            mask - rate * slope * weight * learn_mask,
        )
    return losses, mask


@pytest.mark.parametrize("lead", [(), (2,), (2, 3)], ids=str)
@pytest.mark.parametrize("n", [1, 3, 8])
def test_mask_hides_the_later_and_keeps_the_rest(tensor, trained, lead, n):
    scores = numpy.random.default_rng(1).normal(size=(*lead, n, n)).astype("float32")
    found = as_numpy(trained["causal"](tensor(scores)))
    later = numpy.arange(n) > numpy.arange(n)[:, None]
    assert numpy.array_equal(found, numpy.where(later, -numpy.inf, scores))


@pytest.mark.parametrize("kind", ["buffer", "parameter"])
def test_losses_agree_with_gradients_by_hand(trained, kind):
    expected, _ = descend(kind == "parameter")
    found = trained["curves"][kind]
    assert numpy.allclose(found, expected, rtol=1e-4, atol=1e-6)


def test_learned_mask_agrees_with_gradients_by_hand(trained):
    mask = trained["model"].mask
    if callable(getattr(mask, "data", None)):
        mask = mask.data()  # Gluon keeps the array in the parameter
    found = as_numpy(mask.detach() if hasattr(mask, "detach") else mask)
    _, expected = descend(learn_mask=True)
    assert numpy.allclose(found, expected, atol=1e-4)


def test_no_honest_model_beats_least_squares():
    # The floor of the first curve: each output regressed on what it may see.
    x = numpy.random.default_rng(0).normal(size=(64, 6)).astype("float32")
    rests = [
        numpy.linalg.lstsq(x[:, : i + 1], x[:, i + 1], rcond=None)[1][0]
        for i in range(5)
    ]
    honest, _ = descend(learn_mask=False)
    assert sum(rests) / (64 * 5) <= honest[-1] <= 1
