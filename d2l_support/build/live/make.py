"""The process that makes one environment for the live server.

Run as ``python -m d2l_support.build.live.make ROOT FRAMEWORK``: prints each line
of progress; on failure the reason goes to stderr, and the exit code is 2.
"""

import sys
from pathlib import Path

from d2l_support.build.interruption import raise_terminations
from d2l_support.build.kernels import READY, create_unhealthy
from d2l_support.build.layout import Book
from d2l_support.build.problems import BookError


def main(root: str, framework: str) -> int:
    """Makes the environment where it is not ready; returns the exit code."""

    def report(framework: str, line: str) -> None:
        print(line, flush=True)

    try:
        with raise_terminations():
            (kernel,) = create_unhealthy(Book(Path(root)), [framework], report)
    except BookError as error:
        print(error, file=sys.stderr)
        return 2
    if kernel.health != READY:
        print(f"found it {kernel.health}: {kernel.detail}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
