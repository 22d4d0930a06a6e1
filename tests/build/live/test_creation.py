"""Environments made on first use: once, beside the serving, and told of."""

import asyncio
import json
import os
import select
import sys
from pathlib import Path

import pytest

from d2l_support.build.environments import environment_folder
from d2l_support.build.live.creation import EnvironmentMaker

WORK = """
import pathlib, sys, time
folder, framework = pathlib.Path(sys.argv[1]), sys.argv[2]
with (folder / "begun").open("a") as begun:
    begun.write(framework + "\\n")
print("installs", framework, flush=True)
while not (folder / "go").exists():
    time.sleep(0.01)
if (folder / "bad").exists():
    sys.exit("pip could not reach the package registry")
print("done with", framework, flush=True)
"""
"""Stands in for what makes an environment: waits for a file named ``go``."""


@pytest.fixture
def maker(tiny_book, tmp_path):
    command = [sys.executable, "-c", WORK, str(tmp_path)]
    return EnvironmentMaker(tiny_book, command)


async def follow(maker, framework):
    return [event async for event in maker.follow(framework)]


def test_describe_tells_what_is_there(lend_kernels):
    book = lend_kernels("jax")
    environment_folder(book, "mxnet").mkdir()
    states = EnvironmentMaker(book).describe()
    assert states["jax"] == {"state": "ready", "detail": ""}
    assert states["pytorch"] == {"state": "absent", "detail": "not made yet"}
    assert states["mxnet"]["detail"] == "made from other pins or elsewhere"


def test_begin_makes_an_environment_once(maker, tmp_path):
    async def ask_twice():
        maker.begin("jax")
        maker.begin("jax")
        followers = [asyncio.create_task(follow(maker, "jax")) for _ in range(2)]
        assert maker.describe()["jax"]["state"] == "creating"
        (tmp_path / "go").touch()
        return await asyncio.gather(*followers)

    first, second = asyncio.run(ask_twice())
    assert (
        first
        == second
        == [
            ("creating", "begins"),
            ("creating", "installs jax"),
            ("creating", "done with jax"),
            ("ready", ""),
        ]
    )
    assert (tmp_path / "begun").read_text() == "jax\n"


def test_begin_makes_one_after_another(maker, tmp_path):
    async def ask_for_two():
        maker.begin("jax")
        async for _, line in maker.follow("jax"):
            if line == "installs jax":
                break
        maker.begin("mxnet")
        assert maker.describe()["mxnet"]["detail"] == "waits for another environment"
        assert (tmp_path / "begun").read_text() == "jax\n"
        (tmp_path / "go").touch()
        return await follow(maker, "mxnet")

    assert asyncio.run(ask_for_two())[-1] == ("ready", "")
    assert (tmp_path / "begun").read_text() == "jax\nmxnet\n"


def test_a_failure_is_told_with_its_reason_and_can_be_tried_again(maker, tmp_path):
    async def fail_and_try_again():
        (tmp_path / "go").touch()
        (tmp_path / "bad").touch()
        maker.begin("jax")
        failed = await follow(maker, "jax")
        told = maker.describe()["jax"]
        (tmp_path / "bad").unlink()
        maker.begin("jax")
        return failed, told, await follow(maker, "jax")

    failed, told, again = asyncio.run(fail_and_try_again())
    reason = "pip could not reach the package registry"
    assert failed[-1] == ("failed", reason)
    assert told == {"state": "failed", "detail": reason}
    assert again[-1] == ("ready", "")


def test_a_command_that_does_not_start_is_a_failure(tiny_book):
    async def start():
        maker = EnvironmentMaker(tiny_book, ["/nowhere/to/be/found"])
        maker.begin("jax")
        return await follow(maker, "jax")

    state, line = asyncio.run(start())[-1]
    assert state == "failed"
    assert line == "the command does not start (No such file or directory)"


def test_stop_ends_the_process(maker, tmp_path, is_running):
    async def stop_meanwhile():
        maker.command[2] = "import os; print(os.getpid(), flush=True)\n" + WORK
        maker.begin("jax")
        async for _, line in maker.follow("jax"):
            if line.isdecimal():
                break
        await maker.stop()
        return int(line)

    assert not is_running(asyncio.run(stop_meanwhile()))
    assert maker.describe()["jax"]["state"] == "failed"


def read_events(answer):
    """The server-sent events of an answer, as they come."""
    for line in answer.iter_lines(decode_unicode=True):
        if line.startswith("data: "):
            yield json.loads(line.removeprefix("data: "))


def test_the_server_goes_on_while_an_environment_is_made(
    tiny_book, start_server, tmp_path
):
    # A package that is built for ever.
    package = tmp_path / "package"
    package.mkdir()
    (package / "setup.py").write_text("import time\nwhile True:\n    time.sleep(0.1)\n")
    tiny_book.requirements("jax").write_text(f"{package}\n")
    live = start_server(tiny_book, PIP_NO_INDEX="1", PIP_NO_BUILD_ISOLATION="1")
    visitor = live.visit()
    place = "/book-live/environments/jax"
    assert live.post(visitor, place).status_code == 202
    assert live.post(visitor, place).json()["state"] == "creating"
    with visitor.get(f"{live.home}{place}/progress", stream=True) as answer:
        assert answer.headers["Content-Type"] == "text/event-stream"
        for event in read_events(answer):
            assert event["state"] == "creating"
            if event["line"].startswith("Processing"):
                break
        assert visitor.get(f"{live.home}/book/").status_code == 200
    makers = find_processes("d2l_support.build.live.make", str(tiny_book.root))
    pips = find_processes("pip", str(tiny_book.requirements("jax")))
    assert len(makers) == 1
    assert pips
    ends = [os.pidfd_open(pid) for pid in makers + pips]
    assert live.end() == 0
    for end in ends:
        ended, _, _ = select.select([end], [], [], 10)
        os.close(end)
        assert ended


def find_processes(*words: str) -> list[int]:
    """The processes whose commands hold all of these words."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            command = (folder / "cmdline").read_text().replace("\0", " ")
        except OSError:
            continue
        if all(word in command for word in words):
            found.append(int(folder.name))
    return found


def test_the_server_tells_why_an_environment_failed(tiny_book, start_server):
    tiny_book.requirements("jax").write_text("no-such-package==1\n")
    live = start_server(
        tiny_book,
        PIP_INDEX_URL="http://127.0.0.1:9",
        PIP_RETRIES="0",
        PIP_CONFIG_FILE="",
    )
    visitor = live.visit()
    place = "/book-live/environments/jax"
    live.post(visitor, place)
    events = [*read_events(visitor.get(f"{live.home}{place}/progress", stream=True))]
    reason = (
        "jax: pip could not reach the package registry; "
        "check the network or PIP_INDEX_URL, then run it again"
    )
    assert events[-1] == {"state": "failed", "line": reason}
    states = visitor.get(f"{live.home}/book-live/environments").json()
    assert states["jax"] == {"state": "failed", "detail": reason}
    assert live.post(visitor, place).json()["state"] == "creating"


def test_the_server_refuses_an_unknown_framework(server, visitor):
    place = "/book-live/environments/torch"
    assert server.post(visitor, place).status_code == 404
    assert visitor.get(f"{server.home}{place}/progress").status_code == 404
