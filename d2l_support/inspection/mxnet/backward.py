"""Being told of every backward pass, for which MXNet has no hook.

`loss.backward()`, `autograd.backward` and `autograd.grad` all end in one
function of MXNet's library. While somebody listens, a wrapper stands in its
place; when nobody does any more, the function itself is back.
"""

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


_listeners: list[Listener] = []
_original: list[Any] = []


def listen(listener: Listener) -> None:
    """Tells the listener of every backward pass from here on."""
    if not _listeners:
        _original.append(getattr(_LIB, NAME))
        setattr(_LIB, NAME, run_backward)
    _listeners.append(listener)


def unlisten(listener: Listener) -> None:
    """Tells it no more, however often this is called."""
    if listener in _listeners:
        _listeners.remove(listener)
        if not _listeners:
            setattr(_LIB, NAME, _original.pop())


def is_listening() -> bool:
    """Whether the wrapper is in place."""
    return bool(_listeners)


def run_backward(*args: Any) -> int:
    """The function's own work, and word of it.

    With variables of its own, as in `autograd.grad`, a backward pass returns
    its gradients and writes none into marked arrays: then nobody is told.
    """
    into_marked = getattr(args[VARIABLES], "value", args[VARIABLES]) == 0
    told = list(_listeners) if into_marked else []
    for listener in told:
        listener.before_backward()
    failed = _original[0](*args)
    if not failed:
        for listener in reversed(told):
            listener.after_backward(bool(getattr(args[RETAIN], "value", args[RETAIN])))
    return failed
