"""Opens a file that somebody else put there, without being led elsewhere."""

import os
import stat
from pathlib import Path

from d2l_support.build.grading.finding import Refusal

FILE_LIMIT = 20 * 2**20
"""Bytes that a submission may have."""


def check_inside(path: Path, folder: Path) -> None:
    """Holds a path to lie in a folder, links followed.

    Raises:
        Refusal: A link leads out of the folder.
    """
    try:
        inside = path.resolve().is_relative_to(folder.resolve())
    except (OSError, RuntimeError):  # a link to itself
        inside = False
    if not inside:
        raise Refusal(f"found a link out of the submissions, {path.name!r}; not graded")


def read_file(path: Path, folder: Path, limit: int = FILE_LIMIT) -> bytes:
    """The bytes of a plain file in a folder.

    Args:
        path: The file.
        folder: Where it must lie, links followed.
        limit: The most bytes that it may have.

    Raises:
        Refusal: It is no plain file, too large, or cannot be read.
    """
    check_inside(path, folder)
    try:
        # A pipe would otherwise be waited for.
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    except OSError as error:
        raise Refusal(
            f"found a file that cannot be read ({error.strerror}); not graded"
        ) from None
    with os.fdopen(handle, "rb") as file:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise Refusal("found something other than a plain file; not graded")
        data = file.read(limit + 1)
    if len(data) > limit:
        raise Refusal(
            f"found a file of more than {limit / 2**20:g} MiB, expected less; "
            "not graded"
        )
    return data
