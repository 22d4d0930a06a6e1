"""The folder of one run: made, and removed whatever a notebook put into it."""

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def make_scratch() -> Iterator[str]:
    """A new folder; removed at the end of the block."""
    folder = tempfile.mkdtemp(prefix="d2l-")
    try:
        yield folder
    finally:
        remove_scratch(folder)


def remove_scratch(folder: str) -> None:
    """Removes a folder, however deep or locked its tree is.

    Programs do it, since shutil's own removal recurses, and gives up when deep.
    """
    for words in (["chmod", "-R", "u+rwx"], ["rm", "-rf"]):
        command = [str(shutil.which(words[0])), *words[1:], folder]
        subprocess.run(command, stderr=subprocess.DEVNULL, check=False)
