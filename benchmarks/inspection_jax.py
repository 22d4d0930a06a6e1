"""The models and the ways of looking that `benchmarks.inspection` compares."""

import functools
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

# JAX reads them when it starts: one thread, so that CPU seconds are work.
os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false"
os.environ["NPROC"] = "1"

import jax
import jax.numpy as jnp
from flax import nnx
from jax import Array
from jax.experimental import checkify

from d2l_support import jax as d2l


class Residual(nnx.Module):
    """x + Linear(relu(Linear(x)))."""

    def __init__(self, width: int, rngs: nnx.Rngs):
        self.body = nnx.Sequential(
            nnx.Linear(width, width, rngs=rngs),
            nnx.relu,
            nnx.Linear(width, width, rngs=rngs),
        )

    def __call__(self, x: Array) -> Array:
        """The input and what the two layers make of it."""
        return x + self.body(x)


def build_stack(width: int, blocks: int, batch: int) -> tuple[nnx.Module, Array]:
    """A residual stack, and a batch of inputs of shape (batch, 20)."""
    rngs = nnx.Rngs(0)
    layers = [nnx.Linear(20, width, rngs=rngs)]
    layers += [Residual(width, rngs) for _ in range(blocks)]
    layers += [nnx.Linear(width, 10, rngs=rngs)]
    x = jax.random.normal(jax.random.key(1), (batch, 20))
    return nnx.Sequential(*layers), x


def check_by_hand(module: nnx.Module, output: Array) -> None:
    """Asks at every module whether its output is finite."""
    output = jax.lax.stop_gradient(output)
    if not bool(jnp.isfinite(output).all()):
        print("not finite:", module)


def record_by_hand(module: nnx.Module, output: Array) -> None:
    """Takes the five numbers of `record_activations`, one by one."""
    output = jax.lax.stop_gradient(output)
    zeros = (output == 0).mean()
    numbers = output.mean(), output.std(), output.min(), output.max(), zeros
    record = [float(number) for number in numbers]
    del record


def wrap_classes(look: Callable[[nnx.Module, Array], None]) -> Callable[..., Any]:
    """A context manager in which every call of a module is looked at."""

    def wrap(call: Callable[..., Array]) -> Callable[..., Array]:
        @functools.wraps(call)
        def wrapped(self: nnx.Module, *args: Any) -> Array:
            output = call(self, *args)
            look(self, output)
            return output

        return wrapped

    @contextmanager
    def looking(model: nnx.Module) -> Iterator[None]:
        kinds = {type(m) for _, m in nnx.iter_modules(model) if callable(m)}
        calls = {kind: kind.__call__ for kind in kinds}
        for kind, call in calls.items():
            kind.__call__ = wrap(call)
        yield
        for kind, call in calls.items():
            kind.__call__ = call

    return looking


def run_forward(model: nnx.Module, x: Array) -> None:
    """The work that is timed: an eager pass, waited for."""
    model(x).block_until_ready()


def run_step(model: nnx.Module, x: Array) -> None:
    """An eager forward and backward pass."""
    jax.block_until_ready(nnx.grad(lambda net: (net(x) ** 2).mean())(model))


@functools.cache
def compile_forward(model: nnx.Module) -> Callable[[Array], Array]:
    """The model as one compiled function of its input."""
    return jax.jit(lambda x: model(x))


def run_compiled(model: nnx.Module, x: Array) -> None:
    """What the same pass costs compiled, where no helper can look."""
    compile_forward(model)(x).block_until_ready()


@functools.cache
def compile_checked(model: nnx.Module) -> Callable[[Array], Any]:
    """The same with a check of every operation."""
    checked = checkify.checkify(lambda x: model(x), errors=checkify.nan_checks)
    return jax.jit(checked)


def run_checked(model: nnx.Module, x: Array) -> None:
    """A compiled pass under checkify, its verdict included."""
    error, output = compile_checked(model)(x)
    error.get()
    output.block_until_ready()


SUBJECTS = {
    "residual stack, width 64, batch 256": lambda: build_stack(64, 8, 256),
    "wide stack, width 4096, batch 512": lambda: build_stack(4096, 1, 512),
}
PASSES = {
    "plain": nullcontext,
    "check by hand": wrap_classes(check_by_hand),
    "record by hand": wrap_classes(record_by_hand),
    "with find_nonfinite(net)": lambda model: d2l.find_nonfinite(model, backward=False),
    "with record_activations(net)": d2l.record_activations,
    "with jax_debug_nans": lambda model: jax.debug_nans(True),
}
CALLS = {
    "find_nonfinite(net, X)": d2l.find_nonfinite,
    "record_activations(net, X)": d2l.record_activations,
    "compiled, plain": run_compiled,
    "compiled, checkify": run_checked,
}
STEPS = {
    "plain": nullcontext,
    "check by hand": wrap_classes(check_by_hand),
    "with find_nonfinite(net)": d2l.find_nonfinite,
    "with gradient_norms(net)": d2l.gradient_norms,
    "with jax_debug_nans": lambda model: jax.debug_nans(True),
}
