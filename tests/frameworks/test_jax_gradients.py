"""`gradient_norms` of JAX, against gradients taken by hand."""

import runpy
from dataclasses import dataclass
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import nnx

from d2l_support import jax as d2l


class Tanh(nnx.Module):
    def __call__(self, x):
        return jnp.tanh(x)


def build():
    """16-32-1 with tanh, and its input."""
    rngs = nnx.Rngs(0)
    net = nnx.Sequential(
        nnx.Linear(16, 32, rngs=rngs), Tanh(), nnx.Linear(32, 1, rngs=rngs)
    )
    return net, jax.random.normal(jax.random.key(1), (8, 16))


def test_norms_agree_with_gradients_taken_by_hand():
    net, x = build()
    hidden = np.asarray(net.layers[0](x), np.float64)
    w = np.asarray(net.layers[2].kernel[...], np.float64)
    at_tanh = np.repeat(w.T, 8, axis=0)
    at_linear = at_tanh * (1 - np.tanh(hidden) ** 2)
    report = d2l.gradient_norms(net, x, loss=jnp.sum)
    norms = {"layers.1": at_tanh, "layers.0": at_linear, "layers.2": np.ones((8, 1))}
    for name, expected in norms.items():
        row = report[name]
        assert row.norm == pytest.approx(np.linalg.norm(expected), rel=1e-5)
        assert row.mean == pytest.approx(np.abs(expected).mean(), rel=1e-5)
    of_kernel = np.asarray(x, np.float64).T @ at_linear
    expected = np.linalg.norm(of_kernel)
    assert report["layers.0.kernel"].norm == pytest.approx(expected, rel=1e-5)
    expected = np.abs(at_linear.sum(0)).mean()
    assert report["layers.0.bias"].mean == pytest.approx(expected, rel=1e-5)


def test_order_is_that_of_the_forward_pass():
    report = d2l.gradient_norms(*build(), loss=jnp.sum)
    assert [row.label for row in report.activations] == [
        "layers.0",
        "layers.1",
        "layers.2",
    ]
    assert [row.label.split(".")[1] for row in report.parameters] == [
        "0",
        "0",
        "2",
        "2",
    ]


def test_norms_of_block_3_are_the_published_ones():
    path = Path(__file__).with_name("subject_jax.py")
    subject = runpy.run_path(str(path))
    report = d2l.gradient_norms(*subject["build_stack"](), loss=subject["loss"])
    layer = "layers.3.body.layers.0"
    assert report[f"{layer}.kernel"].norm == pytest.approx(15.665125, rel=2e-3)
    assert report[f"{layer}.bias"].norm == pytest.approx(1.9621452, rel=2e-3)


def test_both_forms_agree():
    net, x = build()
    called = d2l.gradient_norms(net, x, loss=jnp.sum)
    with d2l.gradient_norms(net) as seen:
        nnx.grad(lambda net: net(x).sum())(net)
    assert str(seen.report) == str(called)


def test_functional_style_is_seen_too():
    net, x = build()
    called = d2l.gradient_norms(net, x, loss=jnp.sum)
    with d2l.gradient_norms(net) as seen:
        graphdef, params, rest = nnx.split(net, nnx.Param, ...)
        run = lambda params: nnx.merge(graphdef, params, rest)(x).sum()  # noqa: E731
        jax.grad(run)(params)
    assert str(seen.report) == str(called)


def test_gradients_are_equal_bit_by_bit_with_and_without():
    net, x = build()

    def step(net):
        return (net(x) ** 2).mean()

    expected = jax.tree.map(np.asarray, nnx.value_and_grad(step)(net))
    with d2l.gradient_norms(net):
        found = nnx.value_and_grad(step)(net)
    jax.tree.map(np.testing.assert_array_equal, found, expected)


def test_huge_and_tiny_gradients_keep_their_norm():
    net, x = build()
    for scale in (1e30, 1e-30):
        report = d2l.gradient_norms(net, x, loss=lambda out, s=scale: s * out.sum())
        assert report["layers.2"].norm == pytest.approx(scale * 8**0.5, rel=1e-5)
        assert report["layers.2"].mean == pytest.approx(scale, rel=1e-5)


def test_gradients_that_are_zero_or_not_finite_are_shown_as_such():
    net, x = build()
    assert d2l.gradient_norms(net, x, loss=lambda o: 0 * o.sum())["layers.2"].norm == 0
    infinite = d2l.gradient_norms(net, x, loss=lambda o: jnp.inf * o.sum())
    assert infinite["layers.2"].norm == float("inf")
    none = d2l.gradient_norms(net, x, loss=lambda o: jnp.nan * o.sum())
    assert np.isnan(none["layers.2"].norm)


def test_unused_parameters_have_gradient_zero_as_jax_gives_it():
    class Spare(nnx.Module):
        def __init__(self):
            self.used = nnx.Linear(4, 4, rngs=nnx.Rngs(0))
            self.spare = nnx.Linear(4, 4, rngs=nnx.Rngs(1))

        def __call__(self, x):
            return self.used(x)

    report = d2l.gradient_norms(Spare(), jnp.ones((2, 4)), loss=jnp.sum)
    assert report["spare.kernel"].norm == 0
    assert report["used.kernel"].norm > 0


@pytest.mark.parametrize("kind", [nnx.LSTMCell, nnx.GRUCell])
def test_recurrent_layers_have_gradients_of_every_parameter(kind):
    net = nnx.RNN(kind(3, 4, rngs=nnx.Rngs(0)), rngs=nnx.Rngs(0))
    x = jax.random.normal(jax.random.key(1), (2, 5, 3))
    report = d2l.gradient_norms(net, x, loss=jnp.sum)
    gradients = nnx.grad(lambda net: net(x).sum())(net)
    for path, g in nnx.to_flat_state(gradients):
        name = ".".join(map(str, path))
        expected = np.linalg.norm(np.asarray(g[...], np.float64))
        assert report[name].norm == pytest.approx(expected, rel=1e-5, abs=1e-12)


def test_gradients_inside_tuples_and_dictionaries_are_followed():
    class Both(nnx.Module):
        def __init__(self):
            self.layer = nnx.Linear(4, 4, rngs=nnx.Rngs(0))

        def __call__(self, x):
            y = self.layer(x)
            return {"b": (y * 2, None), "a": [y * 3, 7]}

    class Net(nnx.Module):
        def __init__(self):
            self.both = Both()

        def __call__(self, x):
            out = self.both(x)
            assert list(out) == ["b", "a"]
            return out["b"][0].sum() + out["a"][0].sum()

    report = d2l.gradient_norms(Net(), jnp.ones((2, 4)), loss=lambda out: out)
    assert (
        report["both['b'][0]"].norm
        == report["both['a'][0]"].norm
        == pytest.approx(8**0.5)
    )
    assert report["both.layer"].norm == pytest.approx(5 * 8**0.5)


def test_gradients_inside_an_object_that_jax_cannot_open_are_told():
    @dataclass
    class Output:
        y: jax.Array

    class Net(nnx.Module):
        def __init__(self):
            self.layer = nnx.Linear(4, 4, rngs=nnx.Rngs(0))

        def __call__(self, x):
            return Output(self.layer(x) * 2)

    report = d2l.gradient_norms(Net(), jnp.ones((2, 4)), loss=lambda out: out.y.sum())
    told = "inside an object that JAX cannot take apart, so no gradient is caught"
    assert told in str(report).replace("\n  ", " ")
    assert report["layer"].norm == pytest.approx(2 * 8**0.5)


def test_loops_report_their_last_step():
    net, x = build()
    with d2l.gradient_norms(net) as seen:
        for factor in (1.0, 2.0, 3.0):
            nnx.grad(lambda net, f=factor: f * net(x).sum())(net)
    assert seen.passes == 3
    assert seen.report["layers.2"].norm == pytest.approx(3 * 8**0.5)
