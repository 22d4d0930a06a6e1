"""What can be measured on a tensor of PyTorch, and small numbers brought home.

Measuring launches work on the tensor's device and returns small tensors there.
Nothing waits: `fetch_numbers` copies all of them at once, at the end.
"""

from collections.abc import Callable, Sequence
from itertools import islice

import torch
from torch import Tensor
from torch._C._functorch import is_functorch_wrapped_tensor

PLAIN_TYPES = frozenset((Tensor, torch.nn.Parameter))
FLOATS = frozenset((torch.float16, torch.bfloat16, torch.float32, torch.float64))
FLOAT8 = frozenset(d for d in vars(torch).values() if str(d).startswith("torch.float8"))

Measured = tuple[Tensor, ...]
Measure = Callable[[Tensor], Measured | str]


def is_tensor(thing: object) -> bool:
    """Whether a leaf is a tensor of PyTorch."""
    return isinstance(thing, Tensor)


def measure_floats(measure: Callable[[Tensor], Measured], x: Tensor) -> Measured | str:
    """What `measure` finds in the tensor, or why it cannot be measured.

    It is given the tensor detached; float8 as float32, and complex numbers as
    pairs of real ones.
    """
    plain = type(x) in PLAIN_TYPES and not is_functorch_wrapped_tensor(x)
    if not plain or x.is_meta or x.dtype not in FLOATS:
        if reason := find_obstacle(x) or explain_dtype(x):
            return reason
        x = view_real(x)
    if not x.numel():
        return "empty"
    try:
        return measure(x.detach())
    except RuntimeError as error:
        return find_obstacle(x) or shorten(error)


def measure_bytes(x: Tensor) -> Measured | str:
    """A copy of the tensor's bytes in C order, or why there is none.

    Returns:
        One tensor of shape (bytes,), uint8, on the same device.
    """
    if reason := find_obstacle(x):
        return reason
    try:
        x = x.detach().resolve_conj().resolve_neg()
        x = x.clone(memory_format=torch.contiguous_format)
        x = torch.view_as_real(x) if x.is_complex() else x
        return (x.reshape(-1).view(torch.uint8),)
    except RuntimeError as error:
        return shorten(error)


def find_obstacle(x: Tensor) -> str:
    """Why a tensor has no plain array of values, or nothing."""
    if x.is_nested:
        return "nested"
    if type(x) not in PLAIN_TYPES:
        return f"a tensor of the class {type(x).__name__}"
    if x.is_meta:
        return "on the meta device: it has no values"
    if is_functorch_wrapped_tensor(x):
        return "inside a transform of torch.func"
    if x.layout is not torch.strided:
        return f"layout {str(x.layout).removeprefix('torch.')}"
    if x.is_quantized:
        return f"quantised ({name_dtype(x.dtype)})"
    return ""


def explain_dtype(x: Tensor) -> str:
    """Why a tensor of this dtype has nothing to measure, or nothing."""
    if x.dtype in FLOATS or x.dtype in FLOAT8 or x.is_complex():
        return ""
    if x.is_floating_point():
        return f"{name_dtype(x.dtype)}: no arithmetic on it"
    return f"{name_dtype(x.dtype)}: no floating point"


def shorten(error: RuntimeError) -> str:
    """The start of a message of PyTorch, as a reason."""
    return str(error).splitlines()[0][:60]


def view_real(x: Tensor) -> Tensor:
    """Float8 as float32, and complex numbers as pairs of real ones."""
    if x.is_complex():
        return torch.view_as_real(x.resolve_conj())
    return x.float()


def name_dtype(dtype: torch.dtype | str) -> str:
    """The name of a dtype: "float32"."""
    return str(dtype).removeprefix("torch.")


def read_shape(x: Tensor) -> tuple[int, ...]:
    """The tensor's shape; empty for a nested one, which has none."""
    return () if x.is_nested else x.shape


def fetch_numbers(rows: Sequence[Measured]) -> list[tuple[float, ...]]:
    """The numbers of many small tensors: one copy, and one wait, per device.

    Args:
        rows: Tuples of tensors with one element each.
    """
    flat = [x for row in rows for x in row]
    if len({(x.device, x.dtype) for x in flat}) == 1:
        numbers = torch.stack(flat).tolist()
    else:
        numbers = fetch_mixed(flat)
    ends = iter(numbers)
    return [tuple(islice(ends, len(row))) for row in rows]


def fetch_mixed(flat: Sequence[Tensor]) -> list[float]:
    """The numbers of tensors that differ in dtype or device."""
    groups: dict[torch.device, list[int]] = {}
    for place, x in enumerate(flat):
        groups.setdefault(x.device, []).append(place)
    numbers = [0.0] * len(flat)
    for device, places in groups.items():
        wide = torch.float32 if device.type == "mps" else torch.float64
        found = torch.stack([flat[place].to(wide) for place in places]).tolist()
        for place, number in zip(places, found, strict=True):
            numbers[place] = number
    return numbers


def fetch_bytes(rows: Sequence[Measured]) -> list[bytes]:
    """The bytes of many tensors: one copy, and one wait, per device.

    Args:
        rows: Tuples of one tensor of bytes each.
    """
    places: dict[torch.device, list[int]] = {}
    for place, (x,) in enumerate(rows):
        places.setdefault(x.device, []).append(place)
    found = [b""] * len(rows)
    for group in places.values():
        data = torch.cat([rows[place][0] for place in group]).cpu().numpy().tobytes()
        start = 0
        for place in group:
            end = start + rows[place][0].numel()
            found[place], start = data[start:end], end
    return found
