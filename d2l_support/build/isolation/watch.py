"""Watches a run's kernel: its life, its memory, its processes, its files."""

import asyncio
import os
import signal
import stat
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from jupyter_client.client import KernelClient
from jupyter_client.manager import AsyncKernelManager

from d2l_support.build.isolation.meter import wait_for_disconnection
from d2l_support.build.isolation.outcome import DIED, MEMORY, OUTPUT, Limits
from d2l_support.build.isolation.processes import find_descendants, measure_memory

PERIOD = 0.1
"""Seconds between two looks at memory and processes."""

PROCESSES = 128
"""Processes that a run may have at a time, those of the sandbox included."""

DISK = 2**30
"""Bytes that a run may have in its scratch folder, and in one file."""

FILES = 10_000
"""Files that a run may have in its scratch folder."""

LOOKS_BETWEEN_FILES = 5

Cut = Callable[[str, str], None]
"""Ends the run; given an ending and the sentence that explains it."""


async def watch_kernel(
    manager: AsyncKernelManager, limits: Limits, folder: Path, cut: Cut
) -> None:
    """Looks at the kernel until it breaks a limit or ends; then cuts the run."""
    looks = 0
    while True:
        code = await manager.provisioner.poll()
        if code is not None:
            return cut(DIED, f"found that the kernel ended {describe_exit(code)}")
        processes = find_descendants()
        if len(processes) > PROCESSES:
            return cut(DIED, f"found {len(processes)} processes, at most {PROCESSES}")
        held = measure_memory(processes, limits.memory)
        if held > limits.memory:
            # Read one after another, processes that begin or end count twice.
            held = min(held, measure_memory(find_descendants(), limits.memory))
        if held > limits.memory:
            found = f"found {held >> 20} MiB of memory held"
            return cut(MEMORY, f"{found}, expected at most {limits.memory >> 20} MiB")
        if looks % LOOKS_BETWEEN_FILES == 0 and (excess := find_excess(folder)):
            return cut(DIED, excess)
        looks += 1
        await asyncio.sleep(PERIOD)


async def watch_connections(
    manager: AsyncKernelManager, client: KernelClient, limits: Limits, cut: Cut
) -> None:
    """Cuts the run when a connection ends though the kernel goes on."""
    await wait_for_disconnection(client)
    for _ in range(10):  # a kernel that ends closes its sockets a little earlier
        await asyncio.sleep(PERIOD)
        if await manager.provisioner.poll() is not None:
            return
    cut(
        OUTPUT,
        f"found far more than {limits.output} bytes of output at once, or that the "
        "kernel closed its connection",
    )


def describe_exit(code: int) -> str:
    """How a process ended, from its return code or a sandbox's."""
    number = -code if code < 0 else code - 128
    with suppress(ValueError):
        return f"by {signal.Signals(number).name}"
    return f"with exit code {code}"


def find_excess(folder: Path) -> str:
    """What is too much in a folder, in one sentence, or ""."""
    held = count = 0
    left = [os.fspath(folder)]
    while left:
        with suppress(OSError), os.scandir(left.pop()) as entries:
            for entry in entries:
                count += 1
                with suppress(OSError):
                    found = entry.stat(follow_symlinks=False)
                    held += found.st_blocks * 512
                    if stat.S_ISDIR(found.st_mode):
                        left.append(entry.path)
                if count > FILES or held > DISK:
                    return (
                        f"found {count} files of {held >> 20} MiB and more in its "
                        f"folders, expected at most {FILES} of {DISK >> 20} MiB"
                    )
    return ""
