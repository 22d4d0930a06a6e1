"""Watching NNX modules: calls, passes, and the copies that transforms make."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import nnx

from d2l_support import jax as d2l
from d2l_support.inspection.jax.wrapping import list_wrapped

X = jnp.linspace(-1, 1, 12).reshape(3, 4)


def linear(*sizes):
    return nnx.Linear(*sizes, rngs=nnx.Rngs(0))


def build():
    return nnx.Sequential(linear(4, 4), nnx.relu, linear(4, 2))


def step(net, x):
    return (net(x) ** 2).mean()


class Tied(nnx.Module):
    """One layer under two names, called twice."""

    def __init__(self):
        self.first = linear(4, 4)
        self.second = self.first

    def __call__(self, x):
        return self.second(self.first(x))


def test_tied_module_has_all_its_names_and_a_number():
    report = d2l.record_activations(Tied(), X)
    assert [row.label for row in report.rows] == [
        "first = second, call 1",
        "first = second, call 2",
        "(model)",
    ]
    assert report.rows[0].names == ("first", "second")
    assert report.rows[2].repeats == "first = second, call 2"


def test_tied_parameters_have_one_gradient_with_all_its_names():
    report = d2l.gradient_norms(Tied(), X, loss=jnp.sum)
    assert [row.names for row in report.parameters] == [
        ("first.bias", "second.bias"),
        ("first.kernel", "second.kernel"),
    ]
    g = nnx.grad(lambda net: net(X).sum())(Tied())
    expected = np.linalg.norm(np.asarray(g["first"]["kernel"][...]))
    assert report["second.kernel"].norm == pytest.approx(expected, rel=1e-6)


def test_eager_gradients_are_a_pass_that_is_seen():
    net = build()
    with d2l.record_activations(net) as seen:
        nnx.grad(step)(net, X)
    assert str(seen.report) == str(d2l.record_activations(net, X))
    assert "Seen: 3 of 3 modules." in seen.report.notes


def test_siamese_passes_share_one_backward_pass():
    net = build()
    with d2l.gradient_norms(net) as seen:
        nnx.grad(lambda net: ((net(X) - net(X + 1)) ** 2).sum())(net)
    assert seen.passes == 1
    labels = [row.label for row in seen.report.activations]
    assert labels[:2] == ["layers.0, call 1", "layers.2, call 1"]
    assert "layers.0, call 2" in labels
    g = nnx.grad(lambda net: ((net(X) - net(X + 1)) ** 2).sum())(net)
    expected = np.linalg.norm(np.asarray(g["layers"][0]["kernel"][...]))
    assert seen.report["layers.0.kernel"].norm == pytest.approx(expected, rel=1e-5)


def test_watches_nest_also_over_a_part():
    net = build()
    with d2l.record_activations(net) as outer:
        net(X)
        with (
            d2l.find_nonfinite(net.layers[2]) as part,
            d2l.find_nonfinite(net) as inner,
        ):
            net(X)
        net(X)
    assert (outer.passes, inner.passes, part.passes) == (3, 1, 1)
    assert part.report.notes[0] == "Seen: 1 of 1 modules."
    assert list_wrapped() == []


def test_watches_that_end_in_another_order_leave_nothing():
    net, call = build(), nnx.Linear.__call__
    first, second = d2l.record_activations(net), d2l.find_nonfinite(net)
    first.__enter__()
    second.__enter__()
    net(X)
    first.__exit__(None, None, None)
    net(X)
    second.__exit__(None, None, None)
    assert (first.passes, second.passes) == (1, 2)
    assert nnx.Linear.__call__ is call
    assert "_d2l_place" not in vars(net)
    assert "_d2l_place1" not in vars(net)


def test_capture_of_flax_works_inside_a_watch():
    net = build()
    with d2l.record_activations(net) as seen:
        _, found = nnx.capture(net, nnx.Intermediate, method_outputs=nnx.Intermediate)(
            X
        )
    assert "layers" in found
    assert seen.report["layers.0"].std
    assert list_wrapped() == []


def test_another_model_of_the_same_classes_is_not_seen():
    net, other = build(), build()
    with d2l.record_activations(net) as seen:
        net(X)
        other(100 * X)
    assert seen.passes == 1
    assert seen.report["layers.0"].max < 10


def test_forward_mode_is_left_alone():
    net = build()
    expected = jax.jvp(net, (X,), (X,))
    with d2l.gradient_norms(net) as seen:
        found = jax.jvp(net, (X,), (X,))
        hessian = jax.hessian(lambda x: net(x).sum())(X[:1])
    jax.tree.map(np.testing.assert_array_equal, found, expected)
    assert hessian.shape == (1, 4, 1, 4)
    assert "No gradient arrived." in str(seen.report)


def test_training_loop_is_the_same_with_and_without():
    def train(net, steps=3):
        for _ in range(steps):
            gradients = nnx.grad(step)(net, X)
            state = nnx.state(net, nnx.Param)
            nnx.update(net, jax.tree.map(lambda p, g: p - 0.1 * g, state, gradients))
        return jax.tree.map(np.asarray, nnx.state(net, nnx.Param))

    expected = train(build())
    for helper in (d2l.gradient_norms, d2l.find_nonfinite, d2l.record_trace):
        net = build()
        with helper(net) as seen:
            found = train(net)
        assert seen.passes == 3
        jax.tree.map(np.testing.assert_array_equal, found, expected)
