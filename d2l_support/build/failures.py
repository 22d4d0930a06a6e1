"""Puts into words why a notebook did not run: which file, cell and kernel."""

import re
from typing import Any

from jupyter_client.kernelspec import NoSuchKernel
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from nbformat import NotebookNode

from d2l_support.build.frameworks import FRAMEWORKS
from d2l_support.build.problems import Problem

COLOUR = re.compile(r"\x1b\[[0-9;]*m")
CELL_LINE = re.compile(r"Cell In\[\d+\], line (\d+)")


class KernelLost(RuntimeError):
    """A kernel that cannot be had, or not any longer; its words say it all."""


def explain_start(error: Exception, framework: str, words: str) -> Problem:
    """The problem behind a kernel that does not start.

    Args:
        error: What jupyter_client raised.
        framework: Whose kernel it is.
        words: The last line that the kernel wrote.
    """
    kernel = FRAMEWORKS[framework].kernel
    if isinstance(error, KernelLost):
        return Problem("lost", str(error), framework=framework)
    if isinstance(error, NoSuchKernel):
        message = f"found no kernel {kernel}, expected one"
    else:
        reason = words or str(error)
        message = (
            f"found that kernel {kernel} does not start ({reason}), expected it to"
        )
    return Problem("kernel", message, framework=framework, run=repair_of(framework))


def explain_cell(
    error: Exception, cell: NotebookNode, framework: str, timeout: float, words: str
) -> Problem:
    """The problem behind a cell that did not come to its end.

    Args:
        error: What nbclient raised.
        cell: The split notebook's cell.
        framework: Whose kernel ran it.
        timeout: Seconds that the cell was given.
        words: The last line that the kernel wrote.
    """
    where: dict[str, Any] = {
        "line": cell.metadata.get("book", {}).get("line"),
        "cell": cell.id,
        "framework": framework,
    }
    if isinstance(error, KernelLost):
        return Problem("lost", str(error), **where)
    if isinstance(error, CellTimeoutError):
        message = (
            f"found no end after {timeout:g} s, expected one (--timeout raises it)"
        )
        return Problem("timeout", message, **where)
    if isinstance(error, DeadKernelError):
        said = f" (its last words: {words})" if words else ""
        message = f"found that the kernel died in this cell{said}, expected it to live"
        return Problem("died", message, **where)
    if isinstance(error, CellExecutionError):
        message = (
            f"found {error.ename}: {error.evalue}{_blame(error, cell)}, expected no "
            "error (`:tags: [raises-exception]` where it is the lesson)"
        )
        if error.ename in ("ImportError", "ModuleNotFoundError"):
            where["run"] = repair_of(framework)
        return Problem("raised", message, **where)
    message = f"found {type(error).__name__}: {error}, expected the cell to run"
    return Problem("kernel", message, run=repair_of(framework), **where)


def explain_probe(error: Exception, framework: str) -> Problem:
    """The problem behind a kernel that cannot say what it is."""
    if isinstance(error, KernelLost):
        return Problem("lost", str(error), framework=framework)
    reason = str(error)
    if isinstance(error, CellExecutionError):
        reason = f"{error.ename}: {error.evalue}"
    message = (
        f"found that d2l_support.{framework} does not describe the environment "
        f"({reason}), expected versions and device"
    )
    return Problem("kernel", message, framework=framework, run=repair_of(framework))


def repair_of(framework: str) -> str:
    """The command that makes a framework's kernel anew."""
    return f"d2l-support kernels --create --framework {framework}"


def _blame(error: CellExecutionError, cell: NotebookNode) -> str:
    """Where in the cell the error arose, where its traceback says so."""
    found = CELL_LINE.search(COLOUR.sub("", error.traceback))
    lines = cell.source.splitlines()
    if not found or int(found[1]) > len(lines):
        return ""
    number = int(found[1])
    return f" in its line {number}, `{lines[number - 1].strip()}`"
