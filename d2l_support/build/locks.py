"""Keeps two commands from doing the same work in one checkout."""

from collections.abc import Iterator
from contextlib import contextmanager

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
    try:
        with FileLock(book.cache / f"{name}.lock", timeout=0):
            yield
    except Timeout:
        raise CannotWork(
            f"found another {work} in this checkout, expected none; "
            "wait for its end, then run this one again"
        ) from None
