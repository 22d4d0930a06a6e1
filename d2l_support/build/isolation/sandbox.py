"""The sandbox: what a kernel in bubblewrap sees, and whether one works here.

It sees, read-only, the system's programs and libraries, its interpreter, the
framework's environment and the helpers that notebooks import; besides, a
``/tmp``, a home and shared memory of its own, of limited size, in memory. It
does not see the chapters, the tooling, any course or home, the network, nor
any other process.
"""

import functools
import json
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

from d2l_support.build.environments import KERNEL_VARIABLES, environment_python
from d2l_support.build.isolation.environment import build_variables
from d2l_support.build.layout import Book
from d2l_support.build.problems import CannotWork

SANDBOX, PROCESS, AUTO = "sandbox", "process", "auto"

TEMPORARY = 2**29
"""Bytes that a kernel may have in its ``/tmp``, and again in shared memory."""

PROBE_SECONDS = 20

SYSTEM = ("bin", "lib", "lib32", "lib64", "libx32", "sbin")
SETTINGS = ("alternatives", "fonts", "ld.so.cache", "localtime")
"""All that is shown of /etc: what loaders, font finders and clocks read."""

HARDWARE = ("cpu", "node")
"""What frameworks count cores by, below /sys/devices/system."""

READ_ONLY = {"JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "1000000"}
"""The shared compilation cache is read and never written: what one submission
compiled must not run in another one's kernel."""

ASK_PATHS = "import json, sys; print(json.dumps([sys.base_prefix, *sys.path]))"


def choose_isolation(wanted: str) -> str:
    """The way to run apart: ``sandbox`` or ``process``.

    Raises:
        CannotWork: It is not one of the three, or not possible here.
    """
    if wanted not in (SANDBOX, PROCESS, AUTO):
        known = f"{SANDBOX}, {PROCESS}, {AUTO}"
        raise CannotWork(f"found isolation {wanted!r}, expected one of {known}")
    if wanted == PROCESS:
        return PROCESS
    reason = explain_sandbox()
    if reason and wanted == SANDBOX:
        raise CannotWork(
            f"found no sandbox ({reason}), expected bubblewrap to work. Install it "
            "(apt-get install bubblewrap) and allow user namespaces; or run the "
            "command in a container that holds nothing else, with isolation "
            f"{PROCESS!r}"
        )
    return PROCESS if reason else SANDBOX


def explain_sandbox() -> str:
    """Why no sandbox works here, in a few words, or ""."""
    return _probe(shutil.which("bwrap"))


@functools.cache
def _probe(bwrap: str | None) -> str:
    """Runs a program in a sandbox, once for each bubblewrap."""
    if bwrap is None:
        return "bwrap is not on the path"
    command = [bwrap, *_build_system(), *_seal(), "--", "/bin/sh", "-c", "exit 0"]
    try:
        run = subprocess.run(
            command, capture_output=True, text=True, timeout=PROBE_SECONDS
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    if run.returncode:
        said = run.stderr.strip().splitlines() or ["no message"]
        return said[-1]
    return ""


def build_prefix(
    book: Book, framework: str, folder: Path, kept: Mapping[str, str]
) -> tuple[str, ...]:
    """The command that a kernel's own command is the last part of.

    Args:
        book: The checkout.
        framework: Whose kernel it is.
        folder: Where the kernel's sockets and its connection file are.
        kept: Variables of ours that it gets.
    """
    variables = {
        **kept,
        **build_variables("/tmp/home", "/tmp"),  # noqa: S108 - the sandbox's own
        **_adapt_variables(book, framework),
        "IPYTHONDIR": "/tmp/ipython",  # noqa: S108
    }
    words = [str(shutil.which("bwrap")), *_build_system()]
    for path in _find_paths(book, framework):
        words += ["--ro-bind", path, path]
    words += _show_helpers(book)
    if book.cache.is_dir() and "JAX_COMPILATION_CACHE_DIR" in variables:
        cache = variables["JAX_COMPILATION_CACHE_DIR"]
        Path(cache).mkdir(exist_ok=True)
        words += ["--ro-bind", cache, cache]
    words += ["--bind", str(folder), str(folder), "--clearenv"]
    for name, value in variables.items():
        words += ["--setenv", name, value]
    return (*words, *_seal(), "--")


def _build_system() -> Iterator[str]:
    """Namespaces, the read-only system and the folders in memory."""
    yield from ("--unshare-all", "--die-with-parent", "--new-session")
    yield from ("--cap-drop", "ALL", "--ro-bind", "/usr", "/usr")
    for name in SYSTEM:
        path = Path("/", name)
        if path.is_symlink():
            yield from ("--symlink", str(path.readlink()), str(path))
        elif path.is_dir():
            yield from ("--ro-bind", str(path), str(path))
    shown = [f"/etc/{name}" for name in SETTINGS]
    shown += [f"/sys/devices/system/{name}" for name in HARDWARE]
    for path in shown:
        yield from ("--ro-bind-try", path, path)
    yield from ("--proc", "/proc", "--dev", "/dev")
    for path in ("/dev/shm", "/tmp"):  # noqa: S108
        yield from ("--size", str(TEMPORARY), "--tmpfs", path)
    for path in ("/tmp/home", "/tmp/work"):  # noqa: S108
        yield from ("--dir", path)


def _seal() -> tuple[str, ...]:
    """The last options: nothing more can be mounted or written at the root."""
    return ("--remount-ro", "/dev", "--remount-ro", "/", "--chdir", "/tmp/work")  # noqa: S108


def _find_paths(book: Book, framework: str) -> list[str]:
    """The folders that the framework's interpreter loads from, outermost first.

    Raises:
        OSError, RuntimeError: The interpreter is gone or does not work.
    """
    python = environment_python(book, framework)
    command = [str(python), "-I", "-c", ASK_PATHS]
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode:
        raise RuntimeError(run.stderr.strip()[-200:] or "its interpreter fails")
    paths = {python.parent.parent, *map(Path, json.loads(run.stdout))}
    kept: list[Path] = []
    for path in sorted(paths - {book.root}):
        inside = any(path.is_relative_to(other) for other in (Path("/usr"), *kept))
        if path.is_dir() and not inside:
            kept.append(path)
    return [str(path) for path in kept]


def _show_helpers(book: Book) -> Iterator[str]:
    """The helpers without the tooling, which knows how answers are judged."""
    helpers = book.root / "d2l_support"
    yield from ("--ro-bind", str(helpers), str(helpers))
    tooling = str(helpers / "build")
    if Path(tooling).is_dir():
        yield from ("--tmpfs", tooling, "--remount-ro", tooling)


def _adapt_variables(book: Book, framework: str) -> dict[str, str]:
    """The kernelspec's variables, for a cache that can only be read."""
    variables = {
        name: READ_ONLY.get(name, value.format(cache=book.cache))
        for name, value in KERNEL_VARIABLES[framework].items()
    }
    if not book.cache.is_dir():
        variables.pop("JAX_COMPILATION_CACHE_DIR", None)
    return variables
