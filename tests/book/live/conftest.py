"""A real live server over the built book, with the checkout's own kernels."""

import re
import select
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from signal import SIGINT

import pytest
from playwright.sync_api import Locator, Page

ROOT = Path(__file__).parents[3]
PATIENCE = 180
"""Seconds after which a test gives up: four frameworks may start at once."""


@dataclass
class LiveServer:
    """A running server.

    Attributes:
        process: The command.
        home: Its address, such as ``http://127.0.0.1:8890``.
        token: What lets in.
    """

    process: subprocess.Popen
    home: str
    token: str

    def end(self) -> None:
        """Ends it and its kernels."""
        if self.process.poll() is None:
            self.process.send_signal(SIGINT)
            self.process.wait(PATIENCE)
        self.process.stdout.close()


@contextmanager
def serve(pages: Path) -> Iterator[LiveServer]:
    """A live server over a folder of built pages."""
    command = [sys.executable, "-P", "-m", "d2l_support.build.cli", "live"]
    process = subprocess.Popen(
        [*command, "--port=0", "--pages", str(pages)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    ready, _, _ = select.select([process.stdout], [], [], PATIENCE)
    line = process.stdout.readline() if ready else ""
    found = re.search(r"(http://\S+)/book/\?token=(\w+)", line.replace("\n", ""))
    if not found:
        process.kill()
        pytest.fail(f"found a server that does not start: {line}")
    server = LiveServer(process, found[1], found[2])
    try:
        yield server
    finally:
        server.end()


@pytest.fixture(scope="module")
def live_server(built_book: Path) -> Iterator[LiveServer]:
    """One server for the tests of a module; each uses a page of its own."""
    with serve(built_book) as server:
        yield server


@pytest.fixture
def own_server(built_book: Path) -> Iterator[LiveServer]:
    """A server that a test may end."""
    with serve(built_book) as server:
        yield server


@dataclass
class Cell:
    """One cell of an open page.

    Attributes:
        page: The page.
        root: Its element.
    """

    page: Page
    root: Locator

    def press(self, action: str) -> None:
        """Presses a button of its bar."""
        self.root.locator(f"[data-action={action}]").click()

    def write(self, source: str) -> None:
        """Puts other code into its editor."""
        self.press("edit")
        self.root.locator(".cm-focused").wait_for()
        self.page.keyboard.press("Control+a")
        self.page.keyboard.insert_text(source)

    def run(self, source: str | None = None) -> str:
        """Runs it, with other code if given; returns what it puts out."""
        if source is not None:
            self.write(source)
        self.press("run")
        self.wait()
        return self.root.locator(".live-output .jp-OutputArea").first.inner_text()

    def wait(self) -> str:
        """Waits for the end of a run; returns the verdict on it."""
        verdict = self.root.locator(".live-verdict:not(:empty)")
        verdict.wait_for(timeout=1000 * PATIENCE)
        return verdict.inner_text()

    def mark(self) -> str:
        """What its bar says of it."""
        return self.root.locator(".cell-mark").inner_text()


@dataclass
class LivePage:
    """A page of the live book.

    Attributes:
        page: The page.
        server: What serves it.
    """

    page: Page
    server: LiveServer

    def cell(self, step: str, framework: str) -> Cell:
        """The cell of a step in a framework; the page shows that framework."""
        chosen = f".book-cell[data-step='{step}'][data-framework={framework}]"
        return Cell(self.page, self.page.locator(chosen))

    def show(self, framework: str) -> None:
        """Chooses a framework for the page."""
        tabs = f".framework-tabs:visible > label[data-sync-id={framework}]"
        self.page.locator(tabs).first.click()

    def kernel(self, framework: str) -> Locator:
        """A framework's entry in the strip."""
        return self.page.locator(f".live-strip [data-framework={framework}]")

    def wait_for_phase(self, framework: str, phase: str) -> None:
        """Waits until a kernel is idle, busy, ..."""
        chosen = f".live-strip [data-framework={framework}][data-phase={phase}]"
        self.page.locator(chosen).wait_for(timeout=1000 * PATIENCE)

    def sessions(self) -> dict[str, str]:
        """The ids of the server's kernels, by session path."""
        answer = self.page.request.get(f"{self.server.home}/api/sessions").json()
        return {session["path"]: session["kernel"]["id"] for session in answer}


@pytest.fixture
def open_live(open_window) -> Callable[..., LivePage]:
    """Opens pages as a reader who has logged in."""

    def open_page(server: LiveServer, path: str, **options) -> LivePage:
        window = open_window(home=f"{server.home}/book", **options)
        page = window.open(f"?token={server.token}")
        window.open(path, page)
        page.set_default_timeout(1000 * PATIENCE)
        return LivePage(page, server)

    return open_page
