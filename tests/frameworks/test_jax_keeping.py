"""What JAX helpers keep of a pass, and what they put back after one."""

import gc
import weakref

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import nnx

from d2l_support import jax as d2l

X = jnp.linspace(-1, 1, 12).reshape(3, 4)


def linear(*sizes):
    return nnx.Linear(*sizes, rngs=nnx.Rngs(0))


def build(*more):
    return nnx.Sequential(linear(4, 4), nnx.relu, *more, linear(4, 2))


class Notes(nnx.Module):
    """Keeps a weak reference to whatever passes."""

    def __init__(self, kept):
        self.note = lambda x: kept.append(weakref.ref(x))

    def __call__(self, x):
        self.note(x)
        x = x + 1
        self.note(x)
        return x


@pytest.mark.parametrize("grad", [True, False])
@pytest.mark.parametrize(
    "helper", [d2l.record_activations, d2l.find_nonfinite, d2l.gradient_norms]
)
def test_no_activation_or_tracer_is_kept(helper, grad):
    kept = []
    net = build(Notes(kept))
    with helper(net) as seen:
        if grad:
            nnx.grad(lambda net: net(X).sum())(net)
        net(X)
        gc.collect()
        assert [ref for ref in kept[: 2 if grad else 0] if ref() is not None] == []
    gc.collect()
    assert kept
    assert [ref for ref in kept if ref() is not None] == []
    assert seen.report


@pytest.mark.parametrize("helper", [d2l.record_activations, d2l.find_nonfinite])
def test_memory_does_not_grow_with_passes(helper):
    net = build()
    with helper(net):
        for _ in range(3):
            net(X)
        gc.collect()
        before = len(jax.live_arrays())
        for _ in range(20):
            net(X)
        gc.collect()
        assert len(jax.live_arrays()) == before


@pytest.mark.parametrize("helper", [d2l.record_activations, d2l.find_nonfinite])
def test_numbers_come_to_the_host_once_in_a_pass(helper, monkeypatch):
    net = build(linear(4, 4), jnp.tanh)
    for _ in range(2):
        with helper(net):
            net(X)  # so that all is compiled
    copies = []
    fetch = jax.device_get
    monkeypatch.setattr(jax, "device_get", lambda x: copies.append(len(x)) or fetch(x))
    with helper(net) as watch:
        for _ in range(5):
            with jax.transfer_guard_device_to_host("disallow"):
                net(X)
    assert watch.passes == 5
    assert [count for count in copies if count] in ([1] * 5, [1] * 6)


# What a call puts back, and what it cannot


def test_arrays_of_numpy_that_a_module_writes_to_are_put_back():
    class Writes(nnx.Module):
        def __call__(self, x):
            x *= 0
            return jnp.asarray(x)

    x = np.asarray(X).copy()
    d2l.record_activations(Writes(), x)
    assert np.array_equal(x, X)


@pytest.mark.filterwarnings("ignore:Using 'Module.sow")
def test_attributes_and_variables_that_a_pass_adds_or_changes_are_put_back():
    class Counts(nnx.Module):
        def __init__(self):
            self.times, self.total = 0, nnx.Variable(jnp.zeros(()))

        def __call__(self, x):
            self.times += 1
            self.total[...] += x.sum()
            self.sow(nnx.Intermediate, "seen", x)
            return x

    net = Counts()
    before, total = dict(vars(net)), net.total[...]
    d2l.record_activations(net, X)
    assert vars(net) == before
    assert net.total[...] is total


@pytest.mark.parametrize("mode", ["train", "eval"])
@pytest.mark.parametrize(
    "helper", [d2l.record_activations, d2l.find_nonfinite, d2l.record_trace]
)
def test_streams_averages_and_mode_are_put_back(helper, mode):
    rngs = nnx.Rngs(0)
    net = nnx.Sequential(
        nnx.BatchNorm(4, rngs=rngs), nnx.Dropout(0.5, rngs=rngs), linear(4, 2)
    )
    getattr(net, mode)()
    before = jax.tree.map(np.asarray, nnx.state(net, nnx.Not(nnx.RngKey)))
    helper(net, X)
    after = nnx.state(net, nnx.Not(nnx.RngKey))
    jax.tree.map(np.testing.assert_array_equal, after, before)
    assert net.layers[1].deterministic == (mode == "eval")
    assert net.layers[0].use_running_average == (mode == "eval")


def test_streams_given_as_an_argument_are_put_back():
    class Draws(nnx.Module):
        def __init__(self):
            self.dropout = nnx.Dropout(0.5)

        def __call__(self, x, rngs):
            return self.dropout(x, rngs=rngs)

    net, rngs = Draws(), nnx.Rngs(dropout=0)
    net.train()
    for helper in (d2l.record_activations, d2l.find_nonfinite):
        assert helper(net, X, kwargs={"rngs": rngs})
        assert helper(net, X, rngs)
    assert int(rngs.dropout.count[...]) == 0


@pytest.mark.parametrize("helper", [d2l.gradient_norms, d2l.find_nonfinite])
def test_backward_pass_takes_flags_and_streams_as_arguments(helper):
    layer = nnx.MultiHeadAttention(
        2, 4, decode=False, dropout_rate=0.5, rngs=nnx.Rngs(0)
    )
    rngs = nnx.Rngs(dropout=1)
    kwargs = {"deterministic": False, "rngs": rngs, "is_causal": True}
    report = helper(layer, X[None], kwargs=kwargs, loss=jnp.sum)
    assert "Seen: 5 of 5 modules." in report.notes
    assert int(rngs.dropout.count[...]) == 0


def test_jit_compiles_once_more_in_a_block_and_not_after_it():
    net, traced = build(), []

    @nnx.jit
    def run(net, x):
        traced.append(1)
        return net(x)

    expected = np.asarray(run(net, X))
    for _ in range(2):
        with pytest.warns(UserWarning, match="Nothing"), d2l.record_activations(net):
            assert np.array_equal(run(net, X), expected)
    run(net, X)
    assert len(traced) == 2
