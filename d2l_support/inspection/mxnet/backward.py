"""Being told of every backward pass, for which MXNet has no hook.

`loss.backward()`, `autograd.backward` and `autograd.grad` all end in one
function of MXNet's library. While somebody listens, a wrapper stands in its
place; when nobody does any more, the function itself is back.
"""

from threading import get_ident
from typing import Any, Protocol

from mxnet.base import _LIB

NAME = "MXAutogradBackwardEx"
VARIABLES, RETAIN = 3, 5  # the positions of two of its arguments


class Listener(Protocol):
    """Who wants to know of backward passes."""

    def before_backward(self) -> None:
        """A backward pass into the marked arrays is about to be queued."""

    def after_backward(self, retained: bool) -> None:
        """It is queued.

        Args:
            retained: Whether the graph is kept for another one.
        """


_listeners: list[tuple[int, Listener]] = []  # each with its thread
_original: list[Any] = []


def listen(listener: Listener) -> None:
    """Tells the listener of every backward pass of this thread from here on."""
    if not _listeners:
        _original.append(getattr(_LIB, NAME))
        setattr(_LIB, NAME, run_backward)
    _listeners.append((get_ident(), listener))


def unlisten(listener: Listener) -> None:
    """Tells it no more, however often this is called."""
    others = [pair for pair in _listeners if pair[1] is not listener]
    if _listeners and not others:
        setattr(_LIB, NAME, _original.pop())
    _listeners[:] = others


def run_backward(*args: Any) -> int:
    """The function's own work, and word of it.

    With variables of its own, as in `autograd.grad`, a backward pass returns
    its gradients and writes none into marked arrays: then nobody is told.
    Nor is anybody of one out of an `autograd.Function`'s backward code, which
    MXNet runs in a thread of its own.
    """
    thread, told = get_ident(), []
    if read_number(args[VARIABLES]) == 0:
        told = [listener for place, listener in _listeners if place == thread]
    for listener in told:
        listener.before_backward()
    failed = _original[0](*args)
    if not failed:
        for listener in reversed(told):
            listener.after_backward(bool(read_number(args[RETAIN])))
    return failed


def read_number(argument: Any) -> int:
    """A number that is an argument, whether it is ctypes' or Python's."""
    return getattr(argument, "value", argument)
