"""The book builds without a network."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

# What Python imports first where a process cannot be cut off from the network.
BLOCK = """
import socket

def refuse(*arguments, **options):
    raise OSError("the network is blocked for this test")

for name in ("connect", "connect_ex", "sendto"):
    setattr(socket.socket, name, refuse)
socket.getaddrinfo = refuse
"""
CONNECT = """
import socket, sys
try:
    socket.create_connection((sys.argv[1], int(sys.argv[2])), timeout=5)
except OSError as error:
    sys.exit(f"refused: {error}")
print("connected")
"""


def run(command: list[str], **options) -> subprocess.CompletedProcess:
    """Runs a command and keeps what it says."""
    return subprocess.run(
        command, capture_output=True, text=True, check=False, **options
    )


def can_unshare() -> bool:
    """Whether this user may start a process without any network."""
    tool = shutil.which("unshare")
    return bool(tool) and run([tool, "-rn", "true"]).returncode == 0


def run_unshared(command: list[str], folder: Path) -> subprocess.CompletedProcess:
    """Runs a command in a process that has no network at all."""
    return run(["unshare", "-rn", *command])


def run_blocked(command: list[str], folder: Path) -> subprocess.CompletedProcess:
    """Runs a Python command whose sockets refuse; a folder to put that into."""
    (folder / "sitecustomize.py").write_text(BLOCK, encoding="utf-8")
    return run(command, env=os.environ | {"PYTHONPATH": str(folder)})


WAYS = [run_unshared, run_blocked] if can_unshare() else [run_blocked]


@pytest.fixture
def connect(served_book: str) -> list[str]:
    """A command that connects to a server which listens on this machine."""
    host, _, port = served_book.removeprefix("http://").partition(":")
    return [sys.executable, "-c", CONNECT, host, port]


def test_connection_succeeds_where_nothing_blocks(connect):
    assert run(connect).stdout == "connected\n"


@pytest.mark.parametrize("run_offline", WAYS)
def test_connection_fails_offline(run_offline, connect, tmp_path):
    done = run_offline(connect, tmp_path)
    assert done.returncode == 1
    assert done.stderr.startswith("refused: ")


def test_book_builds_offline_as_it_does_online(checkout, command, tmp_path, built_book):
    output = tmp_path / "book"
    done = WAYS[0](command(checkout, output), tmp_path)
    assert done.returncode == 0, done.stderr
    for name in ("index.html", "chapters/reproducibility/seeds.html"):
        page = (output / "_build" / "html" / name).read_bytes()
        assert page == (built_book / name).read_bytes()
