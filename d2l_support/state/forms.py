"""The form of a saved random state: which fields it has, and what they hold.

Generators trust the state they are given. NumPy accepts a position of
1000000 in a table of 624 words and then reads beyond the table; Python cuts
a word of 33 bits to 32 without a word. So a state from a file is held against
its form first, field by field, and only then put into a generator.
"""

import base64
import binascii
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Union

import numpy as np


class FormError(ValueError):
    """A field does not hold what its form says; the message names it."""


@dataclass(frozen=True)
class Words:
    """An array of numbers, in the file the base64 text of its bytes.

    Attributes:
        dtype: The type of its entries, with byte order, for example "<u4".
        shape: Its shape.
    """

    dtype: str
    shape: tuple[int, ...]

    def encode(self, value: np.ndarray) -> str:
        """The array's bytes as text."""
        data = np.ascontiguousarray(value, dtype=self.dtype).tobytes()
        return base64.b64encode(data).decode("ascii")

    def decode(self, data: object, name: str) -> np.ndarray:
        """A new array, in the byte order of this machine."""
        if not isinstance(data, str):
            raise FormError(f"{name} is {show(data)}, expected base64 text")
        try:
            raw = base64.b64decode(data, validate=True)
        except (binascii.Error, ValueError):
            raise FormError(f"{name} is not base64 text") from None
        dtype = np.dtype(self.dtype)
        size = math.prod(self.shape) * dtype.itemsize
        if len(raw) != size:
            raise FormError(f"{name} has {len(raw)} bytes, expected {size}")
        if base64.b64encode(raw).decode("ascii") != data:
            raise FormError(f"{name} has stray bits at the end of its text")
        array = np.frombuffer(raw, dtype).reshape(self.shape)
        return array.astype(dtype.newbyteorder("="))


@dataclass(frozen=True)
class Whole:
    """A whole number.

    Attributes:
        top: The largest that is allowed.
        low: The smallest that is allowed.
        odd: Whether it has to be odd.
    """

    top: int
    low: int = 0
    odd: bool = False

    def encode(self, value: int) -> int:
        """The number as a plain int."""
        return int(value)

    def decode(self, data: object, name: str) -> int:
        """The number, once it has been checked."""
        if type(data) is not int or not self.low <= data <= self.top:
            allowed = f"a whole number from {self.low} to {self.top}"
            raise FormError(f"{name} is {show(data)}, expected {allowed}")
        if self.odd and data % 2 == 0:
            raise FormError(f"{name} is {show(data)}, expected an odd number")
        return data


@dataclass(frozen=True)
class Real:
    """A finite number in double precision, or None where `empty` allows it."""

    empty: bool = False

    def encode(self, value: float | None) -> float | None:
        """The number as a plain float; JSON keeps all of its bits."""
        return None if value is None else float(value)

    def decode(self, data: object, name: str) -> float | None:
        """The number, once it has been checked."""
        if data is None and self.empty:
            return None
        if type(data) is not float or not math.isfinite(data):
            raise FormError(f"{name} is {show(data)}, expected a finite float")
        return data


Form = Mapping[str, Union[Words, Whole, Real, "Form"]]


def encode_state(form: Form, state: Mapping[str, object]) -> dict[str, object]:
    """The state as JSON can hold it.

    Args:
        form: What the state is made of.
        state: Its fields: arrays, numbers, or states within the state.
    """
    encoded: dict[str, object] = {}
    for name, field in form.items():
        if isinstance(field, Mapping):
            encoded[name] = encode_state(field, state[name])
        else:
            encoded[name] = field.encode(state[name])
    return encoded


def decode_state(form: Form, data: object, name: str = "state") -> dict:
    """The state that JSON data stands for.

    Args:
        form: What the state has to be made of.
        data: What a file holds in its place.
        name: What messages call the state.

    Raises:
        FormError: A field is missing, stray, or holds something else.
    """
    if not isinstance(data, dict) or set(data) != set(form):
        fields = ", ".join(form)
        raise FormError(f"{name} is {show(data)}, expected {fields}")
    state = {}
    for key, field in form.items():
        if isinstance(field, Mapping):
            state[key] = decode_state(field, data[key], f"{name}.{key}")
        else:
            state[key] = field.decode(data[key], f"{name}.{key}")
    return state


def show(data: object, width: int = 40) -> str:
    """A short text of a piece of JSON, for messages."""
    if isinstance(data, dict):
        return f"a group of {len(data)} fields"
    if isinstance(data, list):
        return f"a list of {len(data)}"
    if isinstance(data, int) and data.bit_length() > 128:
        return f"a whole number of {data.bit_length()} bits"
    text = ascii(data)
    return text if len(text) <= width else f"{text[: width - 3]}..."
