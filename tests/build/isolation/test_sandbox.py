"""What a sandbox shows and hides, and what a process does not hide."""

import os
import socket
import subprocess

import pytest

from d2l_support.build.isolation import sandbox
from d2l_support.build.isolation.sandbox import choose_isolation, explain_sandbox
from d2l_support.build.problems import CannotWork

from .conftest import errors_of, require_sandbox, text_of


def test_secrets_of_a_course_and_of_the_checkout(
    run_codes, isolation, lend_kernels, tmp_path_factory
):
    course = tmp_path_factory.mktemp("course") / "source"
    course.mkdir()
    chapter = lend_kernels().root / "chapters" / "part" / "section.md"
    paths = [course / "answers.ipynb", chapter]
    for path in paths:
        path.write_text("the answer is 7")
    codes = [f"print(open({str(path)!r}).read())" for path in paths]
    done = run_codes(*codes)
    if isolation == "process":  # as this user it can: the docstring says so
        assert [text_of(done, n) for n in (0, 1)] == ["the answer is 7\n"] * 2
    else:
        assert [errors_of(done, n) for n in (0, 1)] == [["FileNotFoundError"]] * 2


def test_network_is_hidden_by_a_sandbox(run_codes, isolation):
    with socket.create_server(("127.0.0.1", 0)) as server:
        code = f"import socket\nsocket.create_connection({server.getsockname()!r}, 5)"
        done = run_codes(code)
    assert bool(done.completed) == (isolation == "process")


def test_other_processes_are_hidden_by_a_sandbox(run_codes, isolation):
    done = run_codes(f"import os\nos.kill({os.getpid()}, 0)", "print(os.listdir('/'))")
    assert ("c0" in done.completed) == (isolation == "process")


def test_helpers_are_shown_without_the_tooling(run_codes, isolation, lend_kernels):
    tooling = lend_kernels().root / "d2l_support" / "build"
    tooling.mkdir()
    (tooling / "answers.py").write_text("ANSWER = 7\n")
    done = run_codes(
        "from d2l_support import jax", "from d2l_support.build import answers"
    )
    assert "c0" in done.completed
    assert ("c1" in done.completed) == (isolation == "process")


def test_nothing_but_its_own_folders_can_be_written(run_codes_by, lend_kernels):
    require_sandbox()
    root = lend_kernels().root
    places = ["/", "/usr", "/dev", root / "d2l_support", root / ".envs" / "jax"]
    codes = [f"open('{place}/new', 'w')" for place in places]
    codes += [f"open('{place}/new', 'w')" for place in (".", "/tmp", "/dev/shm")]  # noqa: S108
    done = run_codes_by("sandbox", *codes)
    assert done.completed == ("c5", "c6", "c7")


@pytest.mark.parametrize("folder", ["/tmp", "/dev/shm"])  # noqa: S108
def test_disk_of_a_sandbox_is_small_and_its_own(run_codes_by, folder):
    require_sandbox()
    code = f"""
import errno
try:
    with open('{folder}/file', 'wb') as file:
        for _ in range(600): file.write(bytes(2**20))
except OSError as error:
    print(errno.errorcode[error.errno])
"""
    done = run_codes_by("sandbox", code)
    assert (done.ending, text_of(done)) == ("whole", "ENOSPC\n")


def test_compilation_cache_is_read_and_not_written(run_codes_by, lend_kernels):
    require_sandbox()
    book = lend_kernels()
    cache = book.cache / "jax"
    cache.mkdir(parents=True)
    (cache / "entry").write_text("compiled")
    code = "import os, pathlib\n"
    code += "cache = pathlib.Path(os.environ['JAX_COMPILATION_CACHE_DIR'])\n"
    done = run_codes_by(
        "sandbox",
        code + "print((cache / 'entry').read_text())",
        "(cache / 'entry').write_text('poison')",
    )
    assert text_of(done) == "compiled\n"
    assert done.completed == ("c0",)


@pytest.fixture(autouse=True)
def _probe_anew():
    """A fresh look at this machine, before and after."""
    sandbox._probe.cache_clear()
    yield
    sandbox._probe.cache_clear()


def test_choose_isolation_without_bubblewrap(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert explain_sandbox() == "bwrap is not on the path"
    assert choose_isolation("auto") == "process"
    with pytest.raises(CannotWork) as caught:
        choose_isolation("sandbox")
    assert "apt-get install bubblewrap" in str(caught.value)
    assert "run the command in a container" in str(caught.value)


def test_choose_isolation_with_bubblewrap_that_may_not(monkeypatch, tmp_path):
    program = tmp_path / "bwrap"
    program.write_text("#!/bin/sh\necho 'bwrap: no permissions' >&2\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert choose_isolation("auto") == "process"
    with pytest.raises(CannotWork, match=r"no sandbox \(bwrap: no permissions\)"):
        choose_isolation("sandbox")


def test_choose_isolation_takes_a_sandbox_where_one_works():
    require_sandbox()
    assert (choose_isolation("auto"), choose_isolation("process")) == (
        "sandbox",
        "process",
    )


def test_choose_isolation_with_another_word():
    with pytest.raises(CannotWork, match="found isolation 'vm', expected one of"):
        choose_isolation("vm")


def test_explain_sandbox_asks_the_machine_once(monkeypatch):
    require_sandbox()
    monkeypatch.setattr(subprocess, "run", None)
    assert explain_sandbox() == ""
