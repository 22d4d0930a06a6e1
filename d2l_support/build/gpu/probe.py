"""Asks a Python which frameworks it has, and which of them see a GPU."""

import os
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from d2l_support.build.execute import DESCRIBE, parse_environment
from d2l_support.build.layout import Book

TIMEOUT = 300
"""Seconds: the first look at a device may compile for it."""

LEAN = {
    "XLA_PYTHON_CLIENT_PREALLOCATE": "false",
    "TF_FORCE_GPU_ALLOW_GROWTH": "true",
    "TF_CPP_MIN_LOG_LEVEL": "3",
}
"""So that no framework takes the device's memory before it needs it."""


@dataclass(frozen=True)
class Device:
    """What a framework sees on this machine.

    Attributes:
        framework: The framework key.
        name: The GPU's name; None if it sees none.
        versions: The releases of its packages, where it is installed.
        reason: Why it sees no GPU, in a few words.
    """

    framework: str
    name: str | None = None
    versions: dict[str, str] = field(default_factory=dict)
    reason: str = ""

    def __str__(self) -> str:
        if self.name:
            releases = ", ".join(f"{k} {v}" for k, v in self.versions.items())
            return f"{self.framework}: {self.name} ({releases})"
        return f"{self.framework}: no GPU, {self.reason}"


def probe_devices(python: Path, book: Book, frameworks: Iterable[str]) -> list[Device]:
    """What each framework sees, one process after another.

    Args:
        python: The interpreter that has the frameworks.
        book: The checkout, whose helpers look.
        frameworks: The framework keys.
    """
    return [_probe(python, book, framework) for framework in frameworks]


def _probe(python: Path, book: Book, framework: str) -> Device:
    command = [str(python), "-c", DESCRIBE.format(framework=framework)]
    variables = {**os.environ, **LEAN, "PYTHONPATH": str(book.root)}
    try:
        run = subprocess.run(
            command, capture_output=True, text=True, timeout=TIMEOUT, env=variables
        )
    except subprocess.TimeoutExpired:
        return Device(framework, reason=f"no answer within {TIMEOUT} s")
    except OSError as error:
        return Device(framework, reason=f"{python} does not start ({error.strerror})")
    if run.returncode:
        said = (run.stderr.strip().splitlines() or ["no message"])[-1]
        return Device(framework, reason=said)
    return _read_answer(framework, run.stdout)


def _read_answer(framework: str, said: str) -> Device:
    try:
        environment = parse_environment(said)
    except ValueError as error:
        return Device(framework, reason=str(error))
    name, versions = environment.get("device"), environment.get("versions", {})
    if name in (None, "cpu"):
        return Device(framework, None, versions, "it sees the CPU alone")
    return Device(framework, str(name), versions)
