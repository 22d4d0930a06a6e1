"""Distances between tensors, against NumPy's own stepping from float to float."""

import hashlib
from math import inf, nan

import numpy as np
import pytest

from d2l_support.inspection.differences import (
    Tolerance,
    compare_tensors,
    digest_tensor,
    order_floats,
)

KINDS = ("float16", "float32", "float64")


def compare(a, b, dtype="float32", tolerance=None):
    a, b = (np.asarray(x, dtype) for x in (a, b))
    return compare_tensors(a.shape, dtype, a.tobytes(), b.tobytes(), tolerance)


def step(x, steps):
    for _ in range(abs(steps)):
        x = np.nextafter(x, np.asarray(inf if steps > 0 else -inf, x.dtype))
    return x


def test_equal_tensors_do_not_differ():
    assert compare([1.0, nan, -0.0], [1.0, nan, -0.0]) is None


@pytest.mark.parametrize("dtype", KINDS)
@pytest.mark.parametrize("start", [1.0, -1.0, 0.0, 1000.0])
@pytest.mark.parametrize("steps", [1, -1, 5])
def test_ulps_count_the_steps_between_floats(dtype, start, steps):
    a = np.asarray([start], dtype)
    found = compare(a, step(a, steps), dtype)
    assert found.ulps == abs(steps)
    assert found.largest == abs(float(step(a, steps)[0]) - float(a[0]))


def test_ulps_cross_zero_and_count_it_once():
    tiny = np.float32(1e-45)  # the least subnormal number
    found = compare([tiny], [-tiny])
    assert found.ulps == 2


def test_signed_zeros_differ_in_bits_by_no_distance():
    found = compare([0.0], [-0.0])
    assert (found.differing, found.largest, found.ulps) == (1, 0.0, 0)


@pytest.mark.parametrize("dtype", KINDS)
def test_order_floats_sorts_as_numbers_do(dtype):
    numbers = np.asarray([-inf, -2, -1e-3, 0, 1e-3, 1, 2, inf], dtype)
    bits = numbers.view(f"u{numbers.itemsize}")
    assert (np.diff(order_floats(bits).astype(object)) > 0).all()


def test_ulps_between_extremes_of_float64_do_not_overflow():
    big = np.finfo("float64").max
    found = compare([big], [-big], "float64")
    assert found.largest == inf
    assert found.ulps == 2 * np.asarray(big).view("u8").item()


def test_bfloat16_is_read_from_its_bits():
    one, next_one = np.uint16(0x3F80), np.uint16(0x3F81)  # 1 and 1 + 2**-7
    found = compare_tensors((1,), "bfloat16", one.tobytes(), next_one.tobytes())
    assert (found.largest, found.ulps) == (2**-7, 1)


def test_place_and_counts_in_c_order():
    a = np.zeros((2, 3))
    b = a.copy()
    b[1, 0], b[1, 2] = 0.5, -2.0
    found = compare(a, b)
    assert (found.elements, found.differing, found.place) == (6, 2, (1, 0))
    assert found.largest == 2.0


@pytest.mark.parametrize(
    ("a", "b", "broken"),
    [(nan, 1.0, 1), (inf, 1.0, 1), (inf, -inf, 1), (1.0, 2.0, 0)],
)
def test_broken_pairs_have_no_distance(a, b, broken):
    found = compare([a, 1.0], [b, 1.5])
    assert (found.differing, found.broken) == (2, broken)
    assert found.largest == (1.0 if not broken else 0.5)


def test_nan_of_other_bits_differs_but_is_not_broken():
    quiet, other = np.uint32(0x7FC00000), np.uint32(0x7FC00001)
    found = compare_tensors((1,), "float32", quiet.tobytes(), other.tobytes())
    assert (found.differing, found.broken, found.largest) == (1, 0, None)


@pytest.mark.parametrize(
    ("tolerance", "differs"),
    [
        (None, True),
        (Tolerance(rtol=1e-3), False),
        (Tolerance(rtol=1e-5), True),
        (Tolerance(atol=0.11), False),
        (Tolerance(atol=0.01), True),
    ],
)
def test_tolerance_is_absolute_plus_relative(tolerance, differs):
    found = compare([100.0, nan], [100.1, nan], tolerance=tolerance)
    assert (found is not None) is differs


def test_tolerance_does_not_pass_nan_against_a_number():
    assert compare([nan], [1.0], tolerance=Tolerance(rtol=10)).broken == 1


@pytest.mark.parametrize(
    ("dtype", "largest"), [("int64", 3), ("uint8", 3), ("bool", 1)]
)
def test_integers_have_a_distance_but_no_ulps(dtype, largest):
    found = compare([0, 1], [3, 1], dtype)
    assert (found.largest, found.ulps) == (largest, None)


def test_complex_elements_count_once():
    found = compare([1 + 1j, 2j], [1 + 1j, 1 + 3j], "complex64")
    assert (found.elements, found.differing, found.place) == (2, 1, (1,))
    assert found.largest == 1.0


def test_unknown_dtype_is_compared_bit_by_bit():
    found = compare_tensors(
        (2,), "float8_e4m3fn", b"\x01\x02", b"\x01\x03", Tolerance(9)
    )
    assert (found.differing, found.place, found.largest) == (1, (1,), None)


def test_scalars_and_empty_tensors():
    assert compare(1.0, 2.0).place == ()
    assert compare_tensors((0,), "float32", b"", b"") is None


def test_digest_covers_dtype_shape_and_bytes():
    data = np.zeros(4, "float32").tobytes()
    digest = digest_tensor((4,), "float32", data)
    assert digest == hashlib.sha256(b"float32 [4]\n" + bytes(16)).hexdigest()
    others = {
        digest_tensor((2, 2), "float32", data),
        digest_tensor((4,), "int32", data),
        digest_tensor((4,), "float32", data[:-1] + b"\x01"),
    }
    assert len(others | {digest}) == 4
