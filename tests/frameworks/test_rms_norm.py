"""The book's `RMSNorm`, from its recorded cells, against NumPy in float64."""

import numpy as np
import pytest

PAGE = "custom-layers-precision"
UNITS = {"float64": 2**-53, "float32": 2**-24, "float16": 2**-11, "bfloat16": 2**-8}
HALVES = ("float16", "bfloat16")
SHAPES = ((1, 1), (0, 8), (8,), (2, 3, 64))


def normalise(x, gain, eps):
    """The formula, in float64."""
    return x / np.sqrt((x**2).mean(-1, keepdims=True) + eps) * gain


def differentiate(x, v, gain, eps):
    """Both derivatives, worked out by hand, in float64."""
    r = 1 / np.sqrt((x**2).mean(-1, keepdims=True) + eps)
    pull = (x * gain * v).mean(-1, keepdims=True)
    return r * gain * v - x * r**3 * pull, (x * r * v).sum(0)


def draw(shape, scale=1.0):
    """Normal rows of very different sizes, and a gain."""
    rng = np.random.default_rng(0)
    sizes = 10.0 ** rng.uniform(-1, 1, (*shape[:-1], 1))
    x = scale * sizes * rng.normal(size=shape).clip(-3, 3)
    return x, rng.uniform(0.5, 1.5, shape[-1])


@pytest.fixture(params=UNITS)
def dtype(request, layers):
    if request.param not in layers.TYPES:
        pytest.skip(f"the framework has no {request.param}")
    return request.param


@pytest.fixture
def wide(cells):
    """The layer that accumulates in float32, as the page defines it."""
    return cells.load(PAGE, "setup", "mended")["WideRMSNorm"]


@pytest.fixture
def plain(cells):
    """The layer of the section's first page."""
    return cells.load("custom-layers", "centered", "rms-norm")["RMSNorm"]


def relative_error(layers, kind, x, gain, dtype, eps=1e-6):
    """The largest relative error of an entry, in units of roundoff."""
    x, gain = layers.rounded(x, dtype), layers.rounded(gain, dtype)
    found, _ = layers.run(layers.make(kind, x, gain, eps, dtype), x, dtype)
    expected = normalise(x, gain, eps)
    assert found.shape == expected.shape
    size = np.where(expected == 0, 1.0, np.abs(expected))
    return np.max(np.abs(found - expected) / size, initial=0.0) / UNITS[dtype]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("scale", [1e-2, 1.0, 1e3])
def test_values_agree_with_float64(layers, wide, dtype, shape, scale):
    # One rounding at the end in the half types, a few all along in the others.
    allowed = 1.01 if dtype in HALVES else 6
    assert relative_error(layers, wide, *draw(shape, scale), dtype) <= allowed


@pytest.mark.parametrize("eps", [1e-6, 1e-3, 10.0])
@pytest.mark.parametrize("scale", [1e-2, 1.0, 1e2])
def test_gradients_agree_with_float64(layers, wide, dtype, scale, eps):
    x, gain = draw((16, 8), scale)
    v = np.random.default_rng(1).normal(size=x.shape)
    x, gain, v = (layers.rounded(each, dtype) for each in (x, gain, v))
    layer = layers.make(wide, x, gain, eps, dtype)
    found = layers.differentiate(layer, x, v, dtype)
    for ours, expected in zip(found, differentiate(x, v, gain, eps), strict=True):
        # Terms cancel, so the error is measured by the largest of each row.
        size = np.abs(expected).max(-1, keepdims=True)
        assert np.max(np.abs(ours - expected) / size) <= 30 * UNITS[dtype]


def test_output_has_the_type_of_the_input_beside_a_float32_gain(layers, wide, dtype):
    x, gain = draw((3, 8))
    x, gain = layers.rounded(x, dtype), layers.rounded(gain, "float32")
    parameter = "float64" if dtype == "float64" else "float32"
    layer = layers.make(wide, x, gain, 1e-6, parameter)
    if hasattr(layer, "dtype_policy"):
        pytest.skip("Keras casts the input to the layer's own type")
    found, name = layers.run(layer, x, dtype)
    assert name == dtype
    expected = normalise(x, gain, 1e-6)
    assert np.max(np.abs(found / expected - 1)) <= 6 * UNITS[dtype]


def test_rows_of_zeros_stay_and_have_slope_of_one_over_root_eps(layers, wide, dtype):
    zeros, ones = np.zeros((2, 8)), np.ones((2, 8))
    layer = layers.make(wide, zeros, ones[0], 1e-4, dtype)
    assert not layers.run(layer, zeros, dtype)[0].any()
    of_x, of_gain = layers.differentiate(layer, zeros, ones, dtype)
    assert np.allclose(of_x, 100, rtol=1e-2)
    assert not of_gain.any()


@pytest.mark.parametrize("size", [256.0, 300.0, 60000.0])
def test_wide_layer_survives_where_half_precision_squares_do_not(layers, wide, size):
    rows, gain = np.full((2, 8), size), np.ones(8)
    assert relative_error(layers, wide, rows, gain, "float16") <= 1.01


@pytest.mark.parametrize("size", [256.0, 300.0, 60000.0])
def test_plain_layer_is_wrong_there_as_the_page_says(layers, plain, size):
    rows, gain = np.full((2, 8), size), np.ones(8)
    found, _ = layers.run(
        layers.make(plain, rows, gain, 1e-6, "float16"), rows, "float16"
    )
    assert ((found == 0) | np.isnan(found)).all()


@pytest.mark.parametrize("shape", [*SHAPES, (16, 1000)], ids=str)
@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_plain_layer_agrees_in_single_precision(layers, plain, shape, scale):
    assert relative_error(layers, plain, *draw(shape, scale), "float32") <= 6


@pytest.mark.parametrize("size", [1e19, 1e30])
def test_single_precision_has_its_own_edge(layers, wide, size):
    rows, gain = np.full((2, 8), size), np.ones(8)
    layer = layers.make(wide, rows, gain, 1e-6, "float32")
    found, _ = layers.run(layer, rows, "float32")
    assert ((found == 0) | np.isnan(found)).all()


def test_mean_square_is_m_over_m_plus_eps(layers, wide):
    for size in (1.0, 1e-3, 1e-5):
        rows = np.full((1, 8), size)
        layer = layers.make(wide, rows, np.ones(8), 1e-6, "float32")
        found = (layers.run(layer, rows, "float32")[0] ** 2).mean()
        assert found == pytest.approx(size**2 / (size**2 + 1e-6), rel=1e-5)
