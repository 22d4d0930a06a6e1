"""What holds for every test: signals end what they should end."""

import signal

import pytest

USUAL = {signal.SIGINT: signal.default_int_handler, signal.SIGHUP: signal.SIG_DFL}


@pytest.fixture(scope="session", autouse=True)
def _signals_end():
    """Takes back what a background job or ``nohup`` ignores, and hands down."""
    ignored = [one for one in USUAL if signal.getsignal(one) is signal.SIG_IGN]
    for one in ignored:
        signal.signal(one, USUAL[one])
    yield
    for one in ignored:
        signal.signal(one, signal.SIG_IGN)
