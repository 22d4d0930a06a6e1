"""What a student has to install: exactly, or on top of what is there."""

import re

from packaging.version import Version

from d2l_support.build.frameworks import FRAMEWORKS
from d2l_support.build.layout import Book

EXACT, LOOSE = "requirements.txt", "requirements-colab.txt"

NOT_FOR_NOTEBOOKS = ("ipykernel", "ipywidgets", "pytest")
"""What Colab has in its own way, and what the tests of the book need."""

_PACKAGE = re.compile(r"[A-Za-z0-9][\w.-]*")


def write_requirements(book: Book, framework: str) -> dict[str, bytes]:
    """The two files of requirements, by name.

    Args:
        book: The checkout.
        framework: A framework key.
    """
    exact = book.requirements(framework).read_text(encoding="utf-8")
    pinned = book.requirements(framework).with_suffix(".in")
    wanted = pinned.read_text(encoding="utf-8")
    label = FRAMEWORKS[framework].label
    return {
        EXACT: describe_exact(exact, label).encode(),
        LOOSE: describe_loose(wanted, label).encode(),
    }


def describe_exact(pins: str, label: str) -> str:
    """The pins of a framework's kernel, by which submissions are graded."""
    lines = [line for line in pins.splitlines() if not line.startswith("#")]
    head = (
        f"# {label} as submissions are graded with it, on Python 3.11:\n"
        f"#   python3.11 -m venv kernel && kernel/bin/pip install -r {EXACT}\n"
    )
    return head + "\n".join(lines) + "\n"


def describe_loose(wanted: str, label: str) -> str:
    """The packages that are imported, in whatever release is there.

    Args:
        wanted: The requirements as they were written, with releases.
        label: The framework's name.
    """
    pins = [line for line in wanted.splitlines() if line and line[0] != "#"]
    names = {pin: _PACKAGE.match(pin)[0] for pin in pins}
    kept = {pin: name for pin, name in names.items() if name not in NOT_FOR_NOTEBOOKS}
    head = (
        f"# {label} as this machine or Colab has it: installs only what is missing.\n"
        f"# Submissions are graded with the releases in {EXACT}.\n"
    )
    rows = [_loosen(pin, name) for pin, name in kept.items()]
    return head + "\n".join(rows) + "\n"


def _loosen(pin: str, name: str) -> str:
    """A line without its release, which only a comment names."""
    release = pin.removeprefix(name).removeprefix("==")
    if not release:
        return name
    if release[0].isdigit() and Version(release).is_prerelease:
        return pin  # pip would choose an older one that is no beta
    return f"{name.removesuffix('-cpu')}  # {pin} here"
