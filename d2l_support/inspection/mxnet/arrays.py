"""What can be measured on an array of MXNet, and small numbers brought home.

Measuring queues work on MXNet's engine and returns small arrays. Nothing
waits: `fetch_numbers` copies all of them at once, at the end.
"""

from collections.abc import Callable, Sequence
from functools import cache
from itertools import islice
from typing import Any

import mxnet as mx
from mxnet.base import MXNetError

Array = mx.nd.NDArray  # the base class of all arrays, of mx.np and legacy ones
Measured = tuple[Array, ...]

FLOATS = ("float16", "bfloat16", "float32", "float64")
SMALL = 2**14  # from twice as many elements on, folding is faster


def is_array(thing: object) -> bool:
    """Whether a leaf is an array of MXNet."""
    return isinstance(thing, Array)


def name_dtype(x: Array) -> str:
    """The name of an array's dtype: "float32"."""
    return spell_dtype(x.dtype)


@cache
def spell_dtype(dtype: Any) -> str:
    """The name of a dtype, or of a class that stands for one."""
    if names := getattr(dtype, "names", None):
        return names[0]  # MXNet keeps bfloat16 as a record of that name
    return getattr(dtype, "__name__", None) or str(dtype)


def find_obstacle(x: Array) -> str:
    """Why an array has no plain values in C order, or nothing."""
    if type(x) is mx.np.ndarray or x.stype == "default":
        return ""
    return f"layout {x.stype}"


def measure_floats(measure: Callable[[Array], Measured], x: Array) -> Measured | str:
    """What `measure` finds in the array, or why it cannot be measured.

    It is given an `mx.np` array of float32 or float64: half precision as
    float32, which its sums do not overflow.
    """
    if reason := find_obstacle(x):
        return reason
    dtype = name_dtype(x)
    if dtype not in FLOATS:
        return f"{dtype}: no floating point"
    if not x.size:
        return "empty"
    try:
        if dtype in ("float16", "bfloat16"):
            x = mx.nd.amp_cast(x.as_nd_ndarray(), dtype="float32")
        return measure(x if type(x) is mx.np.ndarray else x.as_np_ndarray())
    except MXNetError as error:
        return shorten(error)


def find_extreme(x: Array, pick: Callable[[Array, Array], Array]) -> Array:
    """The greatest or the least element, or NaN if there is one.

    MXNet's own reduction takes about 4 ns for an element. Halves of a large
    array are compared element by element first, which is several times faster.

    Args:
        x: Floats of any shape, at least one.
        pick: mx.np.maximum or mx.np.minimum.
    """
    size = x.size
    if size >= 2 * SMALL:
        x = x.as_nd_ndarray().reshape((-1,)).as_np_ndarray()  # no copy
        while size >= 2 * SMALL and size % 2 == 0:
            size //= 2
            x = pick(x[:size], x[size:])
    return x.max() if pick is mx.np.maximum else x.min()


def measure_bytes(x: Array) -> Measured | bytes | str:
    """A copy of the array, or why there is none; no bytes of an empty one."""
    if reason := find_obstacle(x):
        return reason
    if not x.size:
        return b""
    try:
        # mx.np has no bfloat16, but a legacy copy of one works.
        return (x.as_nd_ndarray().copyto(x.device).as_np_ndarray(),)
    except MXNetError as error:
        return shorten(error)


def shorten(error: MXNetError) -> str:
    """The end of a message of MXNet, as a reason."""
    return str(error).strip().splitlines()[-1][:60]


def fetch_numbers(rows: Sequence[Measured]) -> list[tuple[float, ...]]:
    """The numbers of many small arrays: one copy, and one wait, per device.

    Args:
        rows: Tuples of arrays with one element each.
    """
    flat = [x for row in rows for x in row]
    vectors, order = [], []
    for places in group_places([(x.device, x.dtype) for x in flat]):
        vectors.append(mx.np.stack([flat[place] for place in places]))
        order += places
    found = [number for vector in fetch_vectors(vectors) for number in vector]
    numbers = dict(zip(order, found, strict=True))
    ends = iter(range(len(flat)))
    return [tuple(numbers[place] for place in islice(ends, len(row))) for row in rows]


def fetch_vectors(vectors: Sequence[Array]) -> list[list[float]]:
    """The numbers of vectors: one copy, and one wait, per device."""
    found: list[list[float]] = [[]] * len(vectors)
    for places in group_places([x.device for x in vectors]):
        wide = [vectors[place].astype("float64") for place in places]
        numbers = iter(mx.np.concatenate(wide).asnumpy().tolist())
        for place in places:
            found[place] = list(islice(numbers, vectors[place].size))
    return found


def fetch_bytes(rows: Sequence[Measured]) -> list[bytes]:
    """The bytes of many arrays: one copy, and one wait, per device and dtype.

    Args:
        rows: Tuples of one array each.
    """
    found = [b""] * len(rows)
    kinds = [(str(x.device), name_dtype(x)) for (x,) in rows]
    for places in group_places(kinds):
        joined = join_bytes([rows[place][0] for place in places])
        for place, data in zip(places, joined, strict=True):
            found[place] = data
    return found


def join_bytes(arrays: list[Array]) -> list[bytes]:
    """The bytes of arrays of one dtype, copied to the host together."""
    try:
        joined = mx.np.concatenate([x.reshape(-1) for x in arrays]).asnumpy()
    except (MXNetError, KeyError):  # it cannot join bfloat16 or uint16, say
        return [x.asnumpy().tobytes() for x in arrays]
    data, start, found = joined.tobytes(), 0, []
    for x in arrays:
        end = start + x.size * joined.itemsize
        found.append(data[start:end])
        start = end
    return found


def group_places(keys: Sequence[object]) -> list[list[int]]:
    """The places of equal keys, a list for each."""
    groups: dict[object, list[int]] = {}
    for place, key in enumerate(keys):
        groups.setdefault(key, []).append(place)
    return list(groups.values())
