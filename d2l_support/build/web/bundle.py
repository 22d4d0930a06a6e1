"""Makes the bundle of ``web/``, once for each state of its sources.

It stands in ``.cache/web/<digest>``. What esbuild writes does not depend on the
Node.js that starts it, so the digest is of the sources and the lock file alone,
and a book whose bundle is there needs neither Node.js nor a network.
"""

import hashlib
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

from filelock import FileLock

from d2l_support.build.layout import Book
from d2l_support.build.problems import CannotWork
from d2l_support.build.web.node import Node, find_node

FILES = ("build.mjs", "package.json", "package-lock.json")
"""What counts beside the sources in ``web/src``."""

STAMP = "lock-digest"
"""In ``node_modules``: the digest of the lock file that it was installed from."""


def bundle_folder(book: Book) -> Path:
    """Where the bundle of today's sources stands, or will stand."""
    return book.cache / "web" / digest_sources(book)


def digest_sources(book: Book) -> str:
    """A short digest of everything that the bundle is made from."""
    web = book.root / "web"
    files = [web / name for name in FILES]
    files += (path for path in (web / "src").rglob("*") if path.is_file())
    digest = hashlib.sha256()
    for path in sorted(files):
        digest.update(f"{path.relative_to(web).as_posix()}\0".encode())
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:16]


def make_bundle(book: Book, report: Callable[[str], None] = lambda line: None) -> Path:
    """The folder of the bundle; made if it is not there.

    Args:
        book: The checkout.
        report: Called with a line for each step.

    Raises:
        CannotWork: Node.js, a package or the disk does not serve.
    """
    folder = bundle_folder(book)
    if folder.is_dir():
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(book.cache / "web.lock"):
        if not folder.is_dir():  # another process may have made it meanwhile
            node = find_node(book, report)
            _install_packages(book, node, report)
            _bundle(book, node, folder, report)
    return folder


def _install_packages(book: Book, node: Node, report: Callable[[str], None]) -> None:
    web = book.root / "web"
    lock = hashlib.sha256((web / "package-lock.json").read_bytes()).hexdigest()
    stamp = web / "node_modules" / STAMP
    if stamp.is_file() and stamp.read_text() == lock:
        return
    report("installing the packages of web/package-lock.json")
    _run(node, [*node.npm, "ci"], web, "check the network, then run it again")
    stamp.write_text(lock)


def _bundle(
    book: Book, node: Node, folder: Path, report: Callable[[str], None]
) -> None:
    report("bundling")
    partial = folder.with_name(f".partial-{folder.name}")
    shutil.rmtree(partial, ignore_errors=True)
    command = [str(node.program), "build.mjs", str(partial)]
    _run(node, command, book.root / "web", "mend the sources, then run it again")
    partial.replace(folder)


def _run(node: Node, command: list[str], place: Path, advice: str) -> None:
    """Runs a command with this Node.js before any other on the path."""
    done = subprocess.run(
        command,
        cwd=place,
        env=node.environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        said = (done.stderr or done.stdout).strip()
        name = " ".join(Path(part).name for part in command[:2])
        raise CannotWork(
            f"web: found that `{name}` failed, expected the bundle; {advice}\n{said}"
        )
