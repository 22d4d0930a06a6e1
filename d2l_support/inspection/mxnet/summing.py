"""Sums that tell whether an array is finite, of many small arrays at once.

Queueing an operation takes MXNet longer than adding up a small array. So a
small array is only copied while the pass runs, scaled down. As soon as there
are enough copies of one shape, one operation adds up all of them.
"""

from math import inf, isnan
from typing import Any

import mxnet as mx

from d2l_support.inspection.mxnet.arrays import Array, fetch_vectors, name_dtype

# With these, no finite number is larger than 4e18.
SCALES = {"float32": 1e-20, "float64": 1e-290}
SMALL = 2**16  # the elements up to which an array waits for others
MANY = 16  # how many of them wait at most

Place = list[Any]  # a vector of sums, once there is one, and a place in it


class Sums:
    """The sums of the arrays of a pass.

    Args:
        kinds: Whether they have to tell NaN from infinities. If not, they may
            be NaN where an infinity is, as some of MXNet's sums are.
    """

    def __init__(self, kinds: bool):
        self._kinds = kinds
        self._waiting: dict[object, list[tuple[Array, Place]]] = {}

    def measure(self, x: Array) -> tuple[Place, int]:
        """Where the sum of an array will be found, and the array's size.

        Args:
            x: Floats of any shape, at least one.
        """
        size, place = x.size, [None, 0]
        scaled = x * SCALES[name_dtype(x)]
        if size > SMALL:
            self._add_up([(scaled, place)])
            return place, size
        key = scaled.shape, scaled.dtype, scaled.device
        waiting = self._waiting.setdefault(key, [])
        waiting.append((scaled, place))
        if len(waiting) == MANY:
            self._add_up(self._waiting.pop(key))
        return place, size

    def fetch(self, rows: list[tuple[Place, int]]) -> list[tuple[int, int, int, int]]:
        """For each array, whether there is a NaN, a +inf, a -inf; no place."""
        for waiting in self._waiting.values():
            self._add_up(waiting)
        self._waiting = {}
        vectors = {id(vector): vector for (vector, _), _ in rows}
        found = dict(zip(vectors, fetch_vectors(list(vectors.values())), strict=True))
        return [
            self._describe(found[id(vector)][at], size) for (vector, at), size in rows
        ]

    def _add_up(self, waiting: list[tuple[Array, Place]]) -> None:
        """Queues the sums of arrays of one shape, and notes where they are."""
        first = waiting[0][0]
        low = find_low(first.size)
        joined = mx.np.stack([x for x, _ in waiting]) if len(waiting) > 1 else first
        if self._kinds:
            joined = mx.np.clip(joined, -low, 10 * low * first.size)
        if len(waiting) > 1:
            sums = joined.reshape(len(waiting), -1).sum(axis=1)
        else:
            sums = joined.sum().reshape(1)
        for number, (_, place) in enumerate(waiting):
            place[:] = sums, number

    def _describe(self, total: float, size: int) -> tuple[int, int, int, int]:
        """What a sum tells."""
        low = find_low(size) / 2 if self._kinds else inf
        return int(isnan(total)), int(total >= low), int(total <= -low), -1


def find_low(size: int) -> float:
    """The number that stands for -inf in the sum of so many elements.

    It is as much as all finite numbers together cannot be. What stands for
    +inf is as much as all -inf together cannot be.
    """
    return 1e19 * size
