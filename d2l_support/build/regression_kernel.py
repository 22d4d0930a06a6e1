"""nbval's kernel, started as ``execute`` starts one, and watched."""

import shutil
import tempfile
import time
from pathlib import Path
from queue import Empty

from jupyter_client.manager import KernelManager
from nbclient.exceptions import DeadKernelError
from nbval.kernel import RunningKernel

from d2l_support.build.launch import (
    START_TIMEOUT,
    last_words,
    manager_options,
    start_options,
)
from d2l_support.build.widgets import States, note_message


class RecordKernel(RunningKernel):
    """A kernel in a folder of its own, which goes with it.

    Attributes:
        folder: The folder.
        states: The widgets that it made, as its messages tell.
    """

    def __init__(self, kernels: Path, kernel: str):
        # nbval's own constructor starts a kernel, on TCP ports.
        self.folder = Path(tempfile.mkdtemp(prefix="d2l-"))
        self.km = KernelManager(**manager_options(kernels, kernel, self.folder))
        self.kc = None
        self.states: States = {}

    def start(self) -> None:
        """Starts the kernel and waits until it answers.

        Raises:
            NoSuchKernel: There is no such kernelspec.
            OSError, RuntimeError, Empty: It does not start.
        """
        self.km.start_kernel(**start_options(self.folder))
        self.kc = self.km.client()
        self.kc.start_channels()
        self.kc.wait_for_ready(timeout=START_TIMEOUT)
        self._ensure_iopub_up()

    def get_message(self, stream: str, timeout: float | None = None) -> dict:
        """The next message; nbval passes over what it says of widgets."""
        message = super().get_message(stream, timeout)
        note_message(self.states, message)
        return message

    def execute_cell_input(
        self, cell_input: str, allow_stdin: bool | None = None
    ) -> str:
        """Runs a cell as ``execute`` does; without history ``;`` hides no result."""
        return self.kc.execute(
            cell_input, store_history=True, allow_stdin=False, stop_on_error=False
        )

    def await_reply(self, msg_id: str, timeout: float | None = None) -> None:
        """Waits for a cell's end.

        Raises:
            Empty: It has not come after ``timeout`` seconds.
            DeadKernelError: The kernel died meanwhile.
        """
        deadline = time.monotonic() + (timeout or float("inf"))
        while (left := deadline - time.monotonic()) > 0:
            try:
                return super().await_reply(msg_id, timeout=min(left, 1.0))
            except Empty:
                if not self.is_alive():
                    words = last_words(self.folder)
                    said = f" (its last words: {words})" if words else ""
                    raise DeadKernelError(
                        f"found that the kernel died in this cell{said}, "
                        "expected it to live"
                    ) from None
        raise Empty

    def is_alive(self) -> bool:
        """Whether the kernel's process runs."""
        return self.km.has_kernel and self.km.is_alive()

    def stop(self) -> None:
        """Kills the kernel if it runs, and removes its folder."""
        if self.kc is not None:
            self.kc.stop_channels()
        if self.km.has_kernel:
            self.km.shutdown_kernel(now=True)
        shutil.rmtree(self.folder, ignore_errors=True)
