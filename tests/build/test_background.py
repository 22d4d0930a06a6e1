"""A coroutine beside its caller: items, errors and interrupts."""

import asyncio
import os
import signal
import threading

import pytest

from d2l_support.build.background import run_in_background


def test_run_in_background_passes_items_on_in_order():
    async def work(put):
        for item in (1, None, 3):
            await asyncio.sleep(0)
            put(item)

    taken = []
    run_in_background(work, taken.append)
    assert taken == [1, None, 3]


def test_run_in_background_receives_in_the_callers_thread():
    async def work(put):
        put(threading.current_thread())

    pairs = []
    run_in_background(
        work, lambda item: pairs.append((item, threading.current_thread()))
    )
    ((worker, receiver),) = pairs
    assert receiver is threading.current_thread()
    assert worker is not receiver


def test_run_in_background_raises_what_the_work_raised():
    async def work(put):
        put("before")
        raise ValueError("no such thing")

    taken = []
    with pytest.raises(ValueError, match="no such thing"):
        run_in_background(work, taken.append)
    assert taken == ["before"]


async def work_until_cancelled(put, ended: list[str]) -> None:
    put("started")
    try:
        await asyncio.sleep(60)
    finally:
        await asyncio.sleep(0.1)
        ended.append("tidied up")


def test_run_in_background_cancels_the_work_when_the_receiver_raises():
    ended = []

    def refuse(item):
        raise OSError(f"cannot take {item!r}")

    with pytest.raises(OSError, match="cannot take 'started'"):
        run_in_background(lambda put: work_until_cancelled(put, ended), refuse)
    assert ended == ["tidied up"]


def test_run_in_background_interrupted_lets_the_work_tidy_up():
    ended = []

    def interrupt(item):
        threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()

    with pytest.raises(KeyboardInterrupt):
        run_in_background(lambda put: work_until_cancelled(put, ended), interrupt)
    assert ended == ["tidied up"]


def test_run_in_background_cancels_what_the_work_left_behind():
    ended = []

    async def work(put):
        left = asyncio.ensure_future(work_until_cancelled(put, ended))
        await asyncio.sleep(0.05)
        assert not left.done()

    run_in_background(work, ended.append)
    assert ended == ["started", "tidied up"]
