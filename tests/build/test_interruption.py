"""Signals that end a command, as exceptions."""

import os
import signal

import pytest

from d2l_support.build.interruption import Terminated, raise_terminations


def send_to_this_process(number: int) -> None:
    with raise_terminations():
        os.kill(os.getpid(), number)
        signal.pause()


@pytest.fixture(params=[signal.SIGTERM, signal.SIGHUP])
def number(request):
    """A signal that is not ignored, as it is in a process under ``nohup``."""
    former = signal.signal(request.param, signal.SIG_DFL)
    yield request.param
    signal.signal(request.param, former)


def test_raise_terminations_raises_here(number):
    with pytest.raises(Terminated, match=number.name) as caught:
        send_to_this_process(number)
    assert caught.value.number == number
    assert signal.getsignal(number) is signal.SIG_DFL


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
