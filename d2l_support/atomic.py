"""Files that are written whole or not at all."""

import contextlib
import os
import uuid
from pathlib import Path


def write_atomically(path: str | os.PathLike[str], data: bytes) -> None:
    """Writes a file so that its name never stands for half of it.

    The data goes to a new file in the same folder, is forced to the disk, and
    only then takes the name. Whatever happens before leaves an older file of
    that name as it was, and no other file behind.

    Args:
        path: The file's name; a link is followed.
        data: All that the file is to hold.

    Raises:
        OSError: It cannot be written, for example because the disk is full.

    Source: section Saving and resuming random state.
    """
    target = Path(path).resolve()
    draft = target.with_name(f".{target.name}.{uuid.uuid4().hex}.part")
    try:
        with draft.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(target)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
    _force_folder(target.parent)


def _force_folder(folder: Path) -> None:
    """Forces the new name itself to the disk, where the system can do so."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
