"""A real live server on a free port, and a small client for its kernels."""

import json
import os
import re
import select
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from signal import SIGINT

import pytest
import requests
import websocket

from d2l_support.build.frameworks import ALL_KEYS
from d2l_support.build.layout import Book

MODULE = "d2l_support.build.cli"
PATIENCE = 120
"""Seconds after which a test gives up waiting for an event."""
LOOK = 5
"""Seconds between two looks at the clock while a kernel says nothing."""

PAGE = """\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>A page</title>
<script>document.documentElement.dataset.mode = "auto";</script>
<script src="_static/page.js?v=1"></script>
</head>
<body>
<p>The secret of the book</p>
<script>outputOfACell()</script>
</body>
</html>
"""


@dataclass
class LiveServer:
    """A running server.

    Attributes:
        process: The command.
        home: Its address, such as ``http://127.0.0.1:8890``.
        token: What lets in.
        book: The checkout that it serves.
    """

    process: subprocess.Popen
    home: str
    token: str
    book: Book

    def visit(self) -> requests.Session:
        """A browser that has logged in with the token."""
        visitor = requests.Session()
        # Of this machine's own settings, such as a proxy, nothing is wanted.
        visitor.trust_env = False
        visitor.get(f"{self.home}/book/?token={self.token}").raise_for_status()
        return visitor

    def post(self, visitor: requests.Session, place: str, **body) -> requests.Response:
        """What a page's script sends: the cookies, and the XSRF cookie's value."""
        headers = {"X-XSRFToken": visitor.cookies["_xsrf"], "Origin": self.home}
        return visitor.post(f"{self.home}{place}", json=body, headers=headers)

    def open_session(
        self,
        visitor: requests.Session,
        framework: str = "jax",
        page: str = "chapters/part/section",
    ) -> dict:
        """The session of a page and framework, found or made, as a page asks."""
        name = f"book/{page}.{framework}.ipynb"
        answer = self.post(
            visitor,
            "/api/sessions",
            path=name,
            name=name,
            type="notebook",
            kernel={"name": f"d2l-{framework}"},
        )
        assert answer.status_code == 201, answer.text
        return answer.json()

    def end(self, number: int = SIGINT) -> int:
        """Ends it by a signal; returns the exit code."""
        self.process.send_signal(number)
        return self.process.wait(PATIENCE)


@dataclass
class Channel:
    """A page's connection to a kernel.

    Attributes:
        socket: The WebSocket.
        messages: What came so far.
    """

    socket: websocket.WebSocket
    messages: list[dict] = field(default_factory=list)

    def send(self, code: str) -> str:
        """Asks the kernel to run code; returns the request's id."""
        content = {
            "code": code,
            "silent": False,
            "store_history": False,
            "user_expressions": {},
            "allow_stdin": False,
            "stop_on_error": True,
        }
        number = uuid.uuid4().hex
        header = {"msg_id": number, "msg_type": "execute_request", "version": "5.3"}
        header |= {"username": "", "session": uuid.uuid4().hex, "date": ""}
        message = {"header": header, "parent_header": {}, "metadata": {}}
        message |= {"content": content, "channel": "shell", "buffers": []}
        self.socket.send(json.dumps(message))
        return number

    def wait_for(self, kind: str, request: str | None = None, **content) -> dict:
        """The next message of a kind, such as ``stream``, that answers a request."""
        deadline = time.monotonic() + PATIENCE
        while True:
            message = self._receive(deadline)
            self.messages.append(message)
            said = message["content"]
            if (
                message["msg_type"] == kind
                and request in (None, message["parent_header"].get("msg_id"))
                and all(said.get(name) == value for name, value in content.items())
            ):
                return said

    def _receive(self, deadline: float) -> dict:
        """The next message; the server's signs of life do not count as one."""
        while time.monotonic() < deadline:
            with suppress(websocket.WebSocketTimeoutException):
                return json.loads(self.socket.recv())
        pytest.fail(f"found no such message in {PATIENCE} s")

    def run(self, code: str) -> str:
        """What the code prints."""
        request = self.send(code)
        reply = self.wait_for("execute_reply", request)
        assert reply["status"] == "ok", reply
        printed = self.wait_for_idle(request)
        return printed

    def wait_for_idle(self, request: str) -> str:
        """What a request printed, once the kernel is idle again."""
        self.is_idle(request) or self.wait_for(
            "status", request, execution_state="idle"
        )
        return "".join(
            message["content"]["text"]
            for message in self.messages
            if message["msg_type"] == "stream"
            and message["parent_header"].get("msg_id") == request
        )

    def is_idle(self, request: str) -> bool:
        """Whether the kernel has said that it is done with a request."""
        return any(
            message["msg_type"] == "status"
            and message["parent_header"].get("msg_id") == request
            and message["content"]["execution_state"] == "idle"
            for message in self.messages
        )


def build_pages(book: Book) -> Path:
    """A built book of two pages, a script and a hidden file."""
    pages = book.root / "_build" / "html"
    files = {
        "index.html": PAGE,
        "chapters/part/section.html": PAGE,
        "_static/page.js": "// a script\n" + "x = 1;\n" * 1000,
        ".hidden": "hidden",
    }
    for name, text in files.items():
        (pages / name).parent.mkdir(parents=True, exist_ok=True)
        (pages / name).write_text(text, encoding="utf-8")
    return pages


def read_line(process: subprocess.Popen) -> str:
    """The next line that a process prints; fails where none comes."""
    ready, _, _ = select.select([process.stdout], [], [], PATIENCE)
    line = process.stdout.readline() if ready else ""
    if not line:
        process.kill()
        pytest.fail(f"found a server that does not start:\n{process.stderr.read()}")
    return line


@contextmanager
def serve(book: Book, *options: str, **variables: str) -> Iterator[LiveServer]:
    """A server of a checkout, with options of the command; ended with the block."""
    build_pages(book)
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", MODULE, "live", "--port=0", *options],
        cwd=book.root,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "COLUMNS": "200", **variables},
    )
    try:
        found = re.search(r"(http://\S+)/book/\?token=(\w+)", read_line(process))
        yield LiveServer(process, found[1], found[2], book)
    finally:
        if process.poll() is None:
            process.send_signal(SIGINT)
            process.wait(PATIENCE)
        process.stdout.close()
        process.stderr.close()


@pytest.fixture
def start_server() -> Iterator[Callable[..., LiveServer]]:
    """``serve``, for servers that end with the test."""
    with ExitStack() as stack:
        yield lambda *given, **named: stack.enter_context(serve(*given, **named))


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    """A server of a book with no section and no environments; tests share it."""
    book = Book(tmp_path_factory.mktemp("shared"))
    (book.root / "_toc.yml").write_text("format: jb-book\nroot: index\n")
    for key in ALL_KEYS:
        book.requirements(key).parent.mkdir(exist_ok=True)
        book.requirements(key).write_text("numpy==2.4.6\n")
    with serve(book) as running:
        yield running


@pytest.fixture
def visitor(server: LiveServer) -> requests.Session:
    """A browser that has logged in to it."""
    return server.visit()


@pytest.fixture
def connect() -> Iterator[Callable[..., Channel]]:
    """A function that connects to a session's kernel."""
    with ExitStack() as stack:

        def open_channel(server: LiveServer, visitor, session: dict) -> Channel:
            kernel = session["kernel"]["id"]
            socket = websocket.create_connection(
                f"ws{server.home.removeprefix('http')}/api/kernels/{kernel}/channels",
                origin=server.home,
                cookie="; ".join(f"{c.name}={c.value}" for c in visitor.cookies),
                timeout=LOOK,
            )
            stack.callback(socket.close)
            return Channel(socket)

        yield open_channel
