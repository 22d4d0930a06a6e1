"""The real book, built and served once, and a browser that cannot leave it."""

import gzip
import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from bs4 import BeautifulSoup, Tag
from filelock import FileLock
from jinja2 import ChoiceLoader, DictLoader, Environment, FileSystemLoader
from playwright.sync_api import Browser, BrowserContext, Page, Route, sync_playwright

from d2l_support.build.layout import Book
from d2l_support.build.pdf.browser import ARGUMENTS, BROWSERS
from d2l_support.build.render.theme import TEMPLATES
from d2l_support.build.web.bundle import make_bundle
from d2l_support.build.web.node import Node, find_node

ROOT = Path(__file__).parents[2]
FOREIGN = re.compile(r"^(?!http://127\.0\.0\.1:|file:|data:|blob:)")


@pytest.fixture(scope="session")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the tracked files as they stand in the working tree, bundled."""
    listed = subprocess.run(
        ["git", "ls-files", "-z"],  # noqa: S607 - whichever git the reader has
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    copy = tmp_path_factory.mktemp("checkout")
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, copy / name)
    bundle = make_bundle(Book(ROOT))
    shutil.copytree(bundle, copy / bundle.relative_to(ROOT))
    return copy


def build_command(checkout: Path, output: Path) -> list[str]:
    """The command that builds a checkout's book strictly into a folder."""
    tool = Path(sys.executable).parent / "jupyter-book"
    options = ["-W", "-n", "--keep-going", "--path-output", str(output)]
    return [str(tool), "build", *options, str(checkout)]


@pytest.fixture(scope="session")
def command() -> Callable[[Path, Path], list[str]]:
    """``build_command``, for tests that run it in their own way."""
    return build_command


@pytest.fixture(scope="session")
def built_book(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The HTML folder of the book, built without a warning."""
    output = tmp_path_factory.mktemp("book")
    done = subprocess.run(
        build_command(checkout, output), capture_output=True, text=True, check=False
    )
    if done.returncode:
        pytest.fail(f"found a book that does not build:\n{done.stdout}{done.stderr}")
    return output / "_build" / "html"


class QuietHandler(SimpleHTTPRequestHandler):
    """Serves files and says nothing."""

    def log_message(self, *args) -> None:
        """Drops the line that would go to stderr."""


class PackingHandler(QuietHandler):
    """Serves files packed by gzip, as a web server in the world does."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """Answers with a file of the book."""
        path = Path(self.translate_path(self.path))
        if not path.is_file():
            self.send_error(404)
            return
        packed = gzip.compress(path.read_bytes(), mtime=0)
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(path))
        self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(packed)))
        self.end_headers()
        self.wfile.write(packed)


@contextmanager
def serve(folder: Path, handler: type[QuietHandler]) -> Iterator[str]:
    """The address of a folder, served on a free port of this machine."""
    serving = partial(handler, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), serving) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.fixture(scope="session")
def served_book(built_book: Path) -> Iterator[str]:
    """The address of the book."""
    with serve(built_book, QuietHandler) as address:
        yield address


@pytest.fixture(scope="session")
def packed_book(built_book: Path) -> Iterator[str]:
    """The address of the book on a server that packs."""
    with serve(built_book, PackingHandler) as address:
        yield address


def find_browser() -> str:
    """The path of a Chromium; without one the test fails and says what to do."""
    found = (os.environ.get("CHROMIUM"), *map(shutil.which, BROWSERS))
    path = next(filter(None, found), None)
    if path is None:
        pytest.fail(
            f"found no browser among {', '.join(BROWSERS)}, expected one. "
            "Run: apt-get install chromium, or set CHROMIUM to the path of one"
        )
    return path


@pytest.fixture(name="find_browser", scope="session")
def give_find_browser() -> Callable[[], str]:
    """``find_browser`` itself, for its own test."""
    return find_browser


@pytest.fixture(scope="session")
def browser_arguments() -> tuple[str, ...]:
    """How a Chromium is started that stays on this machine."""
    return ARGUMENTS


# Not for the session: while it runs, no test can start an event loop.
@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A headless Chromium."""
    path = find_browser()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=[*ARGUMENTS])
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def node() -> Node:
    """The machine's Node.js, or the one of the wheel."""
    return find_node(Book(ROOT), lambda line: None)


@pytest.fixture(scope="session")
def page_tools(node: Node) -> Path:
    """The folder of the pinned tools that look at pages, installed if need be."""
    folder = ROOT / "tests" / "web"
    lock = (folder / "package-lock.json").read_text(encoding="utf-8")
    stamp = folder / "node_modules" / "installed-lock.json"
    with FileLock(folder / "node_modules.lock"):
        if not stamp.is_file() or stamp.read_text(encoding="utf-8") != lock:
            command = [*node.npm, "ci", "--ignore-scripts"]
            subprocess.run(command, cwd=folder, env=node.environment(), check=True)
            stamp.write_text(lock, encoding="utf-8")
    return stamp.parent


@dataclass
class Reader:
    """One reader's browser window: pages that share a memory, and their noise.

    Attributes:
        context: The window.
        home: Where the book is.
        foreign: Addresses that a page asked for outside this machine.
        noise: Warnings and errors of the pages' consoles.
    """

    context: BrowserContext
    home: str
    foreign: list[str] = field(default_factory=list)
    noise: list[str] = field(default_factory=list)

    def open(self, path: str, page: Page | None = None) -> Page:
        """A page of the book, such as ``index.html``, in a new tab or in one."""
        page = page or self.context.new_page()
        page.goto(f"{self.home}/{path}", wait_until="load")
        return page

    def _watch(self, page: Page) -> None:
        page.on("console", self._listen)
        page.on("pageerror", lambda error: self.noise.append(str(error)))

    def _listen(self, message) -> None:
        if message.type in ("error", "warning"):
            self.noise.append(message.text)

    def _refuse(self, route: Route) -> None:
        self.foreign.append(route.request.url)
        route.abort()

    def start(self) -> "Reader":
        """Begins to watch and to guard."""
        self.context.route(FOREIGN, self._refuse)
        self.context.on("page", self._watch)
        return self


@pytest.fixture
def open_window(browser: Browser, served_book: str) -> Iterator[Callable[..., Reader]]:
    """Makes windows of new readers; takes the options of ``new_context``."""
    with ExitStack() as stack:

        def open_one(home: str = served_book, **options) -> Reader:
            options.setdefault("viewport", {"width": 1300, "height": 900})
            context = browser.new_context(**options)
            stack.callback(context.close)
            return Reader(context, home).start()

        yield open_one


@pytest.fixture
def reader(open_window: Callable[..., Reader]) -> Reader:
    """A new reader at a wide screen."""
    return open_window()


@pytest.fixture
def render_header() -> Callable[..., list[Tag]]:
    """A function that gives the links of our page header, the theme's parts empty."""
    theirs = ("theme-switcher", "search-button", "toggle-secondary-sidebar")
    included = DictLoader({f"{name}.html": "" for name in theirs})
    loader = ChoiceLoader([included, FileSystemLoader(TEMPLATES)])
    environment = Environment(loader=loader, autoescape=True)
    template = environment.get_template("page-header.html")

    def render(**context) -> list[Tag]:
        return BeautifulSoup(template.render(**context), "html.parser").find_all("a")

    return render
