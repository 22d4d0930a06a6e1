"""The four kernels as the live server starts them, and the files it has not.

Each kernel works in a scratch folder of its own, so that no cell writes into
the checkout; the folder goes when the kernel does.
"""

import asyncio
import shutil
import tempfile
from pathlib import Path

from jupyter_client.kernelspec import KernelSpecManager
from jupyter_server.services.contents.manager import AsyncContentsManager
from jupyter_server.services.kernels.connection.channels import (
    ZMQChannelsWebsocketConnection,
)
from jupyter_server.services.kernels.kernelmanager import (
    AsyncMappingKernelManager,
    ServerKernelManager,
)
from traitlets import Dict, Instance, Unicode, default

from d2l_support.build.launch import start_options


class BookKernelSpecs(KernelSpecManager):
    """The kernelspecs of the checkout, and no others of this machine."""

    folder = Unicode(config=True, help="The folder of the checkout's kernelspecs.")

    @default("kernel_dirs")
    def _only_ours(self) -> list[str]:
        return [self.folder]


class Channels(ZMQChannelsWebsocketConnection):
    """A page's connection to a kernel."""

    @classmethod
    def tell_dead(cls, kernel_id: str) -> None:
        """Tells every page that has this kernel of its end."""
        for connection in [*cls._open_sockets]:
            if connection.kernel_id == kernel_id:
                connection._send_status_message("dead")


class BookKernel(ServerKernelManager):
    """One kernel."""

    _restarts = Instance(asyncio.Lock, ())

    async def restart_kernel(self, *args, **kwargs) -> None:
        """Starts it anew, and not twice at a time.

        A kernel that has died is started anew without being asked; a reader
        who asks meanwhile would else break that.
        """
        async with self._restarts:
            await super().restart_kernel(*args, **kwargs)


class ScratchKernels(AsyncMappingKernelManager):
    """Starts each kernel as a record's is started: alone, in a new folder."""

    scratch = Unicode(config=True, help="The folder that holds the kernels' folders.")
    _folders = Dict()

    @default("kernel_manager_class")
    def _ours(self) -> str:
        return f"{BookKernel.__module__}.{BookKernel.__name__}"

    async def _async_start_kernel(
        self, *, kernel_id: str | None = None, path=None, env=None, **kwargs
    ) -> str:
        """Starts a kernel and returns its id; where its notebook is says nothing."""
        if kernel_id is None or kernel_id not in self:
            folder = Path(tempfile.mkdtemp(prefix="kernel-", dir=self.scratch))
            kwargs |= start_options(folder, env or {})
            kernel_id = await super()._async_start_kernel(kernel_id=kernel_id, **kwargs)
            self._folders[kernel_id] = folder
        return kernel_id

    start_kernel = _async_start_kernel

    def remove_kernel(self, kernel_id: str):
        """Forgets a kernel that has ended, tells its pages, removes its folder."""
        kernel = super().remove_kernel(kernel_id)
        # Jupyter tells them when a kernel dies, but not when it was idle.
        Channels.tell_dead(kernel_id)
        if folder := self._folders.pop(kernel_id, None):
            shutil.rmtree(folder, ignore_errors=True)
        return kernel


class NoContents(AsyncContentsManager):
    """Files that the server neither reads nor writes nor serves: there are none."""

    def get_extra_handlers(self) -> list:
        """No handler: the plain one would serve files."""
        return []

    def get_kernel_path(self, path: str, model=None) -> str:
        """Nothing: a kernel's folder does not depend on its notebook."""
        return ""

    def info_string(self) -> str:
        """What a server's log would say of the files."""
        return "Serves the built book and no other files"
