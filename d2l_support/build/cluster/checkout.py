"""What a Dask worker needs to know of its own machine."""

import os
from pathlib import Path

import d2l_support
from d2l_support.build.environments import is_complete
from d2l_support.build.layout import Book


def find_checkout(root: str) -> Book:
    """The checkout in a folder, or else the one that this package is from."""
    own = Path(d2l_support.__file__).parents[1]
    return Book(Path(root) if Path(root, "_toc.yml").is_file() else own)


def find_missing(root: str, frameworks: list[str]) -> str:
    """The kernels that this machine lacks, in words, or ""."""
    book = find_checkout(root)
    missing = [key for key in frameworks if not is_complete(book, key)]
    if not missing:
        return ""
    names = " ".join(f"--framework {key}" for key in missing)
    return (
        f"found no kernel for {', '.join(missing)} in {book.root} on "
        f"{os.uname().nodename}. Run there: d2l-support kernels --create {names}"
    )
