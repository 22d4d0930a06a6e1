"""Keeps two commands from doing the same work in one checkout or course."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from d2l_support.build.layout import Book
from d2l_support.build.problems import CannotWork


@contextmanager
def hold_lock(book: Book, name: str, work: str) -> Iterator[None]:
    """Holds a lock of the checkout while the block runs; it does not wait.

    Args:
        book: The checkout.
        name: The lock's name.
        work: What the process that holds it does, for the message.

    Raises:
        CannotWork: Another process holds it.
    """
    book.cache.mkdir(exist_ok=True)
    with hold_file(book.cache / f"{name}.lock", f"another {work} in this checkout"):
        yield


def hold_course(root: Path) -> AbstractContextManager[None]:
    """Holds a course while the block runs, whichever command writes there.

    Args:
        root: The course's folder.

    Raises:
        CannotWork: Another process holds it.
    """
    work = "another d2l-support at work in this course"
    return hold_file(root / ".d2l-support.lock", work, f"{root}: ")


@contextmanager
def hold_file(path: Path, work: str, where: str = "") -> Iterator[None]:
    """Holds a lock file while the block runs; it does not wait.

    Args:
        path: The file, in a folder that is there.
        work: What the process that holds it does, for the message.
        where: What the message begins with.

    Raises:
        CannotWork: Another process holds it.
    """
    try:
        with FileLock(path, timeout=0):
            yield
    except Timeout:
        raise CannotWork(
            f"{where}found {work}, expected none; "
            "wait for its end, then run this one again"
        ) from None
