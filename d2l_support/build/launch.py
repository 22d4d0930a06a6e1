"""How a fresh kernel is started: alone, in a folder of its own.

The folder holds its ipc path (two processes that pick TCP ports at the same
moment can pick the same one), its working folder and IPython's profile, so
that nobody's own settings reach a record and no cell writes into the book.
"""

import os
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Any

from jupyter_client.client import KernelClient
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import AsyncKernelManager

START_TIMEOUT = 60
"""Seconds that a kernel may take until it answers."""

LOG = "log"


def manager_options(kernels: Path, kernel: str, folder: Path) -> dict[str, Any]:
    """What a kernel manager is made with.

    Args:
        kernels: The folder that holds our kernelspecs.
        kernel: The kernelspec's name.
        folder: An empty folder for this kernel alone.
    """
    specs = KernelSpecManager(kernel_dirs=[str(kernels)], ensure_native_kernel=False)
    return {
        "kernel_name": kernel,
        "kernel_spec_manager": specs,
        "transport": "ipc",
        "ip": f"{folder}/kernel",
        "connection_file": f"{folder}/connection.json",
    }


def start_options(
    folder: Path, variables: Mapping[str, str] = MappingProxyType({})
) -> dict[str, Any]:
    """What a kernel is started with; makes its working folder and its log.

    Args:
        folder: An empty folder for this kernel alone.
        variables: What its process finds in its environment besides ours.
    """
    (folder / "work").mkdir()
    variables = {**os.environ, **variables, "IPYTHONDIR": str(folder / "ipython")}
    # With it ipykernel leaves alone what native code prints, under pytest only.
    variables.pop("PYTEST_CURRENT_TEST", None)
    # Popen copies the descriptor; ours closes when this object is collected.
    log = (folder / LOG).open("wb")
    return {
        "cwd": str(folder / "work"),
        "env": variables,
        "extra_arguments": ["--HistoryManager.hist_file=:memory:"],
        "stdout": log,
        "stderr": log,
    }


def last_words(folder: Path) -> str:
    """The last line that a kernel's process wrote to its terminal, or ""."""
    log = folder / LOG
    text = log.read_text(errors="replace") if log.is_file() else ""
    return next((line for line in reversed(text.splitlines()) if line.strip()), "")


@asynccontextmanager
async def start_kernel(
    kernels: Path,
    kernel: str,
    folder: Path,
    variables: Mapping[str, str] = MappingProxyType({}),
) -> AsyncIterator[tuple[AsyncKernelManager, KernelClient]]:
    """A running kernel that answers; it is killed when the block ends.

    Raises:
        NoSuchKernel: There is no such kernelspec.
        OSError, RuntimeError: The kernel does not start.
    """
    manager = AsyncKernelManager(**manager_options(kernels, kernel, folder))
    client = None
    try:
        await manager.start_kernel(**start_options(folder, variables))
        client = manager.client()
        client.start_channels()
        await client.wait_for_ready(timeout=START_TIMEOUT)
        client.allow_stdin = False
        yield manager, client
    finally:
        if client is not None:
            client.stop_channels()
        if manager.has_kernel:
            await manager.shutdown_kernel(now=True)
