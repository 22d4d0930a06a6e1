"""Runs a coroutine in a thread of its own while the caller takes its items.

The caller's thread stays free for signals: an interrupt there cancels the
coroutine, lets it tidy up to its end, and only then goes on.
"""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from contextlib import suppress
from queue import SimpleQueue
from typing import Any

_END = object()


def run_in_background(
    work: Callable[[Callable[[Any], None]], Coroutine[Any, Any, None]],
    receive: Callable[[Any], None],
) -> None:
    """Runs a coroutine to its end; passes on each item as it comes.

    Args:
        work: Makes the coroutine; is given the function that puts out an item.
        receive: Called in this thread with each item.

    Raises:
        BaseException: What ``work`` or ``receive`` raised, or the interrupt
            that came meanwhile, after the coroutine has ended.
    """
    items: SimpleQueue = SimpleQueue()
    loop = asyncio.new_event_loop()
    task = loop.create_task(work(items.put))
    thread = threading.Thread(target=_run_to_end, args=(loop, task, items))
    try:
        thread.start()
        while (item := items.get()) is not _END:
            receive(item)
    except BaseException:
        loop.call_soon_threadsafe(task.cancel)
        raise
    finally:
        _wait_for(thread)
        loop.close()
    task.result()


def _run_to_end(
    loop: asyncio.AbstractEventLoop, task: asyncio.Task, items: SimpleQueue
) -> None:
    try:
        loop.run_until_complete(asyncio.wait([task]))
        loop.run_until_complete(_cancel_rest())
    finally:
        items.put(_END)


async def _cancel_rest() -> None:
    """Ends what the task left behind, such as nbclient's pollers."""
    rest = asyncio.all_tasks() - {asyncio.current_task()}
    for task in rest:
        task.cancel()
    await asyncio.gather(*rest, return_exceptions=True)


def _wait_for(thread: threading.Thread) -> None:
    """Waits for the thread's end; a second interrupt does not cut it short."""
    while thread.is_alive():
        with suppress(KeyboardInterrupt):
            thread.join(timeout=0.2)
