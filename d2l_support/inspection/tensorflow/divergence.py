"""`record_trace` and `find_divergence` for TensorFlow."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import keras

from d2l_support.inspection.finding import make_finder
from d2l_support.inspection.tensorflow.gauges import Gauge
from d2l_support.inspection.tensorflow.keeping import keep_state
from d2l_support.inspection.tensorflow.streams import digest_streams
from d2l_support.inspection.tensorflow.tensors import fetch_bytes, measure_bytes
from d2l_support.inspection.tensorflow.watching import Watch
from d2l_support.inspection.traces import Trace, build_trace


def record_trace(
    model: keras.Layer, *inputs: Any, kwargs: Mapping[str, Any] | None = None
) -> Trace | Watch[Trace]:
    """Everything that goes into and comes out of every layer in one pass.

    The trace holds copies of all activations, in the memory of the host. Its
    `save` writes it to a file, for a comparison with another process. Names
    that Keras made up are counted from the start of each model, since Keras
    counts through the process: here the first dense layer is "dense".

    With inputs it makes the pass itself and leaves no trace in the model;
    without, it watches passes of your own, and gives the last one.

    Args:
        model: Any Keras model or layer that has been built.
        *inputs: What to call it with.
        kwargs: Named arguments to call it with.

    Source: section Find the first non-finite value.
    """
    from d2l_support.tensorflow import describe_environment  # it imports this module

    build = partial(build_trace, streams={}, environment=describe_environment())
    if not inputs and kwargs is None:
        return Watch(model, make_gauge(build))
    build = partial(build, streams=digest_streams())
    with keep_state(model, inputs, kwargs):
        return Watch(model, make_gauge(build)).run(inputs, kwargs)


def make_gauge(build: Any) -> Gauge[Trace]:
    """The gauge that copies whatever it sees."""
    looks = {"inputs": True, "weights": True, "renumber": True}
    return Gauge(measure_bytes, fetch_bytes, build, **looks)


find_divergence = make_finder(record_trace)
