"""`record_trace` and `find_divergence` for JAX."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from flax import nnx

from d2l_support.inspection.differences import Tolerance
from d2l_support.inspection.divergence import Divergence, build_divergence
from d2l_support.inspection.jax.arrays import fetch_bytes, keep_array
from d2l_support.inspection.jax.gauges import Gauge
from d2l_support.inspection.jax.keeping import digest_streams, keep_state
from d2l_support.inspection.jax.watching import Watch
from d2l_support.inspection.traces import Trace, build_trace, load_trace


def record_trace(
    model: nnx.Module, *inputs: Any, kwargs: Mapping[str, Any] | None = None
) -> Trace | Watch[Trace]:
    """Everything that goes into and comes out of every module in one pass.

    The trace holds copies of all activations, in the memory of the host. Its
    `save` writes it to a file, for a comparison with another process.

    With inputs it makes the pass itself, eagerly, and leaves no trace in the
    model; without, it watches eager passes of your own, and gives the last one.

    Args:
        model: Any module that can be called; it stays in its mode.
        *inputs: What to call it with.
        kwargs: Named arguments to call it with.

    Source: section Find the first non-finite value.
    """
    from d2l_support.jax import describe_environment  # it imports this module

    build = partial(build_trace, streams={}, environment=describe_environment())
    if not inputs and kwargs is None:
        return Watch(model, make_gauge(build))
    build = partial(build, streams=digest_streams(model))
    with keep_state(model, inputs, kwargs):
        return Watch(model, make_gauge(build)).run(inputs, kwargs)


def make_gauge(build: Any) -> Gauge[Trace]:
    """The gauge that keeps whatever it sees until the pass ends."""
    return Gauge(keep_array, fetch_bytes, build, inputs=True, weights=True)


def find_divergence(
    a: nnx.Module | Trace | str | Path,
    b: nnx.Module | Trace | str | Path,
    *inputs: Any,
    kwargs: Mapping[str, Any] | None = None,
    rtol: float | None = None,
    atol: float | None = None,
) -> Divergence:
    """The first module whose output differs although its inputs agree.

    Compares two models on the same inputs, from the same random state; or two
    traces, in memory or in a file: of one model under two settings, say.

    Args:
        a: A model, a trace, or the path of a saved one.
        b: Another, to compare with it.
        *inputs: What to call the models with.
        kwargs: Named arguments to call them with.
        rtol: How far values may be apart, as a share of b's.
        atol: The same in absolute terms. Without either, bits count.

    Raises:
        ValueError: A file holds no sound trace, there are models and no
            inputs, or the two have nothing in common.

    Source: section Find the first non-finite value.
    """
    tolerance = None
    if rtol is not None or atol is not None:
        tolerance = Tolerance(rtol or 0.0, atol or 0.0)
    traces = [take_trace(run, inputs, kwargs) for run in (a, b)]
    return build_divergence(*traces, tolerance)


def take_trace(
    run: nnx.Module | Trace | str | Path,
    inputs: tuple[Any, ...],
    kwargs: Mapping[str, Any] | None,
) -> Trace:
    """The trace itself, from its file, or from a pass through the model."""
    if isinstance(run, Trace):
        return run
    if isinstance(run, str | Path):
        return load_trace(run)
    if not inputs and kwargs is None:
        raise ValueError(
            "find_divergence: found a model and no inputs, expected what to call it "
            "with. Write: find_divergence(net_a, net_b, X)"
        )
    return record_trace(run, *inputs, kwargs=kwargs)
