"""`find_nonfinite` of JAX."""

from math import inf, nan

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import nnx

from d2l_support import jax as d2l

X = jnp.linspace(-1, 1, 12).reshape(3, 4)


class Does(nnx.Module):
    """Calls a function."""

    def __init__(self, function):
        self.function = function

    def __call__(self, *args, **kwargs):
        return self.function(*args, **kwargs)


class Identity(nnx.Module):
    def __call__(self, x):
        return x


def linear(*sizes, **options):
    return nnx.Linear(*sizes, rngs=nnx.Rngs(0), **options)


def put(*pairs, dtype=jnp.float32):
    """A module that puts numbers at places of its input."""

    def function(x):
        x = x.astype(dtype)
        for place, number in pairs:
            x = x.at[place].set(number)
        return x

    return Does(function)


@pytest.mark.parametrize("dtype", [jnp.float32, jnp.float16, jnp.bfloat16])
@pytest.mark.parametrize(
    ("number", "counts", "words"),
    [
        (nan, (1, 0, 0), "1 NaN of 12, the first at [1, 2]"),
        (inf, (0, 1, 0), "1 +inf of 12, the first at [1, 2]"),
        (-inf, (0, 0, 1), "1 -inf of 12, the first at [1, 2]"),
    ],
)
def test_kinds_are_told_apart_with_the_place(dtype, number, counts, words):
    net = nnx.Sequential(put(((1, 2), number), dtype=dtype), Identity())
    report = d2l.find_nonfinite(net, X)
    assert (report.rows[0].counts, report.rows[0].place) == (counts, (1, 2))
    assert words in report.explanation[0]


def test_all_kinds_at_once_are_counted():
    net = put(((0, 3), -inf), ((1, 0), nan), ((1, 1), inf), ((2, 2), nan))
    row = d2l.find_nonfinite(net, X).rows[0]
    assert (row.counts, row.place) == ((2, 1, 1), (0, 3))


@pytest.mark.parametrize("shape", [(1024, 512), (256, 64), (5, 1, 1000), (33, 70)])
@pytest.mark.parametrize("number", [nan, inf, -inf])
def test_one_bad_value_in_a_large_array_is_found_wherever_it_is(shape, number):
    # Here jnp.max(x) of an array with a NaN can be a number, without any NaN.
    for flat in (0, 77, 1234):
        place = tuple(map(int, np.unravel_index(flat, shape)))
        net, x = put((place, number)), jnp.ones(shape)
        assert d2l.find_nonfinite(net, x).rows[0].place == place
        with d2l.find_nonfinite(net, backward=False) as seen:
            net(x)
        assert seen.report.first == "(model)"
        row = d2l.record_activations(net, x).rows[0]
        extremes = np.asarray(net(x)).min(), np.asarray(net(x)).max()
        np.testing.assert_array_equal((row.min, row.max), extremes)


def test_a_single_nan_among_zero_gradients_is_found():
    net = nnx.Sequential(linear(64, 64), Does(lambda x: x))

    def loss(out):
        return jnp.where(out > 1e9, out, 0.0).sum() + out[0, 0] * 0 * nan

    report = d2l.gradient_norms(net, jnp.ones((256, 64)), loss=loss)
    assert np.isnan(report["layers.0"].norm)
    found = d2l.find_nonfinite(net, jnp.ones((256, 64)), loss=loss)
    assert found.rows[0].counts == (1, 0, 0)


def test_float8_is_checked():
    x = jnp.asarray([1.0, inf, 2.0]).astype(jnp.float8_e5m2)
    assert d2l.find_nonfinite(Does(lambda _: x), X).rows[0].place == (1,)


def test_complex_numbers_are_checked_in_both_parts():
    net = Does(lambda x: jnp.asarray([1 + 1j, complex(0, inf)]))
    row = d2l.find_nonfinite(net, X).rows[0]
    assert (row.counts, row.place, row.shape) == ((0, 1, 0), (1,), (2,))


def test_half_precision_overflow_is_found_in_the_layer_that_overflows():
    half = {"dtype": jnp.float16, "param_dtype": jnp.float16}
    net = nnx.Sequential(linear(4, 4, **half), linear(4, 4, **half))
    net.layers[0].bias[...] = jnp.full(4, 300.0, jnp.float16)
    net.layers[1].kernel[...] = jnp.full((4, 4), 100.0, jnp.float16)
    report = d2l.find_nonfinite(net, X.astype(jnp.float16))
    assert report.first == "layers.1"
    assert report.rows[0].counts[1] == 12


def test_integers_are_never_reported_but_told():
    net = Does(lambda x: (x, jnp.arange(3), jnp.empty(0)))
    report = d2l.find_nonfinite(net, X)
    assert not report.found
    assert "Not checked: (model)[1] (int32: no floating point)." in report.notes
    assert "Not checked: (model)[2] (empty)." in report.notes


class Between(nnx.Module):
    """Does something of its own before and after two linear layers."""

    def __init__(self, before, after=lambda x: x):
        self.head, self.tail = linear(4, 4), linear(4, 4)
        self.before, self.after = before, after

    def __call__(self, x):
        return self.after(self.tail(inputs=self.before(self.head(x))))


@pytest.mark.parametrize(
    ("build", "first", "explanation"),
    [
        (
            lambda: nnx.Sequential(Identity(), put(((0, 0), nan)), jnp.tanh),
            "layers.1",
            "layers.1 (Does) makes it: its inputs are finite, its output is not.",
        ),
        (
            lambda: nnx.Sequential(Between(lambda x: x / 0)),
            "layers.0",
            "The code of layers.0 (Between) makes it and gives it to layers.0.tail as "
            "inputs.",
        ),
        (
            lambda: nnx.Sequential(Between(lambda x: x, lambda x: x * inf)),
            "layers.0",
            "The code of layers.0 (Between) makes it; what its modules gave is finite.",
        ),
        (
            lambda: nnx.Sequential(linear(4, 4), jnp.log, linear(4, 4)),
            "(model)",
            "The code of (model) (Sequential) makes it and gives it to layers.2 as "
            "inputs.",
        ),
    ],
)
def test_first_producer_is_named(build, first, explanation):
    report = d2l.find_nonfinite(build(), X)
    assert (report.first, report.explanation[1]) == (first, explanation)


def test_bad_input_of_the_model_is_named():
    report = d2l.find_nonfinite(nnx.Sequential(linear(4, 4)), X.at[1, 1].set(nan))
    assert report.first == "args[0]"
    assert d2l.find_nonfinite(linear(4, 4), X.at[1, 1].set(nan)).first == "inputs"


def test_module_that_ends_it_is_told():
    net = nnx.Sequential(put(((0, 0), -inf)), Does(nnx.relu), linear(4, 1))
    report = d2l.find_nonfinite(net, X)
    assert [(row.name, row.role) for row in report.rows] == [("layers.0", "origin")]


def test_module_called_twice_is_named_with_its_number():
    class Twice(nnx.Module):
        def __init__(self):
            self.grow = Does(lambda x: x * 1e30)

        def __call__(self, x):
            return self.grow(self.grow(jnp.abs(x) + 1))

    report = d2l.find_nonfinite(Twice(), X)
    assert report.rows[0].label == "grow, call 2"


def test_batch_norm_of_one_value_in_a_feature_is_finite_and_of_inf_is_not():
    net = nnx.Sequential(linear(4, 4), nnx.BatchNorm(4, rngs=nnx.Rngs(0)))
    assert not d2l.find_nonfinite(net, X).found
    net.layers[1].mean[...] = jnp.full(4, inf)
    net.eval()
    report = d2l.find_nonfinite(net, X)
    assert report.first == "layers.1"
    assert report.explanation[-1].startswith("layers.1.mean holds 4 +inf of 4")


class Masked(nnx.Module):
    """A causal softmax: -inf where a mask says so."""

    def __init__(self):
        self.scores = Does(lambda x, mask: x + mask)
        self.softmax = Does(nnx.softmax)
        self.causal = nnx.Cache(jnp.triu(jnp.full((4, 4), -inf), 1))

    def __call__(self, x, mask):
        return self.softmax(self.scores(x, mask=mask))


MASK = jnp.triu(jnp.full((4, 4), -inf), 1)


def test_expected_masks_are_allowed_by_name():
    net, x = Masked(), jnp.ones((4, 4))
    allowed = ("mask", "scores", "causal")
    for call in ((x, MASK), (x,)):
        kwargs = {} if len(call) == 2 else {"mask": MASK}
        report = d2l.find_nonfinite(net, *call, kwargs=kwargs, allow_neginf=allowed)
        assert not report.found
        assert "-inf in mask is allowed, and is there." in report.notes
    with d2l.find_nonfinite(net, allow_neginf=allowed) as seen:
        net(x, MASK)
        net(x, MASK)
    assert (seen.report.found, seen.passes) == (False, 2)


@pytest.mark.parametrize(
    ("allowed", "first"),
    [
        ((), "mask"),
        ("mask", "scores"),
        (("mask", "scores"), "causal"),
        ("m*", "scores"),
    ],
)
def test_masks_that_are_not_allowed_are_found_in_turn(allowed, first):
    report = d2l.find_nonfinite(Masked(), jnp.ones((4, 4)), MASK, allow_neginf=allowed)
    assert report.first == first


def test_attention_whose_row_is_masked_out_altogether_is_finite_in_jax():
    # Flax fills with the least finite number, so that the softmax is uniform.
    layer = nnx.MultiHeadAttention(2, 4, decode=False, rngs=nnx.Rngs(0))
    mask = jnp.zeros((1, 2, 3, 3), bool)
    report = d2l.find_nonfinite(layer, X[None], kwargs={"mask": mask}, loss=jnp.sum)
    assert not report.found


def test_parameter_is_checked_where_no_value_shows_it():
    class Spare(nnx.Module):
        def __init__(self):
            self.used, self.spare = linear(4, 4), linear(4, 4)

        def __call__(self, x):
            return self.used(x)

    net = Spare()
    net.spare.kernel[...] = net.spare.kernel[...].at[1, 1].set(inf)
    report = d2l.find_nonfinite(net, X)
    assert report.first == "spare.kernel"
    assert report.explanation == (
        "Every activation is finite.",
        "spare.kernel holds 1 +inf of 16, the first at [1, 1].",
    )


def test_alarms_of_jax_are_not_set_off_by_looking():
    net = nnx.Sequential(linear(4, 4), Identity())
    net.layers[0].bias[...] = jnp.asarray([1.0, nan, 1.0, 1.0])
    with jax.debug_nans(True), pytest.raises(FloatingPointError):
        net(X)
    with jax.debug_infs(True):
        assert d2l.find_nonfinite(net, X).first == "layers.0"
    given, bad = nnx.Sequential(Identity()), X.at[0, 0].set(nan)
    with jax.debug_nans(True):
        assert d2l.find_nonfinite(given, bad).first == "args[0]"
