"""A kernel behind a gateway: started, watched, and ended."""

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path

from jupyter_server.gateway.managers import GatewayKernelManager
from tornado.web import HTTPError
from websocket import WebSocketException

from d2l_support.build.failures import KernelLost
from d2l_support.build.gateway.address import Gateway
from d2l_support.build.gateway.channels import Channels
from d2l_support.build.launch import START_TIMEOUT, Start

SETTLE = """
def _settle():
    import atexit, os, shutil, tempfile
    os.environ.update({variables})
    folder = tempfile.mkdtemp(prefix="d2l-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    os.chdir(folder)
_settle()
del _settle
"""
"""A gateway says where its kernels work; ours work in a folder of their own."""


class RemoteKernel(GatewayKernelManager):
    """One kernel behind the gateway.

    Attributes:
        channels: Its channels, once there are some.
    """

    channels: Channels | None = None

    def client(self, **kwargs) -> Channels:
        """The kernel's channels, not yet open."""
        known = {"kernel_id": self.kernel_id, "parent": self, "session": self.session}
        self.channels = Channels(**known | kwargs)
        return self.channels

    async def is_alive(self) -> bool:
        """Whether the kernel that was started still runs.

        A gateway starts a kernel anew that died: that is another one.
        """
        if self.channels is not None and self.channels.died:
            return False
        # Who cannot ask does not know: the socket tells if the gateway is gone.
        with suppress(HTTPError, OSError):
            await self.refresh_model()
        return self.has_kernel

    _async_is_alive = is_alive  # the one that clients ask


def start_remote(gateway: Gateway) -> Start:
    """The function that starts a kernel behind a gateway."""
    return partial(_start, gateway)


@asynccontextmanager
async def _start(
    gateway: Gateway, kernel: str, folder: Path, variables: Mapping[str, str]
) -> AsyncIterator[tuple[RemoteKernel, Channels]]:
    """A kernel there that answers; it is ended with the block.

    Raises:
        KernelLost: It cannot be had.
    """
    manager, client = RemoteKernel(), None
    try:
        try:
            await manager.start_kernel(kernel_name=kernel)
            client = manager.client()
            await client.start_channels()
        except (HTTPError, WebSocketException, OSError) as error:
            raise KernelLost(gateway.explain(error)) from None
        await client.wait_for_ready(timeout=START_TIMEOUT)
        await _run_silently(client, SETTLE.format(variables=repr(dict(variables))))
        yield manager, client
    finally:
        if client is not None and client.channel_socket is not None:
            client.stop_channels()
        # A gateway that is gone has no kernel that could be ended.
        with suppress(HTTPError, OSError):
            await manager.shutdown_kernel(now=True)


async def _run_silently(client: Channels, code: str) -> None:
    """Runs code before the first cell; it counts as none."""
    sent = client.execute(code, silent=True)
    while True:
        reply = await client.shell_channel.get_msg(timeout=START_TIMEOUT)
        if reply["parent_header"].get("msg_id") == sent:
            break
    if reply["content"]["status"] != "ok":
        said = json.dumps(reply["content"].get("evalue", ""))
        raise KernelLost(f"found that the kernel cannot be prepared ({said})")
