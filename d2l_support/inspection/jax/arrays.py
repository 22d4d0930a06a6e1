"""What can be measured on an array of JAX, and small numbers brought home.

Measuring starts work on the array's device and returns a small array there.
Nothing waits: `fetch_numbers` copies all of them at once, at the end.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import cache
from itertools import islice
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx
from jax import Array

Measure = Callable[[Array], Array]

TRACED = (
    "inside a transform such as nnx.jit, nnx.scan or nnx.remat, where values are "
    "tracers"
)


def is_array(thing: object) -> bool:
    """Whether a leaf is an array: JAX's, NumPy's, or a Variable that holds one."""
    return isinstance(thing, jax.Array | np.ndarray | np.generic | nnx.Variable)


def read_array(x: Any) -> Any:
    """The array itself; of a Variable, what it holds."""
    return x.get_raw_value() if isinstance(x, nnx.Variable) else x


def read_values(x: Any) -> Any | None:
    """An array of values; None where there are only tracers.

    Inside `jax.grad`, run eagerly, an array is a tracer around values; inside
    `jax.jit` there are none.
    """
    if not isinstance(x, jax.core.Tracer):
        return x
    x = jax.lax.stop_gradient(x)
    return None if isinstance(x, jax.core.Tracer) else x


@cache
def explain_kind(dtype: Any) -> str:
    """Why an array of this dtype has nothing to measure, or nothing."""
    if jnp.issubdtype(dtype, jnp.inexact):
        return ""
    if jnp.issubdtype(dtype, jax.dtypes.prng_key):
        return f"{dtype}: random keys"
    return f"{dtype}: no floating point"


def measure_array(measure: Measure, x: Any) -> Array | str:
    """What `measure` finds in an array, or why it cannot be measured.

    Args:
        measure: Compiled by `jax.jit`; gives a small array of numbers.
        x: Any array of values.
    """
    if reason := explain_kind(x.dtype) or ("" if x.size else "empty"):
        return reason
    try:
        with set_quiet() if is_alarmed() else jax.ensure_compile_time_eval():
            return measure(x)
    except (RuntimeError, TypeError, ValueError) as error:
        return str(error).splitlines()[0][:60] or type(error).__name__


def is_alarmed() -> bool:
    """Whether JAX is set to raise at a NaN, or to compile nothing."""
    config = jax.config
    return config.jax_debug_nans or config.jax_debug_infs or config.jax_disable_jit


@contextmanager
def set_quiet() -> Iterator[None]:
    """Computes at once, compiled, and with no alarm of JAX's own set off."""
    with ExitStack() as stack:
        stack.enter_context(jax.ensure_compile_time_eval())
        stack.enter_context(jax.debug_nans(False))
        stack.enter_context(jax.debug_infs(False))
        stack.enter_context(jax.disable_jit(False))
        yield


def split_complex(x: Array) -> Array:
    """Floats as they are or as float32; complex numbers as two planes of parts."""
    if jnp.iscomplexobj(x):
        return jnp.stack([x.real, x.imag])
    return x if x.dtype == jnp.float64 else x.astype(jnp.float32)


def find_nan(x: Array) -> Array:
    """1 if there is a NaN among real numbers, else 0.

    The maximum would not tell: on the CPU, XLA's vectorised minimum and maximum
    pass over a NaN (jaxlib 0.10.2).
    """
    return (x != x).astype(jnp.float32).max()


def add_up(x: Array) -> Array:
    """The sum, column by column first, so that fewer digits are lost."""
    return x.sum(0).sum() if x.ndim else x


@jax.jit
def stack_rows(rows: Sequence[Array]) -> Array:
    """Small arrays of one length as the rows of one array."""
    return jnp.stack(rows)


def fetch_numbers(rows: Sequence[Array]) -> list[list[float]]:
    """The numbers of many small arrays, in one copy to the host.

    Args:
        rows: Arrays of shape (numbers,).
    """
    groups: dict[tuple[Any, ...], list[int]] = {}
    for place, row in enumerate(rows):
        devices = tuple(sorted(device.id for device in row.devices()))
        groups.setdefault((devices, row.dtype, row.shape), []).append(place)
    with set_quiet():
        stacked = [stack_rows([rows[p] for p in group]) for group in groups.values()]
        found = jax.device_get(stacked) if stacked else []
    numbers: list[list[float]] = [[]] * len(rows)
    for group, part in zip(groups.values(), found, strict=True):
        for place, row in zip(group, part.tolist(), strict=True):
            numbers[place] = row
    return numbers


def keep_array(x: Any) -> Array | np.ndarray:
    """The array itself, whose bytes are fetched at the end of the pass."""
    if jnp.issubdtype(x.dtype, jax.dtypes.prng_key):
        return jax.random.key_data(x)
    return x.copy() if isinstance(x, np.ndarray | np.generic) else x


def fetch_bytes(rows: Sequence[Any]) -> list[bytes | str]:
    """The bytes of many arrays in C order, in one copy to the host."""
    lost = [isinstance(x, jax.Array) and x.is_deleted() for x in rows]
    pairs = zip(rows, lost, strict=True)
    found = iter(jax.device_get([x for x, gone in pairs if not gone]))
    return [
        "deleted, or given away (donated)"
        if gone
        else np.ascontiguousarray(next(islice(found, 1))).tobytes()
        for gone in lost
    ]
