"""Writes what the tooling keeps: whole, or with one clear error."""

from pathlib import Path

from d2l_support.atomic import write_atomically
from d2l_support.build.problems import CannotWork


def write_whole(path: Path, text: str) -> None:
    """Writes a file whole or not at all; a fault leaves the old one.

    Raises:
        CannotWork: The disk is full or the folder cannot be written.
    """
    write_bytes_whole(path, text.encode())


def write_bytes_whole(path: Path, content: bytes) -> None:
    """The same for bytes.

    Raises:
        CannotWork: The disk is full or the folder cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, content)
    except OSError as error:
        reason = error.strerror or error
        raise CannotWork(
            f"{path.name}: found that it cannot be written ({reason}), "
            "expected room and write access; the old one is untouched"
        ) from error
