"""Which modules of NNX are seen, why others are not, and where a pass ended."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import nnx

from d2l_support import jax as d2l
from d2l_support.inspection.jax.modules import UNCALLED, Places
from d2l_support.inspection.jax.wrapping import list_wrapped

X = jnp.linspace(-1, 1, 12).reshape(3, 4)
IN_TRANSFORM = (
    "inside a transform such as nnx.jit, nnx.scan or nnx.remat, where values are"
)


def linear(*sizes, rngs=None):
    rngs = rngs or nnx.Rngs(0)
    return nnx.Linear(*sizes, rngs=rngs)


def build(*more):
    return nnx.Sequential(linear(4, 4), nnx.relu, *more, linear(4, 2))


def flatten(report):
    return str(report).replace("\n  ", " ")


class Block(nnx.Module):
    """Two layers; the subclass computes them again in the backward pass."""

    def __init__(self):
        self.a, self.b = linear(4, 4), linear(4, 4)

    def __call__(self, x):
        return self.b(jnp.tanh(self.a(x)))


class RematBlock(Block):
    __call__ = nnx.remat(Block.__call__)


class Transformer(nnx.Module):
    """One block of a transformer, before which comes the norm."""

    def __init__(self):
        rngs = nnx.Rngs(0)
        self.attention = nnx.MultiHeadAttention(
            2, 4, decode=False, dropout_rate=0.1, rngs=rngs
        )
        self.norm1 = nnx.LayerNorm(4, rngs=rngs)
        self.norm2 = nnx.LayerNorm(4, rngs=rngs)
        self.mlp = nnx.Sequential(
            nnx.Linear(4, 8, rngs=rngs), nnx.gelu, nnx.Linear(8, 4, rngs=rngs)
        )
        self.dropout = nnx.Dropout(0.1, rngs=rngs)

    def __call__(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.dropout(self.mlp(self.norm2(x)))


def test_order_is_that_of_execution_not_of_the_object_graph():
    class Backwards(nnx.Module):
        def __init__(self):
            self.last, self.first = linear(4, 2), linear(4, 4)

        def __call__(self, x):
            return self.last(self.first(x))

    report = d2l.record_activations(Backwards(), X)
    assert [row.label for row in report.rows] == ["first", "last", "(model)"]


def test_functions_are_told_since_they_are_never_seen():
    report = d2l.record_activations(build(nnx.Sequential(linear(4, 4), jnp.sin)), X)
    assert report.notes[-2:] == (
        "Seen: 5 of 5 modules.",
        "Functions are never seen: layers.1 (relu), layers.2.layers.1 (sin).",
    )


def test_transformer_block_is_seen_whole():
    net = Transformer()
    net.train()
    report = d2l.record_activations(net, X[None])
    assert [row.label for row in report.rows if not row.repeats] == [
        "norm1",
        "attention.query",
        "attention.key",
        "attention.value",
        "attention.out",
        "norm2",
        "mlp.layers.0",
        "mlp.layers.2",
        "dropout",
        "(model)",
    ]
    assert "Seen: 12 of 12 modules." in report.notes
    assert not d2l.find_nonfinite(net, X[None], loss=jnp.sum).found


def test_modules_that_are_not_called_are_told():
    class Listed(nnx.Module):
        def __init__(self):
            self.layers = nnx.List([linear(4, 4), linear(4, 4)])
            self.spare = linear(4, 4)

        def __call__(self, x):
            for layer in self.layers:
                x = layer(x)
            return x

    notes = d2l.record_activations(Listed(), X).notes
    assert notes[0] == "Seen: 3 of 4 modules."
    assert notes[1].startswith("Silent: spare (not called in this pass, called by an")


def test_lists_and_dictionaries_of_modules_show_no_number():
    class Named(nnx.Module):
        def __init__(self):
            self.parts = nnx.Dict(a=linear(4, 4), b=nnx.List([linear(4, 4)]))

        def __call__(self, x):
            assert sorted(self.parts) == ["a", "b"]
            for name in self.parts:
                part = self.parts[name]
                x = part(x) if name == "a" else part[0](x)
            return x

    report = d2l.gradient_norms(Named(), X, loss=jnp.sum)
    assert [row.label for row in report.activations] == ["parts.a", "parts.b.0"]
    assert "Seen: 3 of 3 modules." in report.notes


def test_cell_of_an_rnn_is_told_to_be_inside_a_transform():
    net = nnx.RNN(nnx.GRUCell(4, 6, rngs=nnx.Rngs(0)), rngs=nnx.Rngs(0))
    report = d2l.record_activations(net, X[None])
    assert [row.label for row in report.rows] == ["(model)"]
    told = f"Silent: cell, cell.dense_i, cell.dense_h ({IN_TRANSFORM} tracers)."
    assert told in flatten(report)


def test_steps_of_an_rnn_are_seen_where_jit_is_disabled():
    net = nnx.RNN(nnx.GRUCell(4, 6, rngs=nnx.Rngs(0)), rngs=nnx.Rngs(0))
    with jax.disable_jit():
        report = d2l.record_activations(net, X[None])
    labels = [row.label for row in report.rows]
    assert {f"cell.dense_i, call {step}" for step in (1, 2, 3)} <= set(labels)
    assert "Seen: 4 of 4 modules." in report.notes


def test_recomputed_block_is_seen_and_its_parts_are_told():
    net = nnx.Sequential(linear(4, 4), RematBlock(), linear(4, 1))
    report = d2l.record_activations(net, X)
    assert [row.label for row in report.rows if not row.repeats] == [
        "layers.0",
        "layers.1",
        "layers.2",
    ]
    assert f"Silent: layers.1.a, layers.1.b ({IN_TRANSFORM} tracers)." in flatten(
        report
    )
    # JAX computes it again in the backward pass without calling a module.
    norms = d2l.gradient_norms(net, X, loss=jnp.sum)
    plain = nnx.Sequential(net.layers[0], Block(), net.layers[2])
    expected = d2l.gradient_norms(plain, X, loss=jnp.sum)
    for row in expected.parameters:
        assert norms[row.names[0]].norm == pytest.approx(row.norm, rel=1e-5)


def test_compiled_part_is_told():
    class Partly(nnx.Module):
        def __init__(self):
            self.plain, self.fast = linear(4, 4), Block()

        def __call__(self, x):
            return nnx.jit(lambda block, x: block(x))(self.fast, self.plain(x))

    report = d2l.record_activations(Partly(), X)
    assert {row.label for row in report.rows} == {"plain", "(model)"}
    assert f"Silent: fast, fast.a, fast.b ({IN_TRANSFORM} tracers)." in flatten(report)


def step(net, x):
    return (net(x) ** 2).mean()


@pytest.mark.parametrize("traced_before", [True, False])
@pytest.mark.parametrize(
    "helper", [d2l.record_activations, d2l.find_nonfinite, d2l.gradient_norms]
)
def test_jitted_pass_is_warned_about_and_unchanged(helper, traced_before):
    net, jitted = build(), nnx.jit(nnx.value_and_grad(step))
    expected = jax.tree.map(np.asarray, jitted(build(), X))
    if traced_before:
        jitted(net, X)
    with pytest.warns(UserWarning, match="Nothing was seen"), helper(net) as seen:
        found = jitted(net, X)
    jax.tree.map(np.testing.assert_array_equal, found, expected)
    assert UNCALLED in seen.report.notes
    assert "Seen: 0 of 3 modules." in seen.report.notes


def test_jitted_pass_is_not_said_to_be_finite():
    net = build()
    with pytest.warns(UserWarning, match="Nothing"), d2l.find_nonfinite(net) as seen:
        nnx.jit(lambda net, x: net(x))(net, X)
    assert seen.report.explanation == (
        "No call of a module was seen, so no activation was checked.",
    )


def test_vmapped_pass_is_warned_about():
    net = build()
    with (
        pytest.warns(UserWarning, match="Nothing"),
        d2l.record_activations(net) as seen,
    ):
        nnx.vmap(lambda net, x: net(x), in_axes=(None, 0))(net, X)
    assert f"({IN_TRANSFORM}" in flatten(seen.report)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (
            len,
            "found a model of type builtin_function_or_method, expected an nnx.Module",
        ),
        (nnx.List([linear(4, 4)]), "found a model of type List, expected an nnx.Mod"),
        (nnx.jit(linear(4, 4)), "found a compiled function.*Give the module that it"),
        (jax.jit(lambda x: x), "found a compiled function.*Give the module that it"),
    ],
)
def test_what_is_no_model_is_refused(model, message):
    with pytest.raises(TypeError, match=message):
        d2l.record_activations(model, X)


@pytest.mark.parametrize("transform", [nnx.jit, nnx.vmap])
def test_call_inside_a_transform_is_refused(transform):
    net = build()
    function = transform(lambda x: d2l.record_activations(net, x).rows[0].mean)
    with pytest.raises(ValueError, match=r"found tracers in place of values.*nnx\.jit"):
        function(X)


def test_copy_that_nnx_makes_is_known_by_its_names():
    net = build()
    with d2l.record_activations(net) as seen:
        graphdef, state = nnx.split(net)
        nnx.merge(graphdef, state)(X)
    assert [row.label for row in seen.report.rows if not row.repeats] == [
        "layers.0",
        "layers.2",
    ]


def test_subclass_that_calls_its_base_is_seen_once():
    class Scaled(nnx.Linear):
        def __call__(self, x):
            return 2 * super().__call__(x)

    class Inherits(nnx.Linear):
        pass

    net = nnx.Sequential(
        Scaled(4, 4, rngs=nnx.Rngs(0)), Inherits(4, 4, rngs=nnx.Rngs(0)), linear(4, 2)
    )
    report = d2l.record_activations(net, X)
    labels = [row.label for row in report.rows]
    assert labels == ["layers.0", "layers.1", "layers.2", "(model)"]
    assert "__call__" not in vars(Inherits)
    assert list_wrapped() == []


def test_places_name_arguments():
    places = Places(linear(4, 4))
    assert (places.argument(0, 0), places.argument(0, 5)) == ("inputs", "args[5]")


# Exceptions


class Boom(nnx.Module):
    def __call__(self, x):
        raise ValueError("boom")


def test_exception_names_the_innermost_module():
    net = build(nnx.Sequential(linear(4, 4), Boom()))
    with pytest.raises(ValueError, match="boom") as raised:
        d2l.record_activations(net, X)
    assert raised.value.__notes__[-1] == (
        "d2l_support: raised in layers.2.layers.1 (Boom), after 2 calls of modules "
        "had ended."
    )
    assert list_wrapped() == []


def test_exception_tells_what_was_not_finite_before_it():
    net = build(Boom())
    bias = net.layers[0].bias
    bias[...] = bias[...].at[1].set(jnp.inf)
    with pytest.raises(ValueError, match="boom") as raised:
        d2l.find_nonfinite(net, X)
    assert "First: the output of layers.0 holds +inf." in raised.value.__notes__[-1]


def test_exception_that_the_model_handles_is_not_reported():
    class Careful(nnx.Module):
        def __init__(self):
            self.bad, self.good = Boom(), linear(4, 4)

        def __call__(self, x):
            try:
                return self.bad(x)
            except ValueError:
                return self.good(x)

    report = d2l.record_activations(Careful(), X)
    assert "ended early" not in str(report)
    assert "Seen: 3 of 3 modules." in report.notes
