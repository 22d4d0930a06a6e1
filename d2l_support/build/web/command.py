"""The command ``d2l-support bundle``."""

import gzip
from argparse import Namespace
from pathlib import Path

from rich.console import Console
from rich.table import Table

from d2l_support.build.layout import Book
from d2l_support.build.printing import print_plain
from d2l_support.build.web.bundle import make_bundle


def run_bundle(arguments: Namespace, book: Book, console: Console) -> int:
    """Bundles what the pages load on first use; shows what it weighs."""
    folder = make_bundle(book, lambda line: print_plain(console, line))
    table = Table("file", "KB", "KB, gzip")
    for name, raw, packed in measure_bundle(folder):
        table.add_row(name, f"{raw / 1000:.1f}", f"{packed / 1000:.1f}")
    console.print(table)
    return 0


def measure_bundle(folder: Path) -> list[tuple[str, int, int]]:
    """Each file of a bundle with its bytes, as they are and packed by gzip."""
    return [
        (
            path.relative_to(folder).as_posix(),
            path.stat().st_size,
            len(gzip.compress(path.read_bytes(), mtime=0)),
        )
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    ]
