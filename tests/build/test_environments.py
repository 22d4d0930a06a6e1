"""Environments made by real venv and pip, offline, and what may stand in the way."""

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
import zipfile
from collections import namedtuple
from pathlib import Path

import pytest

from d2l_support.build import environments
from d2l_support.build.environments import (
    STAMP,
    build_kernelspec,
    create_environment,
    environment_folder,
    environment_python,
    explain_pip,
    find_python,
    is_complete,
    is_installed,
    kernelspec_folder,
    link_environment,
)
from d2l_support.build.problems import CannotWork

NO_NETWORK = (
    "jax: pip could not reach the package registry; "
    "check the network or PIP_INDEX_URL, then run it again"
)


def write_wheel(folder: Path, name: str, version: str) -> None:
    """A wheel with one empty module, written by hand."""
    folder.mkdir(exist_ok=True)
    info = f"{name}-{version}.dist-info"
    files = {
        f"{name}.py": "",
        f"{info}/METADATA": "Metadata-Version: 2.1\n"
        f"Name: {name}\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: hand\n"
        "Root-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/RECORD": "",
    }
    path = folder / f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        for member, text in files.items():
            wheel.writestr(member, text)


@pytest.fixture
def offline_pip(monkeypatch) -> None:
    """Pip with no settings of this machine and a registry that nobody serves."""
    for name in [name for name in os.environ if name.startswith("PIP_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("PIP_RETRIES", "0")


@pytest.fixture
def book_with_wheel(tiny_book, monkeypatch, tmp_path, offline_pip):
    """A checkout whose jax environment needs one package, ready on the disk."""
    monkeypatch.delenv("D2L_ENVIRONMENTS", raising=False)
    tiny_book.requirements("jax").write_text("ipykernel==0.1\n")
    write_wheel(tmp_path / "wheels", "ipykernel", "0.1")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "wheels"))
    return tiny_book


def test_create_environment_makes_a_half_made_one_anew(book_with_wheel):
    folder = environment_folder(book_with_wheel, "jax")
    (folder / "lib" / "left-over").mkdir(parents=True)
    lines = []
    create_environment(book_with_wheel, "jax", lines.append)
    assert not (folder / "lib" / "left-over").exists()
    assert is_complete(book_with_wheel, "jax")
    assert lines[:2] == ["removing the old environment", "making a virtual environment"]
    assert lines[-1] == "Successfully installed ipykernel-0.1"
    code = "import ipykernel, d2l_support.jax as helpers; print(helpers.NAME)"
    python = environment_python(book_with_wheel, "jax")
    run = subprocess.run([python, "-P", "-c", code], capture_output=True, text=True)
    assert (run.stdout, run.stderr) == ("jax\n", "")


@pytest.mark.parametrize("retries", ["0", "1"])
def test_create_environment_without_network(
    tiny_book, offline_pip, monkeypatch, retries
):
    tiny_book.requirements("jax").write_text("ipykernel==0.1\n")
    monkeypatch.setenv("PIP_RETRIES", retries)
    monkeypatch.setattr(environments.venv, "create", copy_of_this_environment)
    with pytest.raises(CannotWork) as caught:
        create_environment(tiny_book, "jax")
    assert str(caught.value) == NO_NETWORK
    assert not is_installed(tiny_book, "jax")


def copy_of_this_environment(folder: Path, **options) -> None:
    """In place of ``venv.create``, which takes seconds to unpack pip."""
    (folder / "bin").mkdir(parents=True)
    python = folder / "bin" / "python"
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)


def test_create_environment_with_release_that_does_not_exist(
    book_with_wheel, monkeypatch
):
    book_with_wheel.requirements("jax").write_text("ipykernel==0.2\n")
    monkeypatch.setattr(environments.venv, "create", copy_of_this_environment)
    with pytest.raises(CannotWork) as caught:
        create_environment(book_with_wheel, "jax")
    expected = "ERROR: No matching distribution found for ipykernel==0.2"
    assert str(caught.value) == f"jax: pip failed ({expected})"


def test_create_environment_with_too_little_space(tiny_book, monkeypatch):
    usage = namedtuple("usage", "free")(0.25e9)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage)
    old = environment_folder(tiny_book, "pytorch") / "old"
    old.mkdir(parents=True)
    with pytest.raises(CannotWork) as caught:
        create_environment(tiny_book, "pytorch")
    assert str(caught.value) == (
        "found 0.2 GB free, expected 1.5 GB for the pytorch environment; "
        "make room, then run the command again"
    )
    assert old.exists()


@pytest.fixture
def path_with(monkeypatch, tmp_path):
    """Makes the path hold one program alone, with a given exit code."""

    def make(name: str, code: int) -> Path:
        program = tmp_path / name
        program.write_text(f"#!/bin/sh\nexit {code}\n")
        program.chmod(0o755)
        monkeypatch.setenv("PATH", str(tmp_path))
        return program

    return make


def test_create_environment_with_other_python(tiny_book, monkeypatch, path_with):
    monkeypatch.setattr(sys, "version_info", (3, 12, 1, "final", 0))
    path_with("python3.11", 127)
    with pytest.raises(CannotWork) as caught:
        create_environment(tiny_book, "jax")
    assert str(caught.value) == (
        "found Python 3.12, expected 3.11: the pins are for it. "
        "Put python3.11 on the path, or run: make kernels PYTHON=python3.11"
    )
    assert not tiny_book.environments.exists()


def test_find_python_takes_this_one_where_it_serves():
    assert find_python(sys.version_info[:2]) == sys.executable


def test_find_python_takes_one_on_the_path(path_with):
    program = path_with("python3.99", 0)
    assert find_python((3, 99)) == str(program)


@pytest.mark.parametrize(
    "fault",
    [
        OSError(28, "No space left on device"),
        subprocess.CalledProcessError(1, ["python", "-m", "ensurepip"]),
    ],
)
def test_create_environment_without_venv(tiny_book, monkeypatch, fault):
    def fail(*arguments, **options):
        raise fault

    monkeypatch.setattr(environments.venv, "create", fail)
    with pytest.raises(CannotWork) as caught:
        create_environment(tiny_book, "jax")
    assert str(caught.value) == (
        f"found that the jax environment cannot be made ({fault}), "
        "expected room, write access and a Python with venv and ensurepip"
    )


def test_create_environment_interrupted_while_removing(plain_kernels, monkeypatch):
    def interrupt(folder):
        raise KeyboardInterrupt

    assert is_complete(plain_kernels, "jax")
    monkeypatch.setattr(shutil, "rmtree", interrupt)
    with pytest.raises(KeyboardInterrupt):
        create_environment(plain_kernels, "jax")
    assert not is_installed(plain_kernels, "jax")


def test_create_environment_interrupted_takes_pip_along(
    tiny_book, tmp_path, monkeypatch, is_running
):
    note = tmp_path / "pid"
    script = f"#!/bin/sh\necho $$ > {note}.part\nmv {note}.part {note}\nexec sleep 60\n"

    def create(folder, **options):
        copy_of_this_environment(folder)
        (folder / "bin" / "python").write_text(script)

    def interrupt_at_start() -> None:
        while not note.exists():
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(environments.venv, "create", create)
    threading.Thread(target=interrupt_at_start).start()
    with pytest.raises(KeyboardInterrupt):
        create_environment(tiny_book, "jax")
    assert not is_running(int(note.read_text()))
    assert not is_installed(tiny_book, "jax")


def test_is_installed_with_other_pins(plain_kernels):
    pins = plain_kernels.requirements("jax")
    pins.write_text("# A comment changes nothing.\n" + pins.read_text())
    assert is_installed(plain_kernels, "jax")
    pins.write_text("numpy==2.4.5\n")
    assert not is_installed(plain_kernels, "jax")


def test_is_complete_with_kernelspec_of_another_checkout(plain_kernels):
    spec = kernelspec_folder(plain_kernels, "jax") / "kernel.json"
    spec.write_text(spec.read_text().replace(str(plain_kernels.root), "/elsewhere"))
    assert is_installed(plain_kernels, "jax")
    assert not is_complete(plain_kernels, "jax")
    link_environment(plain_kernels, "jax")
    assert is_complete(plain_kernels, "jax")


def test_is_complete_without_stamp(plain_kernels):
    (environment_folder(plain_kernels, "jax") / STAMP).unlink()
    assert not is_complete(plain_kernels, "jax")


def test_build_kernelspec_names_the_interpreter_and_its_variables(tiny_book):
    spec = json.loads(build_kernelspec(tiny_book, "jax"))
    assert spec["argv"] == [
        str(tiny_book.root / ".envs" / "jax" / "bin" / "python"),
        *("-m", "ipykernel_launcher", "-f", "{connection_file}"),
    ]
    assert spec["display_name"] == "JAX (book)"
    cache = str(tiny_book.root / ".cache" / "jax")
    assert spec["env"]["JAX_COMPILATION_CACHE_DIR"] == cache
    assert json.loads(build_kernelspec(tiny_book, "mxnet"))["env"] == {}


@pytest.mark.parametrize(
    ("line", "advice"),
    [
        (
            "ERROR: Could not install packages due to an OSError: "
            "[Errno 28] No space left on device",
            "pip found no space left on the disk; make room, then run it again",
        ),
        (
            "WARNING: Retrying after connection broken by 'ReadTimeoutError(...)'",
            NO_NETWORK.removeprefix("jax: "),
        ),
        ("ERROR: Cannot install a and b", "pip failed (ERROR: Cannot install a and b)"),
        ("Killed", "pip failed (no message)"),
    ],
)
def test_explain_pip(line, advice):
    assert explain_pip(["Collecting jax", line]) == advice
