"""`record_trace` and `find_divergence` of JAX."""

import hashlib
import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import nnx

from d2l_support import jax as d2l

X = jnp.linspace(-1, 1, 12).reshape(3, 4)


def build(mode="eval"):
    rngs = nnx.Rngs(0)
    net = nnx.Sequential(
        nnx.Linear(4, 8, rngs=rngs),
        nnx.relu,
        nnx.Dropout(0.5, rngs=rngs),
        nnx.Linear(8, 2, rngs=rngs),
    )
    getattr(net, mode)()
    return net


class Gives(nnx.Module):
    def __init__(self, thing):
        self.give = lambda: thing

    def __call__(self, x):
        return self.give()


def test_digest_is_that_of_the_bytes_numpy_sees():
    net = build()
    trace = d2l.record_trace(net, X)
    output = np.asarray(net(X))
    expected = hashlib.sha256(b"float32 [3, 2]\n" + output.tobytes()).hexdigest()
    assert trace.digests[trace.run.calls[-1].outputs[0][1]] == expected


@pytest.mark.parametrize(
    "x",
    [
        jnp.arange(6).reshape(2, 3).T,
        jnp.ones(2, jnp.bfloat16),
        jnp.ones(3).astype(jnp.float8_e4m3fn),
        jnp.asarray([True, False]),
        jnp.asarray([1 + 2j]),
        jnp.broadcast_to(jnp.ones(1), 4),
        jnp.asarray(3.0, jnp.float16),
        jnp.empty((0, 2)),
        np.asfortranarray(np.arange(6.0).reshape(2, 3)),
    ],
)
def test_every_plain_dtype_is_traced(x):
    trace = d2l.record_trace(Gives(x), X)
    value = trace.run.values[trace.run.calls[-1].outputs[0][1]]
    assert value.skipped == ""
    assert value.data == np.ascontiguousarray(np.asarray(x)).tobytes()


def test_what_has_no_bytes_is_told():
    report = d2l.find_divergence(Gives(object()), Gives(None), X)
    assert "Not checked: (model) (an object of the class object, not" in str(report)


def test_same_model_agrees_with_itself_in_training_mode():
    net = build("train")
    assert not d2l.find_divergence(net, net, X).found


def test_other_random_state_is_told():
    net = build("train")
    first = d2l.record_trace(net, X)
    net.layers[2].rngs.count[...] += 1
    report = d2l.find_divergence(first, net, X)
    assert report.first == "layers.2"
    told = "Random streams that began differently: NNX layers.2.rngs."
    assert told in report.notes


def test_other_mode_is_found_at_the_layer_that_minds():
    report = d2l.find_divergence(build("eval"), build("train"), X)
    assert report.first == "layers.2"
    assert report.explanation[1] == (
        "layers.2 (Dropout) makes it: its inputs are equal, its output is not."
    )


def test_running_average_that_differs_is_told():
    def make(shift):
        rngs = nnx.Rngs(0)
        net = nnx.Sequential(nnx.Linear(4, 4, rngs=rngs), nnx.BatchNorm(4, rngs=rngs))
        net.layers[1].mean[...] += shift
        net.eval()
        return net

    report = d2l.find_divergence(make(0.0), make(0.5), X)
    assert report.first == "layers.1"
    assert report.explanation[-1] == "Its own values differ: layers.1.mean."


def test_compiled_and_eager_layers_differ_at_most_in_the_last_bits():
    class Maybe(nnx.Module):
        def __init__(self, compiled):
            self.layer = nnx.Linear(64, 64, rngs=nnx.Rngs(0))
            self.compiled = compiled

        def __call__(self, x):
            run = lambda x: jax.nn.softmax(jnp.sin(x) ** 3 + x * 3.7)  # noqa: E731
            return (jax.jit(run) if self.compiled else run)(self.layer(x))

    x = jax.random.normal(jax.random.key(1), (32, 64))
    report = d2l.find_divergence(Maybe(True), Maybe(False), x)
    if report.found:  # this depends on the machine
        assert report.first == "(model)"
        assert "what its modules gave is equal" in report.explanation[1]
    assert not d2l.find_divergence(Maybe(True), Maybe(False), x, rtol=1e-5).found


def test_tolerance_decides_what_counts():
    net, other = build(), build()
    kernel = other.layers[0].kernel
    kernel[...] = kernel[...] * (1 + 1e-6)
    assert d2l.find_divergence(net, other, X).first == "layers.0"
    assert not d2l.find_divergence(net, other, X, rtol=1e-4, atol=1e-6).found


def test_one_ulp_is_one_ulp():
    x = jnp.asarray([1.0, 2.0])
    y = jnp.asarray([1.0, np.nextafter(np.float32(2), np.float32(3))])
    report = d2l.find_divergence(Gives(x), Gives(y), X)
    assert report.rows[0].difference.ulps == 1
    assert report.rows[0].difference.place == (1,)


def test_another_process_is_compared_through_a_file(tmp_path):
    code = (
        "import sys, jax, jax.numpy as jnp\n"
        "from flax import nnx\n"
        "from d2l_support import jax as d2l\n"
        "rngs = nnx.Rngs(0)\n"
        "net = nnx.Sequential(nnx.Linear(4, 8, rngs=rngs), nnx.relu, "
        "nnx.Dropout(0.5, rngs=rngs), nnx.Linear(8, 2, rngs=rngs))\n"
        "net.eval()\n"
        "x = jnp.linspace(-1, 1, 12).reshape(3, 4)\n"
        "jax.config.update('jax_default_matmul_precision', 'highest')\n"
        "d2l.record_trace(net, x).save(sys.argv[1])\n"
    )
    path = tmp_path / "other.trace"
    subprocess.run([sys.executable, "-c", code, path], check=True)
    report = d2l.find_divergence(path, build(), X)
    assert not report.found
    setting = "flags.jax_default_matmul_precision: highest and not set"
    assert f"Settings that differ: {setting}." in report.notes


def test_watch_gives_a_trace_of_a_pass_of_your_own():
    net = build()
    with d2l.record_trace(net) as seen:
        nnx.grad(lambda net: net(X).sum())(net)
    assert not d2l.find_divergence(seen.report, net, X).found


def test_a_file_that_is_no_trace_is_refused(tmp_path):
    np.save(tmp_path / "weights.npy", np.asarray(X))
    with pytest.raises(ValueError, match=r"weights\.npy: found no trace"):
        d2l.find_divergence(tmp_path / "weights.npy", build(), X)


def test_calls_of_a_tied_module_are_matched_by_their_keys():
    class Twice(nnx.Module):
        def __init__(self):
            self.first = nnx.Linear(4, 4, rngs=nnx.Rngs(0))
            self.second = self.first

        def __call__(self, x):
            return self.second(self.first(x))

    traces = [d2l.record_trace(Twice(), X * factor) for factor in (1.0, 2.0)]
    assert not d2l.find_divergence(traces[0], traces[0]).found
    assert d2l.find_divergence(*traces).first == "x"
    assert [call.key for call in traces[0].run.calls] == [
        (("first", "second"), 1, "forward"),
        (("first", "second"), 2, "forward"),
        (("",), 1, "forward"),
    ]
