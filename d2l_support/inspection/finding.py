"""`find_divergence`, made from a framework's `record_trace`."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from d2l_support.inspection.differences import Tolerance
from d2l_support.inspection.divergence import Divergence, build_divergence
from d2l_support.inspection.traces import Trace, load_trace

Record = Callable[..., Trace]
"""A framework's `record_trace`, called with a model and inputs."""


def make_finder(record_trace: Record) -> Callable[..., Divergence]:
    """The function `find_divergence` of one framework.

    Args:
        record_trace: Makes the trace of a model's pass.
    """

    def find_divergence(
        a: Any,
        b: Any,
        *inputs: Any,
        kwargs: Mapping[str, Any] | None = None,
        rtol: float | None = None,
        atol: float | None = None,
    ) -> Divergence:
        """The first module whose output differs although its inputs agree.

        Compares two models on the same inputs; or two traces, in memory or in
        a file: of one model under two settings, say. Both models begin from
        the same random state, but in MXNet, whose own stream cannot be put
        back: there, seed before each pass and watch both with `record_trace`.

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
        traces = [take_trace(record_trace, run, inputs, kwargs) for run in (a, b)]
        return build_divergence(*traces, tolerance)

    return find_divergence


def take_trace(
    record_trace: Record,
    run: Any,
    inputs: tuple[Any, ...],
    kwargs: Mapping[str, Any] | None,
) -> Trace:
    """The trace itself, from its file, or from a pass through the model.

    Raises:
        ValueError: It is a model, and there is nothing to call it with.
    """
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
