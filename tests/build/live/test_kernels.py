"""Kernels behind the pages: found again, interrupted, ended, and never left over."""

import os
import signal
from pathlib import Path

import pytest

LOOP = "print('loops', flush=True)\nwhile True:\n    pass"
PID = "import os; print(os.getpid())"


@pytest.fixture
def live(lend_kernels, start_server):
    """A server of a small book with one plain kernel."""
    return start_server(lend_kernels("jax"))


def test_sessions_find_the_same_kernel_after_a_reload(live, connect):
    first = live.visit()
    session = live.open_session(first)
    connect(live, first, session).run("kept = 41 + 1")
    second = live.visit()
    again = live.open_session(second)
    assert again["kernel"]["id"] == session["kernel"]["id"]
    assert connect(live, second, again).run("print(kept)") == "42\n"


def test_sessions_give_each_framework_its_own_kernel(
    plain_kernels, start_server, connect
):
    live = start_server(plain_kernels)
    visitor = live.visit()
    pids = set()
    for framework in ("pytorch", "tensorflow", "jax", "mxnet"):
        session = live.open_session(visitor, framework)
        channel = connect(live, visitor, session)
        pids.add(channel.run(PID))
        name = f"from d2l_support import {framework} as f; print(f.__name__)"
        assert channel.run(name) == f"d2l_support.{framework}\n"
    assert len(pids) == 4


def test_kernels_work_in_a_folder_of_their_own(live, connect):
    visitor = live.visit()
    folders = []
    for page in ("one", "two"):
        session = live.open_session(visitor, page=page)
        channel = connect(live, visitor, session)
        folders.append(channel.run("import os; print(os.getcwd())").strip())
        channel.run("open('written', 'w').close()")
    assert len({*folders}) == 2
    for folder in folders:
        assert not Path(folder).is_relative_to(live.book.root)
        assert (Path(folder) / "written").is_file()
    answer = live.post(visitor, "/api/kernels", name="d2l-jax", path="chapters")
    kernel = answer.json()["id"]
    channel = connect(live, visitor, {"kernel": {"id": kernel}})
    own = channel.run("import os; print(os.getcwd())").strip()
    assert not Path(own).is_relative_to(live.book.root)


def test_interrupt_ends_an_endless_loop(live, connect):
    visitor = live.visit()
    session = live.open_session(visitor)
    channel = connect(live, visitor, session)
    request = channel.send(LOOP)
    channel.wait_for("stream", request)
    live.post(visitor, f"/api/kernels/{session['kernel']['id']}/interrupt")
    assert channel.wait_for("error", request)["ename"] == "KeyboardInterrupt"
    channel.wait_for("status", request, execution_state="idle")
    assert channel.run("print('goes on')") == "goes on\n"


def test_a_killed_kernel_is_seen_and_restarted_at_once(live, connect):
    visitor = live.visit()
    session = live.open_session(visitor)
    channel = connect(live, visitor, session)
    channel.run("kept = 1")
    os.kill(int(channel.run(PID)), signal.SIGKILL)
    channel.wait_for("status", execution_state="restarting")
    kernel = session["kernel"]["id"]
    answer = live.post(visitor, f"/api/kernels/{kernel}/restart")
    assert answer.status_code == 200, answer.text
    anew = connect(live, visitor, session)
    assert anew.run("print('kept' in globals())") == "False\n"


def test_a_killed_kernel_comes_back_for_its_page(live, connect):
    visitor = live.visit()
    session = live.open_session(visitor)
    channel = connect(live, visitor, session)
    channel.run("kept = 1")
    os.kill(int(channel.run(PID)), signal.SIGKILL)
    channel.wait_for("status", execution_state="restarting")
    # As the page's client does: the old connection may miss what the new
    # process says first.
    anew = connect(live, visitor, session)
    assert anew.run("print('kept' in globals())") == "False\n"


def test_restart_forgets_what_the_kernel_knew(live, connect):
    visitor = live.visit()
    session = live.open_session(visitor)
    connect(live, visitor, session).run("kept = 1")
    kernel = session["kernel"]["id"]
    assert live.post(visitor, f"/api/kernels/{kernel}/restart").status_code == 200
    anew = connect(live, visitor, live.open_session(visitor))
    assert anew.run("print('kept' in globals())") == "False\n"


def test_idle_kernels_are_ended_though_a_page_is_open(
    lend_kernels, start_server, connect
):
    live = start_server(lend_kernels("jax"), "--kernel-idle=0.03")
    visitor = live.visit()
    session = live.open_session(visitor)
    channel = connect(live, visitor, session)
    folder = Path(channel.run("import os; print(os.getcwd())").strip())
    channel.wait_for("status", execution_state="dead")
    assert visitor.get(f"{live.home}/api/sessions").json() == []
    assert not folder.exists()
    again = live.open_session(visitor)
    assert again["kernel"]["id"] != session["kernel"]["id"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_the_end_of_the_server_ends_kernels_and_files(
    live, connect, is_running, number
):
    visitor = live.visit()
    session = live.open_session(visitor)
    channel = connect(live, visitor, session)
    pid = int(channel.run(PID))
    work = Path(channel.run("import os; print(os.getcwd())").strip())
    channel.wait_for("stream", channel.send(LOOP))
    assert is_running(pid)
    assert live.end(number) == 0
    assert not is_running(pid)
    assert not work.parents[1].exists()


def test_kernelspecs_are_those_of_the_checkout(plain_kernels, start_server, tmp_path):
    theirs = tmp_path / "share" / "kernels" / "theirs"
    theirs.mkdir(parents=True)
    (theirs / "kernel.json").write_text('{"argv": ["false"], "display_name": "x"}')
    live = start_server(plain_kernels, JUPYTER_PATH=str(tmp_path / "share"))
    specs = live.visit().get(f"{live.home}/api/kernelspecs").json()["kernelspecs"]
    assert {*specs} == {"d2l-pytorch", "d2l-tensorflow", "d2l-jax", "d2l-mxnet"}
