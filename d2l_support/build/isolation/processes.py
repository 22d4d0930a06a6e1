"""The processes of one run: found by descent, stopped, and ended to the last.

The worker adopts every orphan below it, so whatever a kernel starts stays its
descendant, in another session or doubly forked.
"""

import ctypes
import os
import resource
import signal
import sys
import time
from collections.abc import Iterable
from contextlib import suppress

import psutil

MARK = "D2L_ISOLATED_RUN"
"""The environment variable by which a run's processes are known."""

END_SECONDS = 10
"""How long the end of all processes is waited for."""

_SET_CHILD_SUBREAPER = 36  # <linux/prctl.h>


def adopt_orphans() -> None:
    """Makes this process the parent of every orphan below it (Linux alone)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def find_descendants() -> list[psutil.Process]:
    """The living processes below this one."""
    return [
        process
        for process in psutil.Process().children(recursive=True)
        if not _is_zombie(process)
    ]


def _is_zombie(process: psutil.Process) -> bool:
    try:
        return process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def measure_memory(processes: Iterable[psutil.Process], limit: int) -> int:
    """The bytes that processes hold together, exact where it is above a limit.

    Resident sizes are cheap but count what forked workers share once for each;
    only where they exceed the limit is it worth reading the shares.
    """
    processes = list(processes)
    resident = sum(map(_read_size, processes))
    return resident if resident <= limit else sum(map(_read_share, processes))


def _read_size(process: psutil.Process) -> int:
    try:
        return process.memory_info().rss
    except psutil.Error:
        return 0


def _read_share(process: psutil.Process) -> int:
    try:
        return process.memory_full_info().pss
    except psutil.NoSuchProcess:  # it ended: it holds nothing any longer
        return 0
    except psutil.AccessDenied:
        return _read_size(process)


def limit_resources(processes: Iterable[psutil.Process], limits: dict) -> None:
    """Sets hard limits (by RLIMIT constant), and names them to the OOM killer."""
    for process in processes:
        with suppress(OSError):
            for which, value in limits.items():
                if hasattr(resource, "prlimit"):
                    resource.prlimit(process.pid, which, (value, value))
        with suppress(OSError), open(f"/proc/{process.pid}/oom_score_adj", "w") as file:
            file.write("1000")


def send_signal(processes: Iterable[psutil.Process], number: int) -> None:
    """Sends a signal to those that still live."""
    for process in processes:
        with suppress(psutil.Error):
            process.send_signal(number)


def end_descendants() -> bool:
    """Kills every process below this one; whether none is left.

    All are stopped first, so that none can fork while others are killed.
    """
    deadline = time.monotonic() + END_SECONDS
    seen: set[psutil.Process] = set()
    while new := set(find_descendants()) - seen:
        send_signal(new, signal.SIGSTOP)
        seen |= new
        if time.monotonic() > deadline:
            break
    while left := find_descendants():
        send_signal(left, signal.SIGKILL)
        _reap()
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    _reap()
    return True


def _reap() -> None:
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG) != (0, 0):
            pass


def end_marked(mark: str) -> None:
    """Kills every process that carries a run's mark in its environment."""
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            if process.environ().get(MARK) == mark:
                process.kill()
