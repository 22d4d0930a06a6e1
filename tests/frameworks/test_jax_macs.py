"""`count_macs` of JAX, by hand and against XLA's own count."""

import jax
import jax.numpy as jnp
import pytest
from flax import nnx

from d2l_support import jax as d2l

RNGS = nnx.Rngs(0)


@pytest.mark.parametrize(
    ("layer", "shape"),
    [
        (nnx.Linear(5, 7, use_bias=False, rngs=RNGS), (3, 4, 5)),
        (nnx.LinearGeneral(5, (2, 3), use_bias=False, rngs=RNGS), (3, 4, 5)),
        (
            nnx.LinearGeneral((4, 5), 7, axis=(-2, -1), use_bias=False, rngs=RNGS),
            (3, 4, 5),
        ),
        (nnx.Einsum("abc,cde->abde", (5, 2, 3), rngs=RNGS), (3, 4, 5)),
        (nnx.Conv(4, 6, 3, padding="VALID", use_bias=False, rngs=RNGS), (2, 9, 4)),
        (
            nnx.Conv(
                4,
                6,
                (3, 2),
                strides=2,
                padding="VALID",
                feature_group_count=2,
                use_bias=False,
                rngs=RNGS,
            ),
            (2, 9, 9, 4),
        ),
        (nnx.LoRA(5, 2, 7, rngs=RNGS), (3, 5)),
    ],
)
def test_layers_count_as_xla_does(layer, shape):
    graphdef, state = nnx.split(layer)
    run = jax.jit(lambda state, x: nnx.merge(graphdef, state)(x))
    cost = run.lower(state, jnp.ones(shape)).compile().cost_analysis()
    assert d2l.count_macs(layer, jnp.ones(shape)).flops == cost["flops"]


def test_transposed_convolution_spreads_each_input():
    layer = nnx.ConvTranspose(4, 6, (3, 3), strides=(2, 2), rngs=RNGS)
    expected = 2 * 5 * 5 * 4 * 6 * 9
    assert d2l.count_macs(layer, jnp.ones((2, 5, 5, 4))).total == expected


@pytest.mark.parametrize(
    ("kind", "gates"), [(nnx.LSTMCell, 4), (nnx.OptimizedLSTMCell, 4), (nnx.GRUCell, 3)]
)
def test_recurrent_layers_count_their_gates_at_each_step(kind, gates):
    cell = kind(5, 7, rngs=nnx.Rngs(0))
    one_step = 3 * gates * 7 * (5 + 7)
    carry = cell.initialize_carry((3, 5), nnx.Rngs(0))
    assert d2l.count_macs(cell, carry, jnp.ones((3, 5))).total == one_step
    layer = nnx.RNN(cell, rngs=nnx.Rngs(0))
    x = jnp.ones((3, 4, 5))
    assert d2l.count_macs(layer, x).total == 4 * one_step
    with jax.disable_jit():  # now each step is seen, and counts once
        assert d2l.count_macs(layer, x).total == 4 * one_step


def test_attention_counts_projections_scores_and_sums():
    layer = nnx.MultiHeadAttention(2, 8, decode=False, rngs=nnx.Rngs(0))
    q, k = jnp.ones((3, 5, 8)), jnp.ones((3, 6, 8))
    projections = 3 * (5 + 6 + 6 + 5) * 8 * 8
    attention = 2 * 3 * 5 * 6 * 8
    assert d2l.count_macs(layer, q, k).total == projections + attention


def test_what_does_not_multiply_is_free():
    net = nnx.Sequential(
        nnx.Embed(5, 4, rngs=RNGS),
        nnx.LayerNorm(4, rngs=RNGS),
        nnx.BatchNorm(4, rngs=RNGS),
        nnx.PReLU(),
        nnx.Dropout(0.5, rngs=RNGS),
    )
    report = d2l.count_macs(net, jnp.asarray([0, 1]))
    assert (report.total, report.layers) == (0, ())


def test_layer_without_a_rule_is_told():
    class Own(nnx.Module):
        def __init__(self):
            self.weight = nnx.Param(jnp.ones((4, 4)))

        def __call__(self, x):
            return x @ self.weight[...]

    net = nnx.Sequential(Own(), nnx.Linear(4, 2, rngs=RNGS))
    report = d2l.count_macs(net, jnp.ones((1, 4)))
    assert report.total == 8
    assert "Not counted: layers.0 (it has parameters, but there is no" in str(report)


def test_tied_layers_count_each_call():
    layer = nnx.Linear(4, 4, use_bias=False, rngs=RNGS)
    net = nnx.Sequential(layer, layer)
    assert d2l.count_macs(net, jnp.ones((1, 4))).total == 2 * 16


def test_layers_inside_a_transform_are_told_not_to_be_seen():
    @nnx.remat
    def again(layer, x):
        return layer(x)

    class Net(nnx.Module):
        def __init__(self):
            self.layer = nnx.Linear(4, 4, rngs=RNGS)

        def __call__(self, x):
            return again(self.layer, x)

    report = d2l.count_macs(Net(), jnp.ones((1, 4)))
    assert report.total == 0
    assert "Silent: layer (inside a transform" in str(report)
