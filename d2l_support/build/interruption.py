"""Lets a command that is told to end tidy up first, as after Ctrl-C."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager

SIGNALS = (signal.SIGTERM, signal.SIGHUP)


class Terminated(KeyboardInterrupt):
    """A signal that asks this process to end.

    Attributes:
        number: The signal's number.
    """

    def __init__(self, number: int):
        self.number = number
        super().__init__(signal.Signals(number).name)


@contextmanager
def raise_terminations() -> Iterator[None]:
    """Raises ``Terminated`` here when such a signal comes in the block.

    A signal that was ignored before, as under nohup, stays ignored.
    State touched: the process's signal handlers, set back at the end.
    """

    def handle(number: int, frame: object) -> None:
        raise Terminated(number)

    heeded = [n for n in SIGNALS if signal.getsignal(n) is not signal.SIG_IGN]
    former = {number: signal.signal(number, handle) for number in heeded}
    try:
        yield
    finally:
        for number, handler in former.items():
            signal.signal(number, handler)
