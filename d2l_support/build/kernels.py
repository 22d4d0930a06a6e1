"""Lists the four kernels with their health, and makes what a run needs."""

import json
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field

from d2l_support.build.environments import (
    create_environment,
    environment_folder,
    environment_python,
    is_complete,
    kernelspec_folder,
)
from d2l_support.build.frameworks import FRAMEWORKS
from d2l_support.build.layout import Book

READY, MISSING, OUTDATED, BROKEN = "ready", "missing", "outdated", "broken"


@dataclass(frozen=True)
class Kernel:
    """A framework's kernel and how it is.

    Attributes:
        framework: The framework key.
        health: ``ready``, ``missing``, ``outdated`` (other pins) or ``broken``.
        versions: Installed releases by package, where it is ready.
        detail: What is wrong, in a few words.
    """

    framework: str
    health: str
    versions: dict[str, str] = field(default_factory=dict)
    detail: str = ""


def inspect_kernel(book: Book, framework: str, timeout: float = 120) -> Kernel:
    """A kernel's health, found by importing its framework."""
    python = environment_python(book, framework)
    spec = kernelspec_folder(book, framework) / "kernel.json"
    if not environment_folder(book, framework).exists():
        return Kernel(framework, MISSING, detail="not made yet")
    if not python.exists():
        return Kernel(framework, BROKEN, detail="its interpreter is gone")
    if not is_complete(book, framework):
        if not spec.is_file():
            return Kernel(framework, BROKEN, detail="not installed to the end")
        return Kernel(framework, OUTDATED, detail="installed from other pins")
    code = (
        "import json, ipykernel\n"
        f"from d2l_support import {framework}\n"
        f"print(json.dumps({framework}.describe_environment()['versions']))"
    )
    try:
        run = subprocess.run(
            [str(python), "-c", code], capture_output=True, text=True, timeout=timeout
        )
        versions = json.loads(run.stdout) if run.returncode == 0 else None
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        return Kernel(framework, BROKEN, detail=f"does not answer ({error})")
    if versions is None:
        reason = (run.stderr.strip().splitlines() or ["no message"])[-1]
        return Kernel(framework, BROKEN, detail=reason)
    return Kernel(framework, READY, versions)


def ensure_kernels(
    book: Book,
    frameworks: list[str],
    report: Callable[[str, str], None] = lambda framework, line: None,
) -> None:
    """Makes the environments that are missing or were made from other pins.

    Args:
        book: The checkout.
        frameworks: The framework keys that a run needs.
        report: Called with a framework and a line of progress.

    Raises:
        CannotWork: An environment cannot be made.
    """
    for framework in (key for key in FRAMEWORKS if key in frameworks):
        if not is_complete(book, framework):
            create_environment(
                book, framework, lambda line, key=framework: report(key, line)
            )


def create_unhealthy(
    book: Book,
    frameworks: list[str],
    report: Callable[[str, str], None] = lambda framework, line: None,
) -> list[Kernel]:
    """Makes every kernel anew that is not ready; returns them all, inspected."""
    kernels = []
    for framework in frameworks:
        kernel = inspect_kernel(book, framework)
        if kernel.health != READY:
            report(framework, f"{kernel.health}: {kernel.detail}")
            create_environment(
                book, framework, lambda line, key=framework: report(key, line)
            )
            kernel = inspect_kernel(book, framework)
        kernels.append(kernel)
    return kernels
