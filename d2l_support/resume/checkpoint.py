"""A checkpoint: arrays and plain data in one file that runs nothing when read.

The file is an `.npz` archive, so `numpy.load` opens it. One entry more,
"checkpoint", is JSON: it holds the plain data and says which array belongs
where. The archive's comment is the SHA-256 digest of all bytes before it. No
pickle is written or read, and the same items give the same bytes.
"""

import hashlib
import io
import json
import os
import zipfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from d2l_support.atomic import write_atomically
from d2l_support.resume.plain import PlainError, join_arrays, split_arrays

FORMAT = "d2l checkpoint"
VERSION = 1
INDEX = "checkpoint"
DIGEST = 64  # hexadecimal digits of SHA-256


class CheckpointError(ValueError):
    """A checkpoint that cannot be written or read; the message says why."""


def save_checkpoint(path: str | os.PathLike[str], items: Mapping[str, object]) -> None:
    """Writes a checkpoint, whole or not at all.

    Args:
        path: The file to write.
        items: By name, what is to be saved: arrays of numbers or booleans,
            None, booleans, whole numbers, floats and text, and lists and
            dictionaries of these. A tuple comes back as a list.

    Raises:
        CheckpointError: Something is none of these.
        OSError: The file cannot be written; an older one stays as it was.

    Source: section Saving and resuming random state.
    """
    try:
        plain, arrays = split_arrays(items)
    except PlainError as error:
        raise CheckpointError(f"{path}: {error}") from None
    index = {"format": FORMAT, "version": VERSION, "items": plain}
    text = np.array(json.dumps(index, allow_nan=False))
    write_atomically(path, _pack({INDEX: text, **arrays}))


def load_checkpoint(path: str | os.PathLike[str]) -> dict[str, object]:
    """The items of a checkpoint, by name, as they were saved.

    Raises:
        FileNotFoundError: There is no such file.
        CheckpointError: It is damaged, something else, or of a newer format.

    Source: section Saving and resuming random state.
    """
    raw = Path(path).read_bytes()
    try:
        digest = hashlib.sha256(raw[:-DIGEST]).hexdigest()
        intact = raw[-DIGEST:] == digest.encode()
        arrays = _unpack(raw) if intact else {}
        index = json.loads(str(arrays.pop(INDEX))) if intact else None
    except Exception:  # of NumPy's, zipfile's and the tokenizer's many kinds
        index = None
    if not isinstance(index, dict) or index.get("format") != FORMAT:
        raise CheckpointError(
            f"{path}: found a file that is damaged or no checkpoint, expected "
            "every byte as save_checkpoint wrote it. Take an older one."
        )
    if index.get("version") != VERSION:
        raise CheckpointError(
            f"{path}: found version {index.get('version')!r} of the format, "
            f"expected {VERSION}. Load it with the release that saved it."
        )
    try:
        return join_arrays(index.get("items"), arrays)
    except PlainError as error:
        raise CheckpointError(f"{path}: {error}") from None


def check_arrays(
    found: Mapping[str, np.ndarray], expected: Mapping[str, np.ndarray], what: str
) -> None:
    """Refuses arrays that do not fit, before any of them is used.

    Args:
        found: What a checkpoint holds, by name.
        expected: Arrays of the names, shapes and dtypes that are needed.
        what: What the arrays belong to, for messages.

    Raises:
        CheckpointError: A name is missing or stray, or an array does not fit.
    """
    if not isinstance(found, Mapping) or set(found) != set(expected):
        names = ", ".join(map(str, found)) if found else "none"
        raise CheckpointError(
            f"{what}: found arrays {names}, expected {', '.join(expected)}. "
            "Build it as it was built when it was saved."
        )
    for name, array in expected.items():
        there, here = describe_array(found[name]), describe_array(array)
        if there != here:
            raise CheckpointError(
                f"{what}: found for {name} {there}, expected {here}. Build it "
                "as it was built when it was saved."
            )


def describe_array(thing: object) -> str:
    """The dtype and shape of an array, or the type of another thing."""
    if isinstance(thing, np.ndarray):
        return f"{thing.dtype} of shape {thing.shape}"
    return f"an object of type {type(thing).__name__}"


def _pack(arrays: Mapping[str, np.ndarray]) -> bytes:
    """An .npz archive of the arrays, with its digest as the comment."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.comment = b"0" * DIGEST
        for name, array in arrays.items():
            entry = zipfile.ZipInfo(f"{name}.npy")  # dated 1980, always
            with archive.open(entry, "w", force_zip64=True) as file:
                np.lib.format.write_array(file, array, allow_pickle=False)
    body = buffer.getvalue()[:-DIGEST]
    return body + hashlib.sha256(body).hexdigest().encode()


def _unpack(raw: bytes) -> dict[str, np.ndarray]:
    """The arrays of an .npz archive, by name."""
    arrays = {}
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        for entry in archive.namelist():
            with archive.open(entry) as file:
                array = np.lib.format.read_array(file, allow_pickle=False)
            arrays[entry.removesuffix(".npy")] = array
    return arrays
