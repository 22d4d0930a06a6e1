"""How a fresh kernel is started: alone, in a folder of its own.

The folder holds its ipc path (two processes that pick TCP ports at the same
moment can pick the same one), its working folder and IPython's profile, so
that nobody's own settings reach a record and no cell writes into the book.
"""

import os
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from jupyter_client.client import KernelClient
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import AsyncKernelManager, KernelManager

START_TIMEOUT = 60
"""Seconds that a kernel may take until it answers."""

LOG = "log"

LOG_END = 2**16
"""Bytes at the end of a kernel's log that are read."""


@dataclass(frozen=True)
class Launch:
    """How a kernel is started other than plainly.

    Attributes:
        prefix: What its command is the last part of, such as a sandbox's command.
        inherited: The environment that its process gets, in place of ours.
        log: Where its process's terminal goes, if not into its folder.
        traits: What its manager is made with besides.
        client_traits: What its client is made with besides.
    """

    prefix: tuple[str, ...] = ()
    inherited: Mapping[str, str] | None = None
    log: Path | None = None
    traits: Mapping[str, Any] = field(default_factory=dict)
    client_traits: Mapping[str, Any] = field(default_factory=dict)


PLAINLY = Launch()

Start = Callable[
    [str, Path, Mapping[str, str]],
    AbstractAsyncContextManager[tuple[KernelManager, KernelClient]],
]
"""How a kernel is had, wherever it runs: for a kernelspec's name, an empty folder
and variables, a running kernel that answers and is ended with the block."""


class PrefixedKernelManager(AsyncKernelManager):
    """Starts the kernelspec's command as the last part of another one."""

    prefix: tuple[str, ...] = ()

    def format_kernel_cmd(self, extra_arguments: list[str] | None = None) -> list[str]:
        """The whole command, a list of words."""
        return [*self.prefix, *super().format_kernel_cmd(extra_arguments)]


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
    folder: Path,
    variables: Mapping[str, str] = MappingProxyType({}),
    launch: Launch = PLAINLY,
) -> dict[str, Any]:
    """What a kernel is started with; makes its working folder and its log.

    Args:
        folder: An empty folder for this kernel alone.
        variables: What its process finds in its environment besides ours.
        launch: How it is started.
    """
    (folder / "work").mkdir()
    inherited = os.environ if launch.inherited is None else launch.inherited
    variables = {**inherited, **variables, "IPYTHONDIR": str(folder / "ipython")}
    # With it ipykernel leaves alone what native code prints, under pytest only.
    variables.pop("PYTEST_CURRENT_TEST", None)
    # Popen copies the descriptor; ours closes when this object is collected.
    log = (launch.log or folder / LOG).open("wb")
    return {
        "cwd": str(folder / "work"),
        "env": variables,
        "extra_arguments": ["--HistoryManager.hist_file=:memory:"],
        "stdout": log,
        "stderr": log,
    }


def last_words(folder: Path, name: str = LOG) -> str:
    """The last line that a kernel's process wrote to its terminal, or ""."""
    log = folder / name
    if not log.is_file():
        return ""
    with log.open("rb") as file:
        file.seek(max(0, log.stat().st_size - LOG_END))
        text = file.read(LOG_END).decode(errors="replace")
    return next((line for line in reversed(text.splitlines()) if line.strip()), "")


@asynccontextmanager
async def start_kernel(
    kernels: Path,
    kernel: str,
    folder: Path,
    variables: Mapping[str, str] = MappingProxyType({}),
    launch: Launch = PLAINLY,
) -> AsyncIterator[tuple[AsyncKernelManager, KernelClient]]:
    """A running kernel that answers; it is killed when the block ends.

    Raises:
        NoSuchKernel: There is no such kernelspec.
        OSError, RuntimeError: The kernel does not start.
    """
    options = manager_options(kernels, kernel, folder) | dict(launch.traits)
    manager = PrefixedKernelManager(**options)
    manager.prefix = launch.prefix
    client = None
    try:
        await manager.start_kernel(**start_options(folder, variables, launch))
        client = manager.client(**launch.client_traits)
        client.start_channels()
        await client.wait_for_ready(timeout=START_TIMEOUT)
        client.allow_stdin = False
        yield manager, client
    finally:
        if client is not None:
            client.stop_channels()
        if manager.has_kernel:
            await manager.shutdown_kernel(now=True)
