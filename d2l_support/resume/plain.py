"""Plain data: what a checkpoint can hold without pickle.

Plain data are None, booleans, whole numbers, floats, text, arrays of numbers
or booleans, and lists and dictionaries of these. JSON takes all but arrays,
floats that are not finite, and dictionaries whose keys are no text. In place
of these stand dictionaries with one key that begins with "$".
"""

import json
import math
from collections.abc import Mapping

import numpy as np

from d2l_support.state.forms import show

ARRAY, FLOAT, PAIRS = "$array", "$float", "$pairs"
NOT_FINITE = {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}
KEYS = (str, int)
RESERVED = ("checkpoint",)  # the name of the JSON text in the archive
NUMERIC = "biufc"  # the kinds of dtypes that an array may have
DEPTH = 50


class PlainError(ValueError):
    """Data that is not plain; the message says where."""


def split_arrays(data: object) -> tuple[object, dict[str, np.ndarray]]:
    """The data as JSON can hold it, and its arrays by the names used in it.

    Raises:
        PlainError: Something in it is not plain.
    """
    arrays: dict[str, np.ndarray] = {}
    return _encode(data, (), arrays), arrays


def join_arrays(data: object, arrays: Mapping[str, np.ndarray]) -> dict[str, object]:
    """The data that `split_arrays` was given; tuples have become lists.

    Args:
        data: What JSON held.
        arrays: The arrays by name.

    Raises:
        PlainError: The two do not fit together.
    """
    left = dict(arrays)
    joined = _decode(data, left, 0)
    if left or not isinstance(joined, dict):
        raise _nonsense(f"no place for {', '.join(left) or show(data)}")
    return joined


def widen(array: object) -> np.ndarray:
    """A copy of an array, as float32 if NumPy does not know its type.

    The types in question, such as bfloat16, are narrower, so float32 holds
    all of their numbers exactly.
    """
    copy = np.array(array)
    return copy if copy.dtype.kind in NUMERIC else copy.astype(np.float32)


def equal_data(one: object, two: object) -> bool:
    """Whether two pieces of plain data are the same, arrays bit for bit."""
    (plain, arrays), (other, others) = split_arrays(one), split_arrays(two)
    text, other_text = (json.dumps(part, sort_keys=True) for part in (plain, other))
    return text == other_text and all(
        find_difference(array, others[name]) is None for name, array in arrays.items()
    )


def find_difference(one: np.ndarray, two: np.ndarray) -> tuple[str, str, str] | None:
    """Where two arrays first differ in a bit; None if they do not.

    Returns:
        The place as an index, and the two numbers there, in words. Arrays of
        other shapes or types differ as a whole.
    """
    if (one.dtype, one.shape) != (two.dtype, two.shape):
        here, there = (f"{array.dtype} of shape {array.shape}" for array in (one, two))
        return "", here, there
    bits = [np.ascontiguousarray(a).reshape(-1).view(np.uint8) for a in (one, two)]
    differ = np.flatnonzero(bits[0] != bits[1])
    if not differ.size:
        return None
    place = np.unravel_index(differ[0] // one.itemsize, one.shape)
    index = ", ".join(map(str, place))
    return f"[{index}]" if index else "", str(one[place]), str(two[place])


def _encode(data: object, path: tuple[str, ...], arrays: dict) -> object:
    """The data as JSON can hold it; its arrays are put among `arrays`.

    Args:
        data: The data at this place.
        path: The keys and positions that lead to it.
        arrays: The arrays met so far, by name.
    """
    if data is None or isinstance(data, bool | str):
        return data
    if isinstance(data, np.bool_):
        return bool(data)
    if isinstance(data, int | np.integer):
        return int(data)
    if isinstance(data, float):
        return float(data) if math.isfinite(data) else {FLOAT: str(float(data))}
    if isinstance(data, np.ndarray | np.generic):
        return {ARRAY: _put_array(np.asarray(data), path, arrays)}
    if isinstance(data, list | tuple | Mapping) and len(path) < DEPTH:
        return _encode_group(data, path, arrays)
    raise PlainError(
        f"found at {'/'.join(path)} an object of type {type(data).__name__}, "
        f"expected plain data or an array, at most {DEPTH} levels deep. Turn it "
        "into an array or a number."
    )


def _encode_group(
    data: list | tuple | Mapping, path: tuple[str, ...], arrays: dict
) -> object:
    """A list or a dictionary; the latter as pairs if a key is not plain text."""
    if not isinstance(data, Mapping):
        parts = enumerate(data)
        return [_encode(part, (*path, str(index)), arrays) for index, part in parts]
    encoded = {
        key: _encode(part, (*path, str(key)), arrays) for key, part in data.items()
    }
    if all(isinstance(key, str) and key[:1] != "$" for key in encoded):
        return encoded
    if not all(type(key) in KEYS for key in encoded):
        raise PlainError(
            f"found keys of another type at {'/'.join(path)}, expected text or "
            "whole numbers. Turn them into text."
        )
    return {PAIRS: [list(pair) for pair in encoded.items()]}


def _put_array(array: np.ndarray, path: tuple[str, ...], arrays: dict) -> str:
    """The name under which an array has been put among `arrays`."""
    if array.dtype.kind not in NUMERIC:
        raise PlainError(
            f"found at {'/'.join(path)} an array of {array.dtype}, expected "
            "numbers or booleans that NumPy knows. View it as whole numbers."
        )
    name = "/".join(path)
    if not name.isprintable() or name in (*arrays, *RESERVED):
        name = f"array {len(arrays)}"
    arrays[name] = np.ascontiguousarray(array).reshape(array.shape)
    return name


def _decode(data: object, arrays: dict[str, np.ndarray], depth: int) -> object:
    """The data that JSON data stands for; its arrays leave `arrays`."""
    if depth > DEPTH:
        raise _nonsense(f"more than {DEPTH} levels")
    if isinstance(data, list):
        return [_decode(part, arrays, depth + 1) for part in data]
    if not isinstance(data, dict):
        return data
    if not any(key[:1] == "$" for key in data):
        return {key: _decode(part, arrays, depth + 1) for key, part in data.items()}
    (mark, held), *more = data.items()
    if not more and mark == PAIRS:
        return _decode_pairs(held, arrays, depth)
    if not more and isinstance(held, str):
        if mark == ARRAY and held in arrays:
            return arrays.pop(held)
        if mark == FLOAT and held in NOT_FINITE:
            return NOT_FINITE[held]
    raise _nonsense(f"{show(data)} with {', '.join(data)}")


def _decode_pairs(pairs: object, arrays: dict, depth: int) -> dict:
    """The dictionary whose keys and values were written as pairs."""
    if not isinstance(pairs, list) or not all(
        isinstance(pair, list) and len(pair) == 2 and type(pair[0]) in KEYS
        for pair in pairs
    ):
        raise _nonsense(f"pairs that are {show(pairs)}")
    return {key: _decode(part, arrays, depth + 1) for key, part in pairs}


def _nonsense(what: str) -> PlainError:
    """The error for data that no process of ours has written."""
    return PlainError(
        f"found nonsense, expected what save_checkpoint wrote: {what}. Take "
        "another copy, or an older checkpoint."
    )
