"""Makes environments on first use, one after another, and tells how it goes.

The work is done by a process of its own (``make``), so the server goes on
serving, and ending the server ends it.
"""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from d2l_support.build.environments import environment_folder, is_complete
from d2l_support.build.frameworks import FRAMEWORKS
from d2l_support.build.layout import Book

READY, ABSENT, CREATING, FAILED = "ready", "absent", "creating", "failed"

LONGEST_LINE = 2**20
"""Bytes of a line that pip may print."""

# -P: the folder that the command runs in must not be imported from.
MAKE = (sys.executable, "-P", "-m", "d2l_support.build.live.make")


@dataclass
class Creation:
    """One making of an environment.

    Attributes:
        state: ``creating``, then ``ready`` or ``failed``.
        lines: What pip printed; the last is the reason of a failure.
        changed: Set, and replaced, whenever the above change.
        task: What does the work.
    """

    state: str = CREATING
    lines: list[str] = field(default_factory=list)
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    task: asyncio.Task | None = None

    def tell(self, line: str, state: str = CREATING) -> None:
        """Adds a line, and wakes whoever waits for one."""
        self.lines.append(line)
        self.state = state
        self.changed.set()
        self.changed = asyncio.Event()


class EnvironmentMaker:
    """The environments of a checkout, and those that are being made.

    Args:
        book: The checkout.
        command: What makes an environment, given the framework key as its last
            word: prints progress, or on stderr the reason of its failure.
    """

    def __init__(self, book: Book, command: Sequence[str] = ()):
        self.book = book
        self.command = [*(command or (*MAKE, str(book.root)))]
        self.creations: dict[str, Creation] = {}
        self._turn = asyncio.Lock()

    def describe(self) -> dict[str, dict[str, str]]:
        """The state of each environment and, in a few words, the detail."""
        return {key: self._describe(key) for key in FRAMEWORKS}

    def _describe(self, framework: str) -> dict[str, str]:
        creation = self.creations.get(framework)
        if creation and creation.state in (CREATING, FAILED):
            return {"state": creation.state, "detail": creation.lines[-1]}
        if is_complete(self.book, framework):
            return {"state": READY, "detail": ""}
        made = environment_folder(self.book, framework).exists()
        detail = "made from other pins or elsewhere" if made else "not made yet"
        return {"state": ABSENT, "detail": detail}

    def begin(self, framework: str) -> None:
        """Begins to make an environment, unless that has begun already."""
        creation = self.creations.get(framework)
        if creation and creation.state == CREATING:
            return
        creation = self.creations[framework] = Creation()
        busy = self._turn.locked()
        creation.tell("waits for another environment" if busy else "begins")
        creation.task = asyncio.create_task(self._make(framework, creation))

    async def follow(self, framework: str) -> AsyncIterator[tuple[str, str]]:
        """Each state and line of an environment's making, from its beginning."""
        creation = self.creations.get(framework)
        if creation is None:
            now = self._describe(framework)
            yield now["state"], now["detail"]
            return
        told = 0
        while True:
            changed, lines, state = creation.changed, creation.lines, creation.state
            for number in range(told, len(lines)):
                last = number == len(lines) - 1
                yield (state if last else CREATING), lines[number]
            told = len(lines)
            if state != CREATING and told == len(creation.lines):
                return
            if changed is creation.changed:
                await changed.wait()

    async def _make(self, framework: str, creation: Creation) -> None:
        try:
            async with self._turn:
                code, reason = await self._run(framework, creation)
        except asyncio.CancelledError:
            creation.tell("the server ended meanwhile", FAILED)
            raise
        except OSError as error:
            code, reason = 2, f"the command does not start ({error.strerror})"
        if code == 0:
            creation.tell("", READY)
        else:
            creation.tell(reason or f"ended with exit code {code}", FAILED)

    async def _run(self, framework: str, creation: Creation) -> tuple[int, str]:
        """The exit code of the command, and what it said on stderr."""
        process = await asyncio.create_subprocess_exec(
            *self.command,
            framework,
            cwd=self.book.root,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            limit=LONGEST_LINE,
            # A Ctrl-C in the terminal is for the server, which then ends this.
            start_new_session=True,
        )
        try:
            said = asyncio.create_task(process.stderr.read())
            async for line in process.stdout:
                if text := line.decode(errors="replace").strip():
                    creation.tell(text)
            return await process.wait(), (await said).decode(errors="replace").strip()
        finally:
            if process.returncode is None:
                await _end(process)

    async def stop(self) -> None:
        """Ends what is being made; returns when its process is gone."""
        tasks = [c.task for c in self.creations.values() if c.task]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _end(process: asyncio.subprocess.Process, seconds: float = 5) -> None:
    """Ends a process: asked first, so that it ends pip; then with all its own."""
    with suppress(ProcessLookupError):
        process.terminate()
    try:
        await asyncio.wait_for(process.wait(), seconds)
    except TimeoutError:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()
