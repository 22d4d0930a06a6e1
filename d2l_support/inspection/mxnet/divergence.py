"""`record_trace` and `find_divergence` for MXNet."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from mxnet.gluon import Block

from d2l_support.inspection.finding import make_finder
from d2l_support.inspection.gauges import Gauge
from d2l_support.inspection.mxnet.arrays import fetch_bytes, measure_bytes
from d2l_support.inspection.mxnet.keeping import digest_streams, keep_state
from d2l_support.inspection.mxnet.watching import Watch
from d2l_support.inspection.traces import Trace, build_trace


def record_trace(
    model: Block, *inputs: Any, kwargs: Mapping[str, Any] | None = None
) -> Trace | Watch[Trace]:
    """Everything that goes into and comes out of every block in one pass.

    The trace holds copies of all activations, in the memory of the host. Its
    `save` writes it to a file, for a comparison with another process.

    With inputs it makes the pass itself and leaves no trace in the model;
    without, it watches passes of your own, and gives the last one. The state
    of MXNet's own random stream cannot be read, so it is not in the trace.

    Args:
        model: Any block that is not hybridized and has been called before.
        *inputs: What to call it with.
        kwargs: Named arguments to call it with.

    Raises:
        TypeError, ValueError: As `record_activations`.

    Source: section Find the first non-finite value.
    """
    from d2l_support.mxnet import describe_environment  # it imports this module

    build = partial(build_trace, streams={}, environment=describe_environment())
    if not inputs and kwargs is None:
        return Watch(model, make_gauge(build))
    build = partial(build, streams=digest_streams())
    with keep_state(model, inputs, kwargs):
        return Watch(model, make_gauge(build)).run(inputs, kwargs)


def make_gauge(build: Any) -> Gauge[Trace]:
    """The gauge that copies whatever it sees."""
    return Gauge(measure_bytes, fetch_bytes, build, inputs=True, weights=True)


find_divergence = make_finder(record_trace)
