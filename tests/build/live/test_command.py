"""``d2l-support live``: what it says, and what it refuses."""

import os
import socket
import subprocess
import sys

import pytest

from d2l_support.build import cli


def run(book, *options: str) -> subprocess.CompletedProcess:
    """A call of the command that is expected to end by itself."""
    return subprocess.run(
        [sys.executable, "-P", "-m", "d2l_support.build.cli", "live", *options],
        cwd=book.root,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={**os.environ, "COLUMNS": "200"},
    )


def test_live_help_shows_examples(capsys):
    with pytest.raises(SystemExit) as caught:
        cli.main(["live", "--help"])
    assert caught.value.code == 0
    text = capsys.readouterr().out
    for words in ("d2l-support live --open", "--address", "--kernel-idle 10", "Ctrl-C"):
        assert words in text


def test_live_without_a_built_book(tiny_book):
    done = run(tiny_book)
    assert done.returncode == 2
    said = "found no built book in _build/html, expected one. Run: make live"
    assert done.stderr == f"d2l-support: {said}\n"


def test_live_on_a_port_that_is_taken(server):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = run(server.book, f"--port={port}")
    assert done.returncode == 2
    assert f"found that 127.0.0.1:{port} cannot be used" in done.stderr
    assert "Traceback" not in done.stderr


def test_live_at_an_address_that_is_not_ours(server):
    done = run(server.book, "--address=192.0.2.1", "--port=0")
    assert done.returncode == 2
    assert "found that 192.0.2.1:0 cannot be used" in done.stderr


@pytest.mark.parametrize("option", ["--kernel-idle", "--server-idle"])
@pytest.mark.parametrize("value", ["-1", "soon", "nan", "1e9"])
def test_live_with_minutes_that_are_none(option, value, capsys):
    with pytest.raises(SystemExit):
        cli.main(["live", f"{option}={value}"])
    assert f"found '{value}', expected minutes" in capsys.readouterr().err


def test_live_prints_the_address_once_and_nothing_else(tiny_book, start_server):
    live = start_server(tiny_book)
    live.visit().get(f"{live.home}/book/none")
    live.process.send_signal(2)
    # Not `communicate`: it misses what came together with the first line.
    rest, errors = live.process.stdout.read(), live.process.stderr.read()
    live.process.wait(60)
    assert rest == "Ctrl-C ends it and its kernels.\n"
    assert errors == ""
    assert live.process.returncode == 0


def test_live_at_another_address_says_what_that_means(tiny_book, start_server):
    live = start_server(tiny_book, "--address=0.0.0.0")
    live.home = live.home.replace(socket.gethostname(), "127.0.0.1")
    assert live.visit().get(f"{live.home}/book/").status_code == 200
    foreign = {"Host": "evil.example"}
    assert live.visit().get(live.home, headers=foreign).status_code == 403
    live.process.send_signal(2)
    _, errors = live.process.communicate(timeout=60)
    assert "can run any code here as you" in errors
    assert "is not encrypted" in errors


def test_live_opens_a_browser_only_when_told(tiny_book, start_server, tmp_path):
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" >> {tmp_path}/opened\n')
    browser.chmod(0o755)
    start_server(tiny_book, BROWSER=f"{browser} %s").visit()
    assert not (tmp_path / "opened").exists()
    live = start_server(tiny_book, "--open", BROWSER=f"{browser} %s")
    live.visit()
    assert live.end() == 0
    opened = (tmp_path / "opened").read_text()
    assert opened.startswith("file://")
    assert live.token not in opened
