"""How two tensors differ: bit by bit, in value, and in units in the last place.

A tensor comes as its bytes in C order, little end first, with the name of its
dtype, so that no framework is needed here. The distance in *units in the last
place* (ulp) is how many numbers of that dtype one passes on the way from one
value to the other; +0 and -0 are the same number.
"""

import hashlib
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from d2l_support.inspection.formats import find_place

FLOATS = ("float16", "bfloat16", "float32", "float64")
INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
PARTS = {"complex32": "float16", "complex64": "float32", "complex128": "float64"}

Bits = NDArray[np.unsignedinteger[Any]]
Values = NDArray[np.float64]


@dataclass(frozen=True)
class Tolerance:
    """How far two values a and b may be apart: atol + rtol * |b|."""

    rtol: float = 0.0
    atol: float = 0.0


@dataclass(frozen=True)
class Difference:
    """How two tensors of one shape and dtype differ.

    Attributes:
        elements: How many elements they have.
        differing: How many of those differ.
        place: The index of the first that does.
        largest: The greatest distance between finite values; None where the
            dtype cannot be read here.
        ulps: The greatest distance in units in the last place; None for what
            is no float.
        broken: How many are NaN or infinite in one of the two only, or
            infinities of different sign.
    """

    elements: int
    differing: int
    place: tuple[int, ...]
    largest: float | None
    ulps: int | None
    broken: int


def digest_tensor(shape: tuple[int, ...], dtype: str, data: bytes) -> str:
    """SHA-256 of a tensor: of its dtype, its shape and its bytes."""
    head = f"{dtype} {list(shape)}\n"
    return hashlib.sha256(head.encode() + data).hexdigest()


def compare_tensors(
    shape: tuple[int, ...],
    dtype: str,
    a: bytes,
    b: bytes,
    tolerance: Tolerance | None = None,
) -> Difference | None:
    """How two tensors differ; None if they are equal.

    Args:
        shape: The shape of both.
        dtype: The dtype of both.
        a: The bytes of one.
        b: Those of the other.
        tolerance: Values as close as that count as equal, and so do two NaN.
            None compares the bits, as is always done where the dtype cannot
            be read here.
    """
    if a == b:
        return None
    parts = prod(shape) * (2 if dtype in PARTS else 1)
    dtype = PARTS.get(dtype, dtype)
    bits = read_bits(a, parts), read_bits(b, parts)
    values = read_values(dtype, bits[0]), read_values(dtype, bits[1])
    wrong = bits[0] != bits[1]
    if tolerance is not None and values[0] is not None:
        wrong &= ~find_close(*values, tolerance)
    if not wrong.any():
        return None
    elements = wrong.reshape(prod(shape), -1).any(axis=1)
    place = find_place(int(elements.argmax()), shape)
    count = int(np.count_nonzero(elements))
    distance = measure_distance(dtype, bits, values)
    return Difference(prod(shape), count, place, *distance)


def read_bits(data: bytes, elements: int) -> Bits:
    """The bits of each element as an unsigned integer, shape (elements,)."""
    return np.frombuffer(data, f"<u{len(data) // elements}")


def read_values(dtype: str, bits: Bits) -> Values | None:
    """The values in float64, shape (elements,); None for an unknown dtype."""
    if dtype == "bfloat16":
        return (bits.astype("<u4") << 16).view("<f4").astype(np.float64)
    if dtype == "bool":
        return bits.astype(np.float64)
    if dtype in FLOATS or dtype in INTEGERS:
        return bits.view(np.dtype(dtype).newbyteorder("<")).astype(np.float64)
    return None


def find_close(a: Values, b: Values, tolerance: Tolerance) -> NDArray[np.bool_]:
    """Where two arrays are as close as told; two NaN are close."""
    rtol, atol = tolerance.rtol, tolerance.atol
    return np.isclose(a, b, rtol=rtol, atol=atol, equal_nan=True)


def measure_distance(
    dtype: str, bits: tuple[Bits, Bits], values: tuple[Values | None, Values | None]
) -> tuple[float | None, int | None, int]:
    """The greatest distance, that in ulps, and how many pairs have none."""
    a, b = values
    if a is None or b is None:
        return None, None, 0
    finite = np.isfinite(a) & np.isfinite(b)
    alike = (a == b) | (np.isnan(a) & np.isnan(b))
    broken = int(np.count_nonzero(~finite & ~alike))
    if not finite.any():
        return None, None, broken
    with np.errstate(over="ignore"):
        largest = float(np.abs(a[finite] - b[finite]).max())
    if dtype not in FLOATS:
        return largest, None, broken
    order = [order_floats(part[finite]) for part in bits]
    ulps = np.maximum(*order) - np.minimum(*order)
    return largest, int(ulps.max()), broken


def order_floats(bits: Bits) -> NDArray[np.uint64]:
    """For each float its rank among all of its dtype, from the least up."""
    half = np.uint64(1 << (8 * bits.itemsize - 1))  # the sign's bit; rank of 0
    wide = bits.astype(np.uint64)
    magnitude = wide & (half - np.uint64(1))
    return np.where(wide & half, half - magnitude, half + magnitude)
