"""What can be measured on a tensor, and small numbers brought home.

Measuring runs operations on the tensor's device and keeps small tensors there.
`fetch_numbers` and `fetch_bytes` copy all of them to the host at once. In the
paths that every activation takes, the functions are those that TensorFlow
generates for its operations: the public ones around them take several times
longer than the operation on a small tensor.
"""

from collections.abc import Callable, Sequence
from itertools import islice
from math import prod
from typing import Any

import keras
import numpy as np
import tensorflow as tf
from tensorflow.python.eager import record
from tensorflow.python.framework.ops import EagerTensor
from tensorflow.python.ops.gen_array_ops import pack
from tensorflow.python.ops.gen_math_ops import cast

FLOATS = frozenset((tf.float16, tf.bfloat16, tf.float32, tf.float64))
FLOAT8 = frozenset(
    dtype
    for name, dtype in vars(tf.dtypes.experimental).items()
    if name.startswith("float8")
)
WIDTHS = {tf.complex64: tf.float32, tf.complex128: tf.float64}
SYMBOLIC = "inside a tf.function: it has no values yet"

Measured = tuple[tf.Tensor, ...]
Measure = Callable[[tf.Tensor], Measured | str]


def is_tensor(thing: object) -> bool:
    """Whether a leaf is a tensor or variable, sparse and ragged ones included."""
    return (
        type(thing) is EagerTensor
        or isinstance(thing, np.ndarray | keras.Variable)
        or tf.is_tensor(thing)
    )


def measure_floats(
    measure: Callable[[tf.Tensor], Measured], x: object
) -> Measured | str:
    """What `measure` finds in the tensor, or why it cannot be measured.

    It is given float8 as float32, and complex numbers as pairs of real ones.
    Nothing of it is recorded on a tape.
    """
    plain = type(x) is EagerTensor and x.dtype in FLOATS
    reason = "" if plain else find_obstacle(x) or explain_dtype(read_dtype(x))
    if reason:
        return reason
    with record.stop_recording():
        try:
            if not plain:
                x = view_real(tf.convert_to_tensor(x))
            return measure(x) if 0 not in x._shape_tuple() else "empty"
        except (tf.errors.OpError, ValueError) as error:
            return shorten(error)


def measure_bytes(x: object) -> Measured | str:
    """The tensor's bytes in C order, or why there are none.

    Returns:
        One tensor of shape (bytes,), uint8, on the same device.
    """
    dtype = read_dtype(x)
    if reason := find_obstacle(x) or ("" if dtype.size else explain_dtype(dtype)):
        return reason
    with record.stop_recording():
        try:
            return (tf.reshape(view_bytes(tf.convert_to_tensor(x)), [-1]),)
        except (tf.errors.OpError, ValueError) as error:
            return shorten(error)


def view_bytes(x: tf.Tensor) -> tf.Tensor:
    """The bytes of the elements; float8 has no such view but in NumPy."""
    if x.dtype is tf.bool:
        return tf.cast(x, tf.uint8)
    if x.dtype in FLOAT8:
        return tf.constant(x.numpy().view(np.uint8))
    return tf.bitcast(x, tf.uint8)


def find_obstacle(x: object) -> str:
    """Why a tensor has no plain array of values, or nothing."""
    if type(x) is EagerTensor or isinstance(
        x, np.ndarray | keras.Variable | tf.Variable
    ):
        return ""
    if isinstance(x, tf.Tensor):
        return "" if hasattr(x, "numpy") else SYMBOLIC
    return f"{type(x).__name__}: no plain tensor"


def explain_dtype(dtype: tf.DType) -> str:
    """Why a tensor of this dtype has nothing to measure, or nothing."""
    if dtype in FLOATS or dtype in FLOAT8 or dtype in WIDTHS:
        return ""
    if dtype.is_quantized:
        return f"quantised ({dtype.name})"
    if dtype.is_integer or dtype.is_bool:
        return f"{dtype.name}: no floating point"
    return f"{dtype.name}: no numbers"


def shorten(error: Exception) -> str:
    """The start of a message of TensorFlow, as a reason."""
    return str(error).splitlines()[0][:60]


def view_real(x: tf.Tensor) -> tf.Tensor:
    """Float8 as float32, and complex numbers as pairs of real ones."""
    if x.dtype in FLOATS:
        return x
    if x.dtype in WIDTHS:
        return tf.bitcast(x, WIDTHS[x.dtype])
    return tf.cast(x, tf.float32)


def read_dtype(x: object) -> tf.DType:
    """The tensor's dtype; Keras and NumPy have their own words for it."""
    return tf.as_dtype(x.dtype)


def read_shape(x: object) -> tuple[int, ...]:
    """The tensor's shape; empty if not all of it is known."""
    if type(x) is EagerTensor:
        return x._shape_tuple()
    shape = tf.TensorShape(x.shape)
    return tuple(shape) if shape.is_fully_defined() else ()


def fetch_numbers(rows: Sequence[Measured]) -> list[list[float]]:
    """The numbers of many small tensors, in one copy to the host.

    Args:
        rows: Tuples of scalars, or of vectors. Those of one row have the same
            dtype and shape.
    """
    groups: dict[Any, list[tuple[int, tf.Tensor]]] = {}
    for place, row in enumerate(rows):
        for x in row:
            groups.setdefault((x.dtype, x._shape_tuple()), []).append((place, x))
    found: list[list[float]] = [[] for _ in rows]
    packed = [pack([x for _, x in group]) for group in groups.values()]
    if len(packed) > 1:
        packed = [tf.concat([tf.reshape(widen(x), [-1]) for x in packed], 0)]
    numbers = iter(packed[0].numpy().ravel().tolist()) if packed else iter(())
    for (_, shape), group in groups.items():
        for place, _ in group:
            found[place] += islice(numbers, prod(shape))
    return found


def widen(x: tf.Tensor) -> tf.Tensor:
    """The tensor in float64."""
    return x if x.dtype is tf.float64 else cast(x, tf.float64)


def fetch_bytes(rows: Sequence[Measured]) -> list[bytes]:
    """The bytes of many tensors, in one copy to the host.

    Args:
        rows: Tuples of one tensor of bytes each.
    """
    if not rows:
        return []
    data = tf.concat([x for (x,) in rows], 0).numpy().tobytes()
    found, start = [], 0
    for (x,) in rows:
        found.append(data[start : start + x.shape[0]])
        start += x.shape[0]
    return found
