"""What a hybridized block takes and gives, which its hooks are not told of.

Once such a block is traced, calling it runs a graph by one method. A relay
stands in the place of that method, on the block alone, while somebody
listens. What happens inside the graph cannot be seen.
"""

from collections.abc import Callable
from typing import Any

from mxnet.gluon import HybridBlock

METHOD = "_call_cached_op"

Entered = Callable[[HybridBlock, tuple], None]
Left = Callable[[HybridBlock, tuple, object], None]


class Relay:
    """Stands before the method of one block that runs its graph.

    Attributes:
        listeners: Pairs of functions that are called like Gluon's hooks,
            before and after.
    """

    def __init__(self, block: HybridBlock):
        self.listeners: list[tuple[Entered, Left]] = []
        self._block, self._run = block, getattr(block, METHOD)

    def __call__(self, *args: Any) -> object:
        """What the method gives."""
        listeners = list(self.listeners)
        for entered, _ in listeners:
            entered(self._block, args)
        output = self._run(*args)
        for _, left in listeners:
            left(self._block, args, output)
        return output


class RelayHandle:
    """Like the handle of a hook: with it, the listening ends."""

    def __init__(self, block: HybridBlock, entered: Entered, left: Left):
        self._block, self._pair = block, (entered, left)
        relay = vars(block).setdefault(METHOD, Relay(block))
        relay.listeners.append(self._pair)

    def detach(self) -> None:
        """Takes the relay away with its last listener."""
        relay = vars(self._block).get(METHOD)
        if relay is not None and self._pair in relay.listeners:
            relay.listeners.remove(self._pair)
            if not relay.listeners:
                del vars(self._block)[METHOD]
