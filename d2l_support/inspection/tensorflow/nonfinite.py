"""`find_nonfinite` for TensorFlow: what its quick look and its close look ask.

The quick look is one operation for each tensor, the one behind TensorFlow's
own `enable_check_numerics`: it counts NaN, +inf and -inf on the device. For
parameters it only asks whether there is any, which reads them at the speed of
the memory, and counts in those that have one.
"""

from collections.abc import Callable, Collection, Mapping
from functools import partial
from math import inf
from typing import Any

import keras
import tensorflow as tf
from tensorflow.python.ops.gen_debug_ops import debug_numeric_summary_v2 as summarise

from d2l_support.inspection.looks import Looks
from d2l_support.inspection.nonfinite import Nonfinite
from d2l_support.inspection.tensorflow.gauges import Gauge
from d2l_support.inspection.tensorflow.keeping import keep_state
from d2l_support.inspection.tensorflow.tensors import fetch_numbers, measure_floats
from d2l_support.inspection.tensorflow.watching import Watch

ANY, COUNTS = 2, 3  # modes of the operation: CURT_HEALTH and CONCISE_HEALTH


def find_nonfinite(
    model: keras.Layer,
    *inputs: Any,
    kwargs: Mapping[str, Any] | None = None,
    loss: Callable[[Any], tf.Tensor] | None = None,
    allow_neginf: Collection[str] = (),
    backward: bool = True,
) -> Nonfinite | Watch[Nonfinite]:
    """The first NaN or infinity of a pass, and the layer that made it.

    Without inputs it watches eager passes of your own, up to the first bad
    one: `with d2l.find_nonfinite(net) as seen:`, then seen.report. That one
    names no places in the tensors, since your pass is not run again.

    Args:
        model: Any Keras model or layer that has been built.
        *inputs: What to call it with; that pass leaves no trace.
        kwargs: Named arguments to call it with.
        loss: Makes one number of the output, to check the gradients as well.
        allow_neginf: Layers, arguments or variables where -inf is meant, such
            as "mask"; "*" stands for any characters.
        backward: Whether a watch checks what `tape.gradient` gives you, and
            the gradients of activations with it.

    Source: section Find the first non-finite value.
    """
    if not inputs and kwargs is None:
        return Watch(model, LOOKS.make_quick_gauge(allow_neginf, True, backward))
    with keep_state(model, inputs, kwargs) as rewind:
        return LOOKS.take(
            lambda gauge: Watch(model, gauge).run(inputs, kwargs, loss),
            rewind,
            allow_neginf,
            loss is not None,
        )


def measure_kinds(x: tf.Tensor) -> tuple[tf.Tensor]:
    """A number that says nothing, the size, the counts of -inf, +inf and NaN."""
    return (summarise(x, tf.float32, tensor_debug_mode=COUNTS),)


def measure_any(x: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    """Whether anything is not finite, shape (2,), and the tensor itself."""
    return summarise(x, tf.float32, tensor_debug_mode=ANY), x


def fetch_kinds(rows: list[tuple[tf.Tensor, ...]]) -> list[tuple[int, int, int, int]]:
    """For each tensor, whether there is a NaN, a +inf, a -inf; and no place."""
    found = fetch_numbers([row[:1] for row in rows])
    for at, (row, numbers) in enumerate(zip(rows, found, strict=True)):
        if len(row) == 2:
            found[at] = [0.0] * 5
            if numbers[1]:
                (found[at],) = fetch_numbers([measure_kinds(row[1])])
    return [(nan > 0, pos > 0, neg > 0, -1) for _, _, neg, pos, nan in found]


def measure_close(x: Any) -> tuple[tf.Tensor, ...] | str:
    """How many NaN, +inf and -inf there are, and the place of the first."""
    parts = 2 if tf.as_dtype(x.dtype).is_complex else 1
    return measure_floats(partial(count_nonfinite, parts=parts), x)


def count_nonfinite(x: tf.Tensor, parts: int) -> tuple[tf.Tensor, ...]:
    """Three counts, and the place of the first in C order.

    Args:
        x: Floats of any shape.
        parts: How many of them make one element.
    """
    kinds = tf.math.is_nan(x), x == inf, x == -inf
    first = tf.argmax(tf.reshape(kinds[0] | kinds[1] | kinds[2], [-1]))
    counts = (tf.reduce_sum(tf.cast(kind, tf.int64)) for kind in kinds)
    return *counts, first // parts


LOOKS = Looks(
    quick=partial(
        Gauge,
        measure=partial(measure_floats, measure_kinds),
        fetch=fetch_kinds,
        measure_weights=partial(measure_floats, measure_any),
    ),
    close=partial(Gauge, measure=measure_close, fetch=fetch_numbers),
    unreached="no variable",
)
