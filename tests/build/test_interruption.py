"""Signals that end a command, as exceptions."""

import os
import signal

import pytest

from d2l_support.build.interruption import Terminated, raise_terminations


def send_to_this_process(number: int) -> None:
    with raise_terminations():
        os.kill(os.getpid(), number)
        signal.pause()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_raise_terminations_raises_here(number):
    former = signal.getsignal(number)
    with pytest.raises(Terminated, match=number.name) as caught:
        send_to_this_process(number)
    assert caught.value.number == number
    assert signal.getsignal(number) is former


def test_raise_terminations_leaves_ignored_signals_ignored():
    former = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with raise_terminations():
            os.kill(os.getpid(), signal.SIGHUP)
            assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, former)


def test_terminated_is_an_interrupt():
    assert issubclass(Terminated, KeyboardInterrupt)
