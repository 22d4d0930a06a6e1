"""Gluon's hooks on every block, told as two plain events.

Gluon calls a hook with the block and its positional arguments, and ignores
what the hook returns. After an exception no hook is called, so whoever
listens has to find out from the exception where it came from.
"""

from collections.abc import Callable, Iterable
from threading import get_ident
from typing import Any

from mxnet._deferred_compute import is_deferred_compute
from mxnet.gluon import Block, SymbolBlock

from d2l_support.inspection.mxnet.blocks import is_hybridized
from d2l_support.inspection.mxnet.relaying import RelayHandle

Enter = Callable[[int, tuple], None]
Leave = Callable[[int, object], None]


class Hooks:
    """The hooks on some blocks, on from `attach` to `detach`.

    Args:
        blocks: The blocks.
        enter: Called with a block's id and its arguments, before the call.
        leave: Called with a block's id and its output, after the call.

    Attributes:
        strangers: How many calls came from another thread and were passed
            over. MXNet calls the backward code of an `autograd.Function`
            from a thread of its own.
    """

    def __init__(self, blocks: Iterable[Block], enter: Enter, leave: Leave):
        self._blocks = tuple(blocks)
        self._enter, self._leave = enter, leave
        self._handles: list[Any] = []
        self._thread = 0
        self.strangers = 0

    @property
    def attached(self) -> bool:
        """Whether the hooks are on."""
        return bool(self._handles)

    def attach(self) -> None:
        """Sets the hooks."""
        self._thread, self.strangers = get_ident(), 0
        for block in self._blocks:
            symbolic = isinstance(block, SymbolBlock)  # it raises if it has a hook
            if symbolic or is_hybridized(block):
                self._handles.append(RelayHandle(block, self._entered, self._left))
            if not symbolic:
                self._handles.append(block.register_forward_pre_hook(self._entered))
                self._handles.append(block.register_forward_hook(self._left))

    def detach(self) -> None:
        """Takes all of them away, however often it is called."""
        for handle in self._handles:
            handle.detach()
        self._handles = []

    # While a hybridized block is traced, its arrays stand for symbols and have
    # no values.

    def _entered(self, block: Block, args: tuple) -> None:
        if get_ident() != self._thread:
            self.strangers += 1
        elif not is_deferred_compute():
            self._enter(id(block), args)

    def _left(self, block: Block, args: tuple, output: object) -> None:
        if get_ident() == self._thread and not is_deferred_compute():
            self._leave(id(block), output)
