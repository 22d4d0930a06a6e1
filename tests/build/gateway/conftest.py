"""A real gateway on loopback: a Jupyter Server that serves kernels to others."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from d2l_support.build.gateway.address import Gateway

TOKEN = "let-me-in"  # noqa: S105 (of a server that lives as long as a test)


@dataclass
class Served:
    """A running gateway, and how to ask for it."""

    process: subprocess.Popen
    gateway: Gateway
    log: Path

    def end(self) -> None:
        """Ends the server as a crash would; its kernels live on, unheard."""
        self.process.kill()
        self.process.wait()


@contextmanager
def serve(jupyter: Path, folder: Path) -> Iterator[Served]:
    """A Jupyter Server that has the kernelspecs of a folder ``jupyter``."""
    runtime = folder / "runtime"
    runtime.mkdir(parents=True)
    (folder / "work").mkdir()
    variables = {
        **os.environ,
        "JUPYTER_TOKEN": TOKEN,
        "JUPYTER_PATH": str(jupyter),
        "JUPYTER_CONFIG_DIR": str(folder / "config"),
        "JUPYTER_DATA_DIR": str(folder / "data"),
        "JUPYTER_RUNTIME_DIR": str(runtime),
        "IPYTHONDIR": str(folder / "ipython"),
    }
    log = folder / "log"
    command = [sys.executable, "-m", "jupyter_server", "--no-browser", "--allow-root"]
    options = [
        "--ServerApp.ip=127.0.0.1",
        "--ServerApp.port=0",
        f"--ServerApp.root_dir={folder / 'work'}",
        "--KernelSpecManager.ensure_native_kernel=False",
        "--ServerApp.terminals_enabled=False",
    ]
    with log.open("wb") as written:
        process = subprocess.Popen(
            [*command, *options], env=variables, stdout=written, stderr=written
        )
    try:
        url = _find_address(process, runtime, log)
        yield Served(process, Gateway(url, "D2L_TOKEN", TOKEN), log)
    finally:
        process.terminate()
        process.wait()


def _find_address(process: subprocess.Popen, runtime: Path, log: Path) -> str:
    """What the server wrote of itself, once it listens."""
    note = runtime / f"jpserver-{process.pid}.json"
    while True:
        try:
            process.wait(timeout=0.1)
        except subprocess.TimeoutExpired:
            if note.exists() and (text := note.read_text()).rstrip().endswith("}"):
                return f"http://127.0.0.1:{json.loads(text)['port']}"
        else:
            raise AssertionError(log.read_text())


@pytest.fixture
def serve_kernels(tmp_path: Path) -> Iterator[Callable[[Path], Served]]:
    """A function that starts a gateway for a folder ``jupyter``."""
    with ExitStack() as stack:
        yield lambda jupyter: stack.enter_context(serve(jupyter, tmp_path / "gateway"))


@pytest.fixture
def served(plain_kernels, serve_kernels) -> Served:
    """A gateway with four kernels that have no framework."""
    return serve_kernels(plain_kernels.jupyter)
