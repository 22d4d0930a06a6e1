"""Runs a notebook's cells one after another, each within its time."""

import asyncio
import signal
import time
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import nbformat
from jupyter_client.asynchronous import AsyncKernelClient
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from nbformat import NotebookNode

from d2l_support.build.isolation.attestation import Question
from d2l_support.build.isolation.faults import (
    CELL_TIMEOUT,
    CUT_OFF,
    INVALID,
    INVALID_OUTPUT,
    NOT_ATTESTED,
    UNATTESTED,
    build_error,
    clean_cell,
    has_error,
    mark_rest,
)
from d2l_support.build.isolation.outcome import DIED, TIMEOUT, WHOLE, Limits
from d2l_support.build.isolation.processes import find_descendants, send_signal

GRACE = 3
"""Seconds that an interrupted cell has to end."""


class QuestioningClient(AsyncKernelClient):
    """Sends a question along with every cell."""

    question: Question | None = None

    def execute(self, code: str, *args: Any, **options: Any) -> Any:
        """Asks the kernel to run code; see ``AsyncKernelClient``."""
        if self.question is not None:
            options["user_expressions"] = self.question.to_expressions()
        return super().execute(code, *args, **options)


class OutputClient(NotebookClient):
    """Collects outputs; leaves widgets alone, which no grader needs."""

    def handle_comm_msg(self, outs: list, msg: dict, cell_index: int) -> None:
        """Drops a widget's message."""

    def output(self, outs: list, *args: Any, **options: Any) -> Any:
        """Keeps an output, or an error output in the place of what is none."""
        try:
            return super().output(outs, *args, **options)
        except (LookupError, TypeError, ValueError, nbformat.ValidationError):
            outs.append(build_error(INVALID_OUTPUT, INVALID))


@dataclass
class Run:
    """A notebook on its way through a kernel.

    Attributes:
        notebook: The notebook; its outputs are written in place.
        manager: The kernel's manager.
        client: The kernel's client.
        limits: What the run may use.
        cut: Set to an ending and its sentence when the run must stop.
        outer: Pids that no interrupt may reach: the sandbox's own process.
        completed: Ids of the cells whose end is attested.
        late: What was said of the first cell that had to be interrupted.
    """

    notebook: NotebookNode
    manager: AsyncKernelManager
    client: QuestioningClient
    limits: Limits
    cut: asyncio.Future
    outer: Collection[int] = ()
    completed: list[str] = field(default_factory=list)
    late: str = ""

    async def run_cells(self) -> tuple[str, str]:
        """Runs every cell until the run is cut; the ending and its sentence."""
        self.deadline = time.monotonic() + self.limits.seconds
        self.runner = OutputClient(
            self.notebook,
            km=self.manager,
            timeout=None,
            allow_errors=True,
            record_timing=False,
            on_cell_executed=self._take_reply,
        )
        self.runner.kc = self.client
        for index, cell in enumerate(self.notebook.cells):
            if cell.cell_type != "code":
                continue
            await self._run_cell(index, cell)
            if self.cut.done():
                ending, detail = self.cut.result()
                mark_rest(self.notebook.cells[index + 1 :], detail)
                return ending, f"{detail}, in cell {cell.id!r}"
        return (TIMEOUT, self.late) if self.late else (WHOLE, "")

    def _take_reply(self, cell: NotebookNode, cell_index: int, execute_reply) -> None:
        self.reply = execute_reply

    async def _run_cell(self, index: int, cell: NotebookNode) -> None:
        cell.outputs, cell.execution_count, self.reply = [], None, None
        if not cell.source.strip():
            self.completed.append(cell.id)
            return
        question = self.client.question = Question(cell.source)
        task = asyncio.ensure_future(self.runner.async_execute_cell(cell, index))
        reason = await self._wait(task, cell)
        if not task.done():
            task.cancel()
        with suppress(asyncio.CancelledError, Exception):
            await task
        clean_cell(cell)
        if self.cut.done():
            cell.outputs.append(build_error(CUT_OFF, self.cut.result()[1]))
        elif reason:
            cell.outputs.append(build_error(CELL_TIMEOUT, reason))
        elif question.is_answered(self.reply and self.reply["content"]):
            self.completed.append(cell.id)
        elif not has_error(cell):
            cell.outputs.append(build_error(*self._explain_reply()))

    async def _wait(self, task: asyncio.Future, cell: NotebookNode) -> str:
        """Waits for a cell's end; why it had to be interrupted, or ""."""
        left = self.deadline - time.monotonic()
        allowed = min(self.limits.cell_seconds, left)
        await self._wait_within(task, allowed)
        if self.cut.done():
            return ""
        if task.done():
            if error := task.exception():
                found = f"{type(error).__name__}: {error}"[:200]
                self._stop(DIED, f"found what is no message of a kernel ({found})")
            return ""
        if allowed == left:
            found = f"found no end of the notebook after {self.limits.seconds:g} s"
            self._stop(TIMEOUT, found)
            return ""
        reason = f"found no end after {self.limits.cell_seconds:g} s"
        self._interrupt()
        await self._wait_within(task, GRACE)
        if not task.done():
            self._stop(TIMEOUT, f"{reason}, nor {GRACE} s after an interrupt")
        self.late = self.late or f"{reason}, in cell {cell.id!r}"
        return reason

    async def _wait_within(self, task: asyncio.Future, seconds: float) -> None:
        first = asyncio.FIRST_COMPLETED
        await asyncio.wait({task, self.cut}, timeout=seconds, return_when=first)

    def _interrupt(self) -> None:
        """Sends SIGINT to the kernel and what it started, as a terminal would."""
        inner = [each for each in find_descendants() if each.pid not in self.outer]
        send_signal(inner, signal.SIGINT)

    def _stop(self, ending: str, detail: str) -> None:
        if not self.cut.done():
            self.cut.set_result((ending, detail))

    def _explain_reply(self) -> tuple[str, str]:
        """The error that the reply tells of, though no output showed it."""
        content = (self.reply or {}).get("content")
        if isinstance(content, dict) and content.get("status") == "error":
            return str(content.get("ename")), str(content.get("evalue"))
        return NOT_ATTESTED, UNATTESTED
