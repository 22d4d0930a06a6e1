"""`record_activations` of JAX, against NumPy in float64."""

from dataclasses import dataclass
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import nnx
from jax.experimental import sparse

from d2l_support import jax as d2l


class Gives(nnx.Module):
    """Gives back what it was made with."""

    def __init__(self, thing):
        self.give = lambda: thing

    def __call__(self, x):
        return self.give()


def record(thing):
    """The row of a value, and the report."""
    report = d2l.record_activations(Gives(thing), jnp.ones(1))
    return report.rows[0], report


def spread(x):
    """What NumPy finds in float64."""
    x = np.asarray(x, np.float64)
    return x.mean(), x.std(ddof=1), x.min(), x.max(), (x == 0).mean()


def numbers(row):
    return row.mean, row.std, row.min, row.max, row.zeros


@pytest.mark.parametrize(
    ("scale", "shift"), [(1.0, 0.0), (1e-3, 1.0), (1.0, 1000.0), (1e6, -3e6)]
)
@pytest.mark.parametrize("shape", [(3500,), (50, 70), (1, 1, 3500)])
def test_spread_agrees_with_numpy(shape, scale, shift):
    x = np.random.default_rng(0).standard_normal(shape) * scale + shift
    x.reshape(-1)[:30] = 0.0
    x = jnp.asarray(x, jnp.float32)
    assert numbers(record(x)[0]) == pytest.approx(spread(x), rel=1e-5)


def test_spread_of_a_million_keeps_its_digits():
    x = jnp.asarray(np.random.default_rng(0).standard_normal(2**20) + 100, jnp.float32)
    assert numbers(record(x)[0]) == pytest.approx(spread(x), rel=1e-5)


def test_float64_is_measured_in_float64():
    with jax.enable_x64(True):
        x = jnp.asarray([1.0, 1.0 + 1e-12])
        row, _ = record(x)
        assert row.dtype == "float64"
        assert row.std == pytest.approx(1e-12 / 2**0.5, rel=1e-3)


def test_zeros_of_both_signs_count():
    assert record(jnp.asarray([-0.0, 0.0, 1.0, 2.0]))[0].zeros == 0.5


@pytest.mark.parametrize("dtype", [jnp.float16, jnp.bfloat16])
def test_half_precision_is_measured_in_float32(dtype):
    x = jnp.tile(jnp.asarray([-300.0, 300.0], dtype), 1000)
    assert bool(jnp.isinf(x * x).any()) == (dtype is jnp.float16)
    row, _ = record(x)
    assert row.dtype == jnp.dtype(dtype).name
    assert numbers(row) == pytest.approx(spread(x.astype(jnp.float32)), rel=1e-6)


@pytest.mark.parametrize("dtype", [jnp.float8_e4m3fn, jnp.float8_e5m2])
def test_float8_is_measured_in_float32(dtype):
    x = jnp.asarray([0.5, 1.5, 2.0, 0.0]).astype(dtype)
    expected = spread(np.asarray(x).astype(np.float32))
    assert numbers(record(x)[0]) == pytest.approx(expected, rel=1e-6)


def test_huge_float32_is_measured_again_in_float64():
    x = jnp.asarray([1e30, -1e30, 3e30])
    row, report = record(x)
    assert row.std == pytest.approx(2e30, rel=1e-6)
    assert "Too large" not in str(report)
    net = Gives(x)
    with d2l.record_activations(net) as seen:
        net(x)
    assert seen.report.rows[0].std == float("inf")
    assert "Too large for the square of its spread: (model)." in seen.report.notes


@pytest.mark.parametrize(
    ("x", "expected"),
    [
        (jnp.asarray([1.0, np.nan]), ["NaN"] * 4 + ["-"]),
        (jnp.asarray([1.0, np.inf]), ["+inf", "NaN", "1.00", "+inf", "0 %"]),
    ],
)
def test_what_is_not_finite_is_shown_as_such(x, expected):
    _, report = record(x)
    assert report._table().rows[0][3:] == tuple(expected)


def test_one_element_has_no_spread():
    assert numbers(record(jnp.asarray([3.0]))[0]) == (3.0, None, 3.0, 3.0, 0.0)


def test_constant_array_has_spread_zero():
    assert record(jnp.full(1000, 0.1))[0].std == pytest.approx(0.0, abs=1e-7)


def test_arrays_of_numpy_are_measured():
    x = np.arange(6.0, dtype=np.float32)
    assert numbers(record(x)[0]) == pytest.approx(spread(x), rel=1e-6)


@pytest.mark.parametrize(
    ("x", "reason"),
    [
        (jnp.arange(3), "int32: no floating point"),
        (jnp.asarray([True]), "bool: no floating point"),
        (jnp.asarray([1, 2], jnp.int4), "int4: no floating point"),
        (jnp.empty((0, 3)), "empty"),
        (jnp.ones(2, jnp.complex64), "complex64: complex numbers have no order"),
        (jax.random.key(0), "key<fry>: random keys"),
        (np.asarray(["text"]), "<U4: no floating point"),
        (sparse.BCOO.fromdense(jnp.eye(3)), "an object of the class BCOO, not looked"),
        (object(), "an object of the class object, not looked into"),
    ],
)
def test_what_cannot_be_measured_is_told_with_the_reason(x, reason):
    row, report = record(x)
    assert numbers(row) == (None,) * 5
    assert f"Not checked: (model) ({reason}" in str(report).replace("\n  ", " ")


@pytest.mark.parametrize(
    "dtype", [jnp.int32, jnp.bool_, jnp.complex64, jnp.float8_e4m3]
)
@pytest.mark.parametrize(
    "helper", [d2l.find_nonfinite, d2l.record_trace, d2l.count_macs]
)
def test_no_dtype_makes_a_helper_raise(helper, dtype):
    assert helper(Gives(jnp.ones((2, 3)).astype(dtype)), jnp.ones(1))


def test_memory_that_was_given_away_is_told():
    x = jnp.ones(3)
    x.delete()
    for helper in (d2l.record_activations, d2l.find_nonfinite, d2l.record_trace):
        report = helper(Gives((x,)), jnp.ones(1))
        assert "Not checked: (model)[0] (" in str(report)
        assert "deleted" in str(report)


def test_nested_outputs_name_each_leaf():
    class Pair(NamedTuple):
        a: object
        b: object

    @dataclass
    class Output:
        logits: jax.Array
        states: object

    x = jnp.ones(2)
    inner = [x + 3, None, "text", Pair(x + 4, nnx.Param(x + 5))]
    thing = Output(x + 1, ({"h": x + 2}, inner))
    report = d2l.record_activations(Gives(thing), x)
    assert [(row.label, row.mean) for row in report.rows] == [
        ("(model).logits", 2.0),
        ("(model).states[0]['h']", 3.0),
        ("(model).states[1][0]", 4.0),
        ("(model).states[1][3].a", 5.0),
        ("(model).states[1][3].b", 6.0),
    ]


@pytest.mark.parametrize(
    ("kind", "labels"),
    [
        (nnx.LSTMCell, ["(model)[0][0]", "(model)[0][1]"]),
        (nnx.OptimizedLSTMCell, ["(model)[0][0]", "(model)[0][1]"]),
        (nnx.GRUCell, ["(model)[0]"]),
    ],
)
def test_recurrent_cells_show_their_layers_and_state(kind, labels):
    rngs = nnx.Rngs(0)
    cell = kind(3, 4, rngs=rngs)
    carry = cell.initialize_carry((2, 3), rngs)
    report = d2l.record_activations(cell, carry, jnp.ones((2, 3)))
    assert [
        r.label for r in report.rows if not r.repeats and r.names == ("",)
    ] == labels
    seen = len([m for _, m in nnx.iter_modules(cell)])
    assert f"Seen: {seen} of {seen} modules." in report.notes


def test_attention_shows_its_projections():
    layer = nnx.MultiHeadAttention(2, 4, decode=False, rngs=nnx.Rngs(0))
    report = d2l.record_activations(layer, jnp.ones((3, 5, 4)))
    assert [row.label for row in report.rows] == [
        "query",
        "key",
        "value",
        "out",
        "(model)",
    ]
    assert report["query"].shape == (3, 5, 2, 2)


def test_share_of_zeros_of_a_relu_that_is_a_module():
    class ReLU(nnx.Module):
        def __call__(self, x):
            return nnx.relu(x)

    rngs = nnx.Rngs(0)
    net = nnx.Sequential(
        nnx.Linear(16, 32, rngs=rngs), ReLU(), nnx.Linear(32, 2, rngs=rngs)
    )
    x = jax.random.normal(jax.random.key(1), (64, 16))
    report = d2l.record_activations(net, x)
    expected = float((np.asarray(nnx.relu(net.layers[0](x))) == 0).mean())
    assert report["layers.1"].zeros == pytest.approx(expected)
    assert 0.4 < expected < 0.6


def test_named_arguments_are_passed_on():
    layer = nnx.MultiHeadAttention(2, 4, decode=False, rngs=nnx.Rngs(0))
    q = jnp.ones((3, 5, 4))
    mask = jnp.ones((3, 2, 5, 5), bool)
    kwargs = {"inputs_q": q, "inputs_k": q, "mask": mask}
    assert d2l.record_activations(layer, kwargs=kwargs)["out"].shape == (3, 5, 4)
