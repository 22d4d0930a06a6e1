"""Counts what a kernel sends, and refuses what is more than allowed.

Three things bound what a worker holds: a message above a size never enters it
(ZeroMQ drops the connection), outputs are cut at the limit, and all messages
together, comms and replies included, may be no more than a few times that.
"""

import asyncio
from collections.abc import Callable
from typing import Any

import zmq
import zmq.asyncio
from jupyter_client.client import KernelClient
from jupyter_client.session import Session
from zmq.utils.monitor import recv_monitor_message

OUTPUTS = ("stream", "display_data", "execute_result", "error", "update_display_data")

SPARE = 8 * 2**20
"""Bytes of one message, and of all that is not output, beside the limit."""

Excess = Callable[[str], None]
"""Told in one sentence what was too much."""


class MeteredSession(Session):
    """Reads messages; counts the bytes of all and those of outputs."""

    limit: int = 0
    outputs: int = 0
    traffic: int = 0
    excess: Excess = staticmethod(lambda sentence: None)

    def deserialize(self, msg_list: list[bytes], *args, **kwargs) -> dict[str, Any]:
        """The message; the one that crosses the limit comes as an empty stream.

        Raises:
            ValueError: It is no message of this kernel's.
        """
        self.traffic += sum(map(len, msg_list))
        message = super().deserialize(msg_list, *args, **kwargs)
        if message["msg_type"] in OUTPUTS:
            before = self.outputs
            self.outputs += sum(map(len, msg_list[4:]))
            if self.outputs > self.limit:
                _shorten(message, max(0, self.limit - before))
                self.excess(f"found more than {self.limit} bytes of output")
        elif self.traffic > 4 * self.limit + SPARE:
            self.excess(f"found {self.traffic} bytes of messages")
        return message


def _shorten(message: dict[str, Any], length: int) -> None:
    """Leaves the first characters of a stream, and nothing of another output."""
    content = message["content"]
    is_stream = message["msg_type"] == "stream" and isinstance(content, dict)
    text = content.get("text", "") if is_stream else ""
    message["header"]["msg_type"] = message["msg_type"] = "stream"
    message["content"] = {"name": "stdout", "text": str(text)[:length]}


def make_context(limit: int) -> zmq.asyncio.Context:
    """A context whose sockets take no message above the limit and some spare."""
    context = zmq.asyncio.Context()
    context.setsockopt(zmq.MAXMSGSIZE, limit + SPARE)
    return context


async def wait_for_disconnection(client: KernelClient) -> None:
    """Waits until the kernel, or ZeroMQ for it, ends one of its connections."""
    channels = (client.shell_channel, client.iopub_channel, client.control_channel)
    monitors = [
        channel.socket.get_monitor_socket(zmq.EVENT_DISCONNECTED)
        for channel in channels
    ]
    events = [asyncio.ensure_future(recv_monitor_message(each)) for each in monitors]
    try:
        await asyncio.wait(events, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for event in events:
            event.cancel()
        for channel in channels:
            if channel.socket is not None:
                channel.socket.disable_monitor()
