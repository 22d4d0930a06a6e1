"""What a run gives back, and what is left of it: nothing."""

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import psutil
import pytest

from d2l_support.build.isolation.processes import MARK
from d2l_support.build.isolation.run import Limits, run_isolated
from d2l_support.build.problems import CannotWork

from .conftest import build_notebook, errors_of, text_of

SLEEP = "import time\ntime.sleep(60)"


@pytest.fixture(autouse=True)
def scratch(tmp_path, monkeypatch) -> Path:
    """An empty folder for scratch folders, still empty after the test."""
    folder = Path(tempfile.mkdtemp(prefix="s", dir="/tmp"))
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    yield folder
    left = list(folder.iterdir())
    folder.rmdir()
    assert left == []


def test_run_isolated_keeps_outputs_and_counts(run_codes, isolation):
    done = run_codes("x = 2\nx", "print('x is', x)", "", "x + 1;", "# no statement")
    assert (done.ending, done.detail, done.isolation) == ("whole", "", isolation)
    assert [text_of(done, cell) for cell in range(5)] == ["2", "x is 2\n", "", "", ""]
    counts = [cell.execution_count for cell in done.notebook.cells]
    assert counts == [1, 2, None, 3, 4]
    assert done.completed == ("c0", "c1", "c2", "c3", "c4")
    assert 0 < done.seconds < 60


def test_run_isolated_goes_on_after_an_error(run_codes):
    done = run_codes("1 / 0", "print('on')")
    assert (done.ending, done.completed) == ("whole", ("c1",))
    assert errors_of(done) == ["ZeroDivisionError"]
    assert text_of(done, 1) == "on\n"


def test_run_isolated_leaves_the_given_notebook_alone(lend_kernels):
    notebook = build_notebook("print(1)")
    run_isolated(notebook, "jax", lend_kernels("jax"), isolation="process")
    assert notebook == build_notebook("print(1)")


def test_run_isolated_with_unknown_framework(tiny_book):
    with pytest.raises(CannotWork, match="found framework 'theano', expected one of"):
        run_isolated(build_notebook("1"), "theano", tiny_book)


def test_run_isolated_without_kernel(tiny_book, isolation):
    done = run_isolated(build_notebook("1"), "jax", tiny_book, isolation=isolation)
    assert done.ending == "unstarted"
    assert "kernel d2l-jax" in done.detail
    assert errors_of(done) == ["NotRun"]


def test_run_isolated_with_worker_killed(lend_kernels, is_running):
    book = lend_kernels("jax")
    note = book.root / "pid"
    code = f"import os\nopen({str(note)!r}, 'w').write(str(os.getpid()))\n"
    code += f"os.kill(os.getppid(), 9)\n{SLEEP}"
    notebook = build_notebook(code, "1")
    done = run_isolated(notebook, "jax", book, isolation="process")
    assert done.ending == "died"
    assert "found that the worker ended by SIGKILL with no answer" in done.detail
    assert [errors_of(done, cell) for cell in (0, 1)] == [["NotRun"], ["NotRun"]]
    assert not is_running(int(note.read_text()))


CALLER = """
import sys
from pathlib import Path
from nbformat import v4
from d2l_support.build.interruption import raise_terminations
from d2l_support.build.isolation.run import run_isolated
from d2l_support.build.layout import Book
cells = [v4.new_code_cell("import time\\nprint(1)\\ntime.sleep(60)", id="c0")]
notebook = v4.new_notebook(cells=cells)
with raise_terminations():
    run_isolated(notebook, "jax", Book(Path(sys.argv[1])), isolation=sys.argv[2])
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_run_isolated_ends_the_kernel_with_its_caller(
    lend_kernels, isolation, number, scratch
):
    book = lend_kernels("jax")
    command = [sys.executable, "-P", "-c", CALLER, str(book.root), isolation]
    environment = {**os.environ, "TMPDIR": str(scratch)}
    with subprocess.Popen(
        command, env=environment, stderr=subprocess.DEVNULL
    ) as caller:
        kernel = wait_for_kernel(caller.pid)
        workers = psutil.Process(caller.pid).children()
        caller.send_signal(number)
        caller.wait(timeout=30)
    assert caller.returncode != 0
    psutil.wait_procs([kernel], timeout=30)
    assert not kernel.is_running()
    psutil.wait_procs(workers, timeout=30)  # they remove their scratch folders


def wait_for_kernel(pid: int) -> psutil.Process:
    """The process of the caller's kernel, as soon as it is there."""
    while True:
        for process in psutil.Process(pid).children(recursive=True):
            try:
                if "ipykernel_launcher" in process.cmdline() and process.exe():
                    return process
            except psutil.NoSuchProcess:
                continue
        time.sleep(0.05)


def test_run_isolated_from_several_threads(run_codes):
    done = {}

    def run(number: int) -> None:
        done[number] = run_codes(f"print({number})")

    threads = [threading.Thread(target=run, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {n: text_of(outcome) for n, outcome in done.items()} == {
        0: "0\n",
        1: "1\n",
        2: "2\n",
    }


def test_run_isolated_gives_a_kernel_little_of_our_environment(run_codes, monkeypatch):
    monkeypatch.setenv("API_TOKEN", "secret")
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    done = run_codes("import os\nfor name in sorted(os.environ): print(name)")
    names = text_of(done).split()
    assert "API_TOKEN" not in names
    assert {"HOME", "OMP_NUM_THREADS", "PATH"} <= set(names)
    assert MARK not in os.environ


def test_run_isolated_removes_a_deep_and_locked_tree(run_codes, scratch):
    code = """
import os
for _ in range(1200):
    os.mkdir("d")
    os.chdir("d")
os.mkdir("locked", 0)
"""
    assert run_codes(code).ending == "whole"


def test_limits_are_positive():
    with pytest.raises(ValueError, match="found memory 0, expected it above 0"):
        Limits(memory=0)
