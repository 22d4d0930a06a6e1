"""``record`` as a process of its own that is disturbed while it works."""

import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from filelock import FileLock

from d2l_support.build import cli
from d2l_support.build.environments import environment_python

COMMAND = Path(sys.executable).with_name("d2l-support")
WAIT = """
import os, time
with open({note!r} + ".part", "w") as note:
    note.write(f"{{os.getpid()}} {{os.getcwd()}}")
os.rename({note!r} + ".part", {note!r})
time.sleep(60)
"""


def record_name(framework: str, section: str = "section") -> str:
    return f"chapters/part/recorded/{section}.{framework}.ipynb"


def start_command(book, *arguments: str, **options) -> subprocess.Popen:
    """The command as a process of its own, where Ctrl-C works as by hand."""
    return subprocess.Popen(
        [COMMAND, *arguments],
        cwd=book.root,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        **options,
    )


def wait_for(note: Path) -> str:
    deadline = time.monotonic() + 120
    while not note.exists():
        assert time.monotonic() < deadline, f"{note} was never written"
        time.sleep(0.02)
    return note.read_text()


def test_run_record_with_broken_kernel_prints_the_fault_alone(command_book):
    environment_python(command_book, "jax").unlink()
    with start_command(command_book, "record", "--framework", "jax") as process:
        out, err = process.communicate(timeout=120)
    assert process.returncode == 1
    assert [line.partition(":")[0] for line in out.splitlines()] == [
        "part/section jax",
        "chapters/part/section.md",
    ]
    assert err == ""


def test_run_record_with_another_at_work(
    command_book, write_section, tmp_path, read_records
):
    note = tmp_path / "note"
    end = f"import os, time\nwhile not os.path.exists({str(note) + '.go'!r}):\n"
    end += "    time.sleep(0.02)\nprint('done')"
    write_section(one=WAIT.format(note=str(note)).replace("time.sleep(60)", end))
    with start_command(command_book, "record", "--framework", "jax") as first:
        wait_for(note)
        with start_command(command_book, "record", "--framework", "jax") as second:
            out, err = second.communicate(timeout=120)
        assert first.poll() is None
        Path(f"{note}.go").touch()
        first.communicate(timeout=120)
    assert (second.returncode, out) == (2, "")
    assert err == (
        "d2l-support: found another `d2l-support record` at work in this checkout, "
        "expected none; wait for its end, then run this one again\n"
    )
    assert first.returncode == 0
    assert b"done" in read_records()[record_name("jax")]


@pytest.mark.parametrize(
    ("number", "code"),
    [(signal.SIGINT, 130), (signal.SIGTERM, 143)],
)
def test_run_record_interrupted_leaves_records_and_no_kernel(
    command_book, write_section, tmp_path, is_running, number, code, read_records
):
    write_section(one="print('old')")
    assert cli.main(["record", "--framework", "jax"]) == 0
    before = read_records()
    note = tmp_path / "note"
    write_section(one="print('new')", two=WAIT.format(note=str(note)))
    with start_command(command_book, "record", "--framework", "jax") as process:
        pid, folder = wait_for(note).split(" ", 1)
        assert is_running(int(pid))
        process.send_signal(number)
        out, err = process.communicate(timeout=120)
    assert process.returncode == code
    assert (out, err) == (
        "",
        "interrupted; every record is as it was before or whole\n",
    )
    assert not is_running(int(pid))
    assert not Path(folder).parent.exists()
    assert read_records() == before
    with FileLock(command_book.cache / "record.lock", timeout=0):
        assert cli.main(["check", "--framework", "jax"]) == 1


def test_run_record_interrupted_keeps_what_was_done(
    command_book, write_section, tmp_path, read_records
):
    note = tmp_path / "note"
    other = f"if '/jax/' in os.sys.executable:\n{WAIT.format(note=str(note))}"
    other = "import os, time\n" + other.replace("\n", "\n    ").rstrip()
    write_section(one="print('new')", two=other)
    arguments = ["record", "--jobs", "1", "--framework", "mxnet", "--framework", "jax"]
    with start_command(command_book, *arguments) as process:
        wait_for(note)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=120)
    assert process.returncode == 130
    assert out.splitlines()[-1] == f"recorded {record_name('mxnet')}"
    assert list(read_records()) == [record_name("mxnet")]


def test_run_record_with_full_disk_keeps_the_old_record(
    command_book, write_section, read_records
):
    write_section(one="print('old')")
    assert cli.main(["record", "--framework", "jax"]) == 0
    before = read_records()
    write_section(one="print('new\\n' * 2_000)")
    limit = (16_000, 16_000)
    process = subprocess.run(
        [COMMAND, "record", "--framework", "jax"],
        cwd=command_book.root,
        capture_output=True,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, limit),
    )
    assert process.returncode == 2
    assert process.stderr == (
        "d2l-support: section.jax.ipynb: found that it cannot be written "
        "(File too large), expected room and write access; "
        "the old one is untouched\n"
    )
    assert read_records() == before
