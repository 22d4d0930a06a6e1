"""A kernel's messages, over one socket to a gateway.

jupyter_server's client does most of it. What is ours: the token goes along
with the socket too, a cell may be silent for as long as it likes, who waits
for a message sleeps, and messages with buffers (a widget's picture) get through.
"""

import asyncio
import json
import socket
from contextlib import suppress
from queue import Empty
from threading import Thread

import websocket
from jupyter_client.asynchronous.client import AsyncKernelClient
from jupyter_server.gateway.gateway_client import GatewayClient
from jupyter_server.gateway.managers import (
    ChannelQueue,
    GatewayKernelClient,
    HBChannelQueue,
)
from jupyter_server.services.kernels.connection.base import deserialize_binary_message
from jupyter_server.utils import url_path_join

from d2l_support.build.failures import KernelLost

KEEP_ALIVE = (
    (socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1),
    *(
        (socket.IPPROTO_TCP, getattr(socket, name), seconds)
        for name, seconds in (("TCP_KEEPIDLE", 30), ("TCP_KEEPINTVL", 10))
        if hasattr(socket, name)
    ),
)
"""How a machine that vanished is noticed while a cell says nothing."""

GONE = ("restarting", "dead")
"""The states in which the kernel that ran our cells is no more."""


class Channel(ChannelQueue):
    """One channel's messages; who waits is woken by the thread that reads."""

    def __init__(self, name: str, connection: websocket.WebSocket, log):
        super().__init__(name, connection, log)
        self._loop = asyncio.get_running_loop()
        self._told = asyncio.Event()

    def tell(self) -> None:
        """Wakes who waits; from any thread."""
        with suppress(RuntimeError):  # the loop is over: nobody waits
            self._loop.call_soon_threadsafe(self._told.set)

    async def _async_get(self, timeout: float | None = None) -> dict:
        try:
            async with asyncio.timeout(timeout):
                return await self._wait()
        except TimeoutError:
            raise Empty from None

    async def _wait(self) -> dict:
        while True:
            self._told.clear()
            with suppress(Empty):
                return self.get(block=False)
            if self.response_router_finished:
                raise KernelLost(
                    "found that the connection to the gateway is lost, expected it to "
                    "last; the cell may have taken the machine along"
                )
            await self._told.wait()


class Beat(Channel, HBChannelQueue):
    """The channel of the heartbeat."""


class Channels(GatewayKernelClient):
    """The channels of one kernel behind a gateway.

    Attributes:
        died: Whether the gateway said that the kernel is gone.
    """

    died = False

    async def start_channels(self, *args, **kwargs) -> None:
        """Opens the socket and reads it from a thread."""
        self.channel_socket = await asyncio.to_thread(self._connect)
        for name in ("shell", "iopub", "stdin", "hb", "control"):
            kind = Beat if name == "hb" else Channel
            queue = kind(name, self.channel_socket, self.log)
            self._channel_queues[name] = queue
            setattr(self, f"_{name}_channel", queue)
        AsyncKernelClient.start_channels(self, *args, **kwargs)
        self.response_router = Thread(target=self._route_responses, daemon=True)
        self.response_router.start()

    def _connect(self) -> websocket.WebSocket:
        gateway = GatewayClient.instance()
        known = gateway.load_connection_args()
        place = url_path_join(
            gateway.ws_url, gateway.kernels_endpoint, self.kernel_id, "channels"
        )
        certificates = {
            "ca_certs": gateway.ca_certs,
            "certfile": gateway.client_cert,
            "keyfile": gateway.client_key,
        }
        connection = websocket.create_connection(
            place,
            timeout=gateway.connect_timeout,
            header=known.get("headers", {}),
            sockopt=KEEP_ALIVE,
            sslopt={name: value for name, value in certificates.items() if value},
            enable_multithread=True,
        )
        connection.settimeout(None)
        return connection

    def _route_responses(self) -> None:
        queues = dict(self._channel_queues)
        try:
            # It ends when the socket is closed, here or there.
            with suppress(websocket.WebSocketException, OSError):
                while raw := self.channel_socket.recv():
                    self._pass_on(raw, queues)
        finally:
            for queue in queues.values():
                queue.response_router_finished = True
                queue.tell()

    def _pass_on(self, raw: str | bytes, queues: dict[str, Channel]) -> None:
        binary = isinstance(raw, bytes)
        message = deserialize_binary_message(raw) if binary else json.loads(raw)
        if message.get("content", {}).get("execution_state") in GONE:
            self.died = True
        queue = queues[message["channel"]]
        queue.put_nowait(message)
        queue.tell()
