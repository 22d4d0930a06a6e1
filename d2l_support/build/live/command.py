"""The command ``d2l-support live``."""

import argparse
import tempfile
import webbrowser
from argparse import ArgumentParser, Namespace
from pathlib import Path

from rich.console import Console

from d2l_support.build.layout import Book
from d2l_support.build.printing import print_plain
from d2l_support.build.problems import CannotWork

LOOPBACK = "127.0.0.1"
PORT = 8890
RETRIES = 50

EXPOSED = """\
d2l-support: this server listens on {address}, not only on this machine.
Whoever can reach it and has the address below can run any code here as you.
The connection is not encrypted: on the way, both can be read.
Safer: leave out --address, and reach it by ssh -L {port}:127.0.0.1:{port} THIS-MACHINE
"""

EXAMPLES = """examples:
  d2l-support live                      serve the book, print its address
  d2l-support live --open               the same, and open it in the browser
  d2l-support live --port 9000          on this port and no other
  d2l-support live --kernel-idle 10     end kernels that are idle for 10 minutes
  d2l-support live --kernel-idle 0      never end an idle kernel
  d2l-support live --address 0.0.0.0    for other machines too: read the warning

Ctrl-C ends the server and its kernels.
"""


def add_options(parser: ArgumentParser) -> None:
    """Adds the options of the command to its parser."""
    parser.epilog = EXAMPLES
    parser.add_argument(
        "--port",
        type=int,
        help=f"the port; 0 for any free one (default: {PORT}, or the next free one)",
    )
    parser.add_argument(
        "--address",
        default=LOOPBACK,
        help="listen here instead of on this machine alone; says what that means",
    )
    parser.add_argument("--open", action="store_true", help="open it in the browser")
    parser.add_argument(
        "--kernel-idle",
        type=_minutes,
        default=60,
        metavar="MINUTES",
        help="end a kernel that ran nothing for so long; 0: never (default: 60)",
    )
    parser.add_argument(
        "--server-idle",
        type=_minutes,
        default=720,
        metavar="MINUTES",
        help="end the server when it has no kernel and nobody asked it for "
        "anything for so long; 0: never (default: 720)",
    )


def _minutes(text: str) -> float:
    try:
        minutes = float(text)
    except ValueError:
        minutes = -1
    if not 0 <= minutes < 1e6:
        raise argparse.ArgumentTypeError(f"found {text!r}, expected minutes")
    return minutes


def find_pages(book: Book) -> Path:
    """The folder of the built book.

    Raises:
        CannotWork: The book is not built.
    """
    pages = book.root / "_build" / "html"
    if not (pages / "index.html").is_file():
        raise CannotWork("found no built book in _build/html. Run: make live")
    return pages


def run_live(arguments: Namespace, book: Book, console: Console) -> int:
    """Serves the built book with kernels behind its cells, until Ctrl-C."""
    pages = find_pages(book)
    with tempfile.TemporaryDirectory(prefix="d2l-live-") as name:
        server = _make_server(arguments, book, pages, Path(name))
        server.io_loop.add_callback(_announce, server, arguments, console)
        server.start()
    return 0


def _make_server(arguments: Namespace, book: Book, pages: Path, runtime: Path):
    try:
        from d2l_support.build.live.application import LiveBook
        from d2l_support.build.live.configure import Wishes, configure
    except ModuleNotFoundError as error:
        raise CannotWork(
            f"found no {error.name}, expected it. Run: make live"
        ) from None
    usual = arguments.port is None
    wishes = Wishes(
        arguments.address,
        PORT if usual else arguments.port,
        RETRIES if usual else 0,
        60 * arguments.kernel_idle,
        60 * arguments.server_idle,
    )
    folders = {f"{use}_dir": str(runtime) for use in ("config", "data", "runtime")}
    config = configure(book, pages, runtime, wishes)
    try:
        return LiveBook.initialize_server(argv=[], config=config, **folders)
    except OSError as error:
        raise _unusable(arguments, error.strerror) from error
    except SystemExit:
        raise _unusable(arguments, "it is taken") from None


def _unusable(arguments: Namespace, reason: str) -> CannotWork:
    place = f"{arguments.address}:{arguments.port or PORT}"
    return CannotWork(
        f"found that {place} cannot be used ({reason}). Run: d2l-support live --port 0"
    )


def _announce(server, arguments: Namespace, console: Console) -> None:
    if arguments.address not in (LOOPBACK, "::1", "localhost"):
        text = EXPOSED.format(address=arguments.address, port=server.port)
        print_plain(Console(stderr=True), text)
    address = f"{server.connection_url}book/?token={server.identity_provider.token}"
    print_plain(console, f"The live book: {address}")
    print_plain(console, "Ctrl-C ends it and its kernels.")
    if arguments.open:
        _open(address, Path(server.runtime_dir))


def _open(address: str, runtime: Path) -> None:
    """Opens the address by way of a file: others may see a command's words."""
    file = runtime / "open.html"
    refresh = f'<meta http-equiv="refresh" content="0; url={address}">'
    file.write_text(f"<!doctype html><title>The live book</title>{refresh}")
    webbrowser.open(file.as_uri())
