"""`find_nonfinite` of JAX: backward passes, and passes of your own."""

from math import inf, nan

import jax
import jax.numpy as jnp
import pytest
from flax import nnx

from d2l_support import jax as d2l

X = jnp.linspace(-1, 1, 12).reshape(3, 4)


def linear(*sizes):
    return nnx.Linear(*sizes, rngs=nnx.Rngs(0))


class Does(nnx.Module):
    """Calls a function."""

    def __init__(self, function):
        self.function = function

    def __call__(self, x):
        return self.function(x)


class Root(nnx.Module):
    """The square root where there is one; its gradient at 0 is NaN."""

    def __call__(self, x):
        return jnp.where(x > 0, jnp.sqrt(x), 0.0)


def set_entry(variable, place, number):
    variable[...] = variable[...].at[place].set(number)


def make_root_net():
    """Zeros out of the first layer, which the square root cannot take back."""
    net = nnx.Sequential(linear(4, 4), Root(), linear(4, 1))
    net.layers[0].kernel[...] = jnp.zeros((4, 4))
    return net


def test_gradient_is_found_where_every_activation_is_finite():
    net = make_root_net()
    assert not d2l.find_nonfinite(net, X).found
    report = d2l.find_nonfinite(net, X, loss=jnp.sum)
    assert report.first == "layers.1"
    assert report.explanation == (
        "Every activation is finite.",
        "First: the gradient of the output of layers.0 holds 12 NaN of 12, the first "
        "at [0, 0].",
        "It came back through layers.1 (Root).",
    )


def test_gradient_that_the_loss_spoils_is_blamed_on_the_loss():
    net = nnx.Sequential(linear(4, 4), Does(nnx.relu))
    report = d2l.find_nonfinite(net, X, loss=lambda out: jnp.sqrt(out).sum())
    assert report.explanation[-1] == "It comes from what follows the model: the loss."


def test_gradient_of_a_parameter_alone_is_found():
    class Product(nnx.Module):
        def __init__(self):
            self.scale = nnx.Param(jnp.zeros(1))

        def __call__(self, x):
            return x + jnp.sqrt(self.scale[...]) * 1.0

    class Hidden(nnx.Module):
        def __init__(self):
            self.inner = Product()

        def __call__(self, x):
            return self.inner(x)

    report = d2l.find_nonfinite(Hidden(), X, loss=jnp.sum)
    assert report.first == "inner.scale"
    assert "the gradient of inner.scale holds 1 +inf of 1" in report.explanation[1]


def step(net, x):
    return net(x).sum()


def test_watch_finds_a_gradient_in_a_loop():
    net = make_root_net()
    with d2l.find_nonfinite(net) as seen:
        for at in range(5):
            net.layers[0].bias[...] = jnp.full(4, 0.0 if at == 3 else 1.0)
            nnx.grad(step)(net, X)
    assert (seen.report.found, seen.passes) == (True, 4)
    assert "It came back through layers.1 (Root)." in seen.report.explanation


def test_watch_without_backward_leaves_gradients_alone():
    with d2l.find_nonfinite(make_root_net(), backward=False) as seen:
        nnx.grad(step)(seen._model, X)
    assert not seen.report.found


# Watching


def test_watch_stops_at_the_first_bad_pass():
    net = nnx.Sequential(linear(4, 4), linear(4, 4))
    with d2l.find_nonfinite(net) as seen:
        for at in range(6):
            net(X * (inf if at == 2 else 1.0))
            if seen.report.found:
                break
    assert (at, seen.passes) == (2, 3)
    assert seen.report.first == "args[0]"
    assert seen.report.explanation[0] == "In pass 3."
    assert seen.report.rows[0].place is None


def test_watch_keeps_the_first_bad_pass_if_the_loop_goes_on():
    net = nnx.Sequential(linear(4, 4), linear(4, 4))
    kernel = net.layers[1].kernel
    with d2l.find_nonfinite(net) as seen:
        net(X)
        set_entry(kernel, (0, 0), nan)
        net(X)
        set_entry(kernel, (0, 0), 0.0)
        net(X)
    assert (seen.report.first, seen.passes) == ("layers.1", 2)
    assert "Not checked: layers.1.kernel (replaced since" in str(seen.report)


def test_watch_tells_of_the_parameters_that_a_bad_pass_used():
    net = nnx.Sequential(linear(4, 4), linear(4, 4))
    set_entry(net.layers[1].kernel, (0, 0), nan)
    with d2l.find_nonfinite(net) as seen:
        net(X)
    assert seen.report.explanation[-1] == "layers.1.kernel holds NaN."


def test_watch_does_not_blame_parameters_that_an_optimizer_spoilt_later():
    net = make_root_net()
    with d2l.find_nonfinite(net) as seen:
        for _ in range(3):
            gradients = nnx.grad(step)(net, X)
            state = nnx.state(net, nnx.Param)
            nnx.update(net, jax.tree.map(lambda p, g: p - 0.1 * g, state, gradients))
    assert bool(jnp.isnan(net.layers[0].kernel[...]).any())
    assert seen.passes == 1
    assert not [row for row in seen.report.rows if row.role == "weight"]


def test_watch_looks_at_the_parameters_after_the_last_step():
    net = nnx.Sequential(linear(4, 4))
    with d2l.find_nonfinite(net) as seen:
        net(X)
        set_entry(net.layers[0].bias, 2, inf)
    assert seen.report.first == "layers.0.bias"


def test_a_pass_that_cannot_be_made_again_is_told():
    state = iter([nan, 1.0])
    net = nnx.Sequential(Does(lambda x: x * next(state)))
    report = d2l.find_nonfinite(net, X)
    assert report.first == "layers.0"
    assert report.explanation[-1].startswith("A second pass from the same state was")


def test_dropout_draws_the_same_in_the_second_pass():
    def build():
        net = nnx.Sequential(nnx.Dropout(0.5, rngs=nnx.Rngs(0)), Does(lambda x: 1 / x))
        net.train()
        return net

    report = d2l.find_nonfinite(build(), jnp.ones((4, 4)))
    zeros = int((build().layers[0](jnp.ones((4, 4))) == 0).sum())
    assert report.rows[0].counts == (0, zeros, 0)


@pytest.mark.parametrize(
    ("loss", "message"),
    [
        (lambda out: out, r"loss\(output\) is an array of shape \[3, 4\], expected"),
        (lambda out: 1.0, r"loss\(output\) is float, expected one number"),
        (lambda out: jnp.ones(()), r"an array of shape \[\] that depends on no Param"),
    ],
)
def test_loss_that_is_no_number_is_refused(loss, message):
    with pytest.raises(ValueError, match=message):
        d2l.find_nonfinite(nnx.Sequential(linear(4, 4)), X, loss=loss)
