"""Notebooks that use more than they may, or that bring their kernel down."""

import psutil
import pytest

from .conftest import errors_of, text_of

DEAF = """
import time
while True:
    try:
        time.sleep(60)
    except KeyboardInterrupt:
        pass
"""


def test_cell_without_end_is_interrupted_and_the_rest_runs(run_codes):
    done = run_codes("x = 1", "while True: pass", "print(x)", cell_seconds=1)
    assert done.ending == "timeout"
    assert done.detail == "found no end after 1 s, in cell 'c1'"
    assert done.completed == ("c0", "c2")
    assert errors_of(done, 1) == ["KeyboardInterrupt", "CellTimeout"]
    assert text_of(done, 2) == "1\n"


def test_cell_that_catches_the_interrupt_is_ended(run_codes):
    done = run_codes("print('here')" + DEAF, "print(1)", cell_seconds=1)
    assert done.ending == "timeout"
    assert done.detail == (
        "found no end after 1 s, nor 3 s after an interrupt, in cell 'c0'"
    )
    assert done.completed == ()
    assert text_of(done) == "here\n"
    assert [errors_of(done, cell) for cell in (0, 1)] == [["CutOff"], ["NotRun"]]


def test_notebook_without_end_is_ended(run_codes):
    done = run_codes("x = 1", "while True: pass", seconds=2)
    assert done.ending == "timeout"
    assert done.detail == "found no end of the notebook after 2 s, in cell 'c1'"
    assert done.completed == ("c0",)


MEMORY = 600 * 2**20
EAT = "held = []\nwhile True: held.append(bytearray(b'x') * 10_000_000)"


def test_kernel_that_eats_memory_is_ended(run_codes):
    done = run_codes("x = 1", EAT, "print(1)", memory=MEMORY)
    assert done.ending == "memory"
    assert "MiB of memory held, expected at most 600 MiB, in cell 'c1'" in done.detail
    assert done.completed == ("c0",)
    assert [errors_of(done, cell) for cell in (1, 2)] == [["CutOff"], ["NotRun"]]


def test_child_that_eats_memory_is_ended(run_codes):
    code = f"import subprocess, sys\nsubprocess.run([sys.executable, '-c', {EAT!r}])"
    assert run_codes(code, memory=MEMORY).ending == "memory"


def test_forked_children_are_not_counted_for_what_they_share(run_codes):
    code = """
import os, time
held = bytearray(b'x') * 300_000_000
children = []
for _ in range(4):
    if not (pid := os.fork()):
        time.sleep(2)
        os._exit(0)
    children.append(pid)
for pid in children:
    os.waitpid(pid, 0)
"""
    assert run_codes(code, memory=MEMORY).ending == "whole"


@pytest.mark.parametrize(
    "code",
    [
        "print('x' * 100_000_000)",
        "for _ in range(100_000): print('x' * 1000)",
        "from IPython.display import HTML, display\n"
        "for _ in range(100_000): display(HTML('x' * 1000))",
        "raise ValueError('x' * 100_000_000)",
    ],
    ids=["at once", "in lines", "displays", "error"],
)
def test_cell_that_prints_100_megabytes_is_ended(run_codes, code):
    done = run_codes("x = 1", code, "print(1)")
    assert done.ending == "output"
    assert done.completed == ("c0",)
    assert len(done.to_json()) < 2 * 2**20
    assert errors_of(done, 1)[-1:] == ["CutOff"]


def test_output_keeps_what_came_before_the_limit(run_codes):
    done = run_codes("while True: print('x' * 99)", output=1000)
    assert (done.ending, len(text_of(done))) == ("output", 1000)
    assert text_of(done).startswith("x" * 99 + "\n")


def test_messages_that_are_no_output_are_bounded(run_in_process):
    code = """
from comm import create_comm
comm = create_comm(target_name="x")
for _ in range(1000): comm.send("x" * 100_000)
"""
    done = run_in_process(code)
    assert (done.ending, "bytes of messages" in done.detail) == ("output", True)


@pytest.mark.parametrize(
    ("code", "exit"),
    [
        ("import os; os._exit(3)", "with exit code 3"),
        ("import os; os.kill(os.getpid(), 9)", "by SIGKILL"),
        ("import ctypes; ctypes.string_at(0)", "by SIGSEGV"),
    ],
)
def test_kernel_that_dies(run_codes, code, exit):
    done = run_codes("x = 1", code, "print(1)")
    assert done.ending == "died"
    assert done.detail == f"found that the kernel ended {exit}, in cell 'c1'"
    assert done.completed == ("c0",)
    assert [errors_of(done, cell) for cell in (1, 2)] == [["CutOff"], ["NotRun"]]


def test_exit_is_for_the_page_and_ends_no_run(run_in_process):
    done = run_in_process("exit()", "print('still here')")
    assert (done.ending, text_of(done, 1)) == ("whole", "still here\n")


def test_daemon_left_behind_is_ended(run_codes, tmp_path):
    code = """
import os, sys, time
if not os.fork():
    os.setsid()
    if not os.fork():
        os.execve(sys.executable, [sys.executable, "-c", PROGRAM], {})
    os._exit(0)
time.sleep(0.5)
"""
    word = tmp_path.name + "daemon"
    program = f"import time; time.sleep(600) #{word}"
    done = run_codes(f"PROGRAM = {program!r}", code)
    assert done.completed == ("c0", "c1")
    assert [p for p in psutil.process_iter(["cmdline"]) if word in str(p.info)] == []


def test_fork_bomb_is_ended(run_codes):
    code = """
import os, time
for _ in range(300):
    if not os.fork():
        time.sleep(600)
time.sleep(60)
"""
    done = run_codes(code)
    assert done.ending == "died"
    assert "processes, at most 128" in done.detail


MANY = """
import os, time
from ipykernel.connect import get_connection_file
folder = os.path.dirname(get_connection_file())
for number in range(20_000): open(f"{folder}/{number}", "w").close()
time.sleep(60)
"""


def test_many_files_end_the_run(run_codes):
    done = run_codes(MANY)
    assert (done.ending, done.completed) == ("died", ())
    assert "found 10001 files" in done.detail


def test_large_file_is_refused(run_codes):
    code = (
        "with open('file', 'wb') as f:\n  for _ in range(1100): f.write(bytes(2**20))"
    )
    done = run_codes(code)
    assert done.completed == ()
    assert errors_of(done)


def test_closed_sockets_end_in_a_clear_word(run_codes):
    code = """
import os, time
for number in range(3, 200):
    if os.path.exists(f"/proc/self/fd/{number}"):
        if "socket" in os.readlink(f"/proc/self/fd/{number}"):
            try: os.close(number)
            except OSError: pass
time.sleep(60)
"""
    done = run_codes(code, "1", cell_seconds=2)
    assert done.ending in ("died", "output", "timeout")
    assert done.completed == ()
    assert errors_of(done, 1) == ["NotRun"]
