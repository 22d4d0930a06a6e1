"""Lists the four kernels with their health, and makes what a run needs."""

import json
import subprocess
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from d2l_support.build.environments import (
    STAMP,
    create_environment,
    environment_folder,
    environment_python,
    is_complete,
    is_installed,
    link_environment,
)
from d2l_support.build.frameworks import ENVIRONMENTS
from d2l_support.build.layout import Book
from d2l_support.build.locks import hold_lock

READY, MISSING, OUTDATED, BROKEN = "ready", "missing", "outdated", "broken"

Report = Callable[[str, str], None]
"""Told of a framework and a line of progress."""

DESCRIBE = """
import json, ipykernel
from d2l_support import {framework}
print(json.dumps({framework}.describe_environment()["versions"]))
"""


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


def inspect_kernels(
    book: Book, frameworks: list[str], timeout: float = 120
) -> list[Kernel]:
    """The health of several kernels, found side by side."""
    with ThreadPoolExecutor() as pool:
        return list(
            pool.map(lambda key: inspect_kernel(book, key, timeout), frameworks)
        )


def inspect_kernel(book: Book, framework: str, timeout: float = 120) -> Kernel:
    """A kernel's health, found by importing its framework.

    Args:
        book: The checkout.
        framework: A framework key.
        timeout: Seconds that the import may take.
    """
    folder = environment_folder(book, framework)
    if not folder.exists():
        return Kernel(framework, MISSING, detail="not made yet")
    if not environment_python(book, framework).exists():
        return Kernel(framework, BROKEN, detail="its interpreter is gone")
    if not (folder / STAMP).is_file():
        return Kernel(framework, BROKEN, detail="not installed to the end")
    if not is_installed(book, framework):
        return Kernel(framework, OUTDATED, detail="installed from other pins")
    if not is_complete(book, framework):
        detail = "its kernelspec is missing or another checkout's"
        return Kernel(framework, BROKEN, detail=detail)
    return _ask_versions(book, framework, timeout)


def _ask_versions(book: Book, framework: str, timeout: float) -> Kernel:
    code = DESCRIBE.format(framework=framework)
    # -P: the folder that the command runs in must not be imported from.
    command = [str(environment_python(book, framework)), "-P", "-c", code]
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=timeout)
    except subprocess.TimeoutExpired:
        detail = f"does not answer within {timeout:g} s"
        return Kernel(framework, BROKEN, detail=detail)
    except OSError as error:
        return Kernel(framework, BROKEN, detail=f"does not start ({error.strerror})")
    said = run.stdout.splitlines() or [""]
    if run.returncode:
        reason = (run.stderr.strip().splitlines() or ["no message"])[-1]
        return Kernel(framework, BROKEN, detail=reason)
    try:
        return Kernel(framework, READY, dict(json.loads(said[-1])))
    except (TypeError, ValueError):
        detail = f"answers {said[-1]!r}, not its versions"
        return Kernel(framework, BROKEN, detail=detail)


def ensure_kernels(
    book: Book,
    frameworks: list[str],
    report: Report = lambda framework, line: None,
) -> None:
    """Makes the environments that are missing or were made from other pins.

    Args:
        book: The checkout.
        frameworks: The keys of the frameworks, or other releases, that it needs.
        report: Called with a framework and a line of progress.

    Raises:
        CannotWork: An environment cannot be made.
    """
    incomplete = [
        key for key in ENVIRONMENTS if key in frameworks and not is_complete(book, key)
    ]
    if not incomplete:
        return
    with hold_lock(book, "kernels", "d2l-support making kernels"):
        for framework in incomplete:
            _make(book, framework, report)


def create_unhealthy(
    book: Book,
    frameworks: list[str],
    report: Report = lambda framework, line: None,
) -> list[Kernel]:
    """Makes every kernel anew that is not ready; returns them all, inspected.

    Raises:
        CannotWork: An environment cannot be made.
    """
    kernels = inspect_kernels(book, frameworks)
    unwell = [kernel for kernel in kernels if kernel.health != READY]
    if not unwell:
        return kernels
    with hold_lock(book, "kernels", "d2l-support making kernels"):
        for kernel in unwell:
            report(kernel.framework, f"{kernel.health}: {kernel.detail}")
            _make(book, kernel.framework, report)
    return inspect_kernels(book, frameworks)


def _make(book: Book, framework: str, report: Report) -> None:
    """Makes an environment anew; in a moved checkout, mends its links alone."""
    linked = is_complete(book, framework)
    python = environment_python(book, framework)
    if is_installed(book, framework) and python.exists() and not linked:
        report(framework, "writing the kernelspec")
        link_environment(book, framework)
        return
    create_environment(book, framework, lambda line: report(framework, line))
