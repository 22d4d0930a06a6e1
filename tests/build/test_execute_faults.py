"""Kernels that do not start, die, hang or raise: the words, and what is left."""

import json
import time
from pathlib import Path

import pytest

from d2l_support.build.environments import environment_python, kernelspec_folder
from d2l_support.build.execute import Execution, Job, execute_jobs

SLEEP = "import time\ntime.sleep(60)"


def run_one(kernels: Path, job: Job, **options) -> Execution:
    (execution,) = execute_jobs([job], kernels, **options)
    return execution


def text_of(execution: Execution, cell: int = 0) -> str:
    return execution.notebook.cells[cell].outputs[0].text


def test_execute_jobs_with_cell_that_raises(kernels, make_job):
    job = make_job(one="x = 0", two="y = 1\ny / x", three="print('never')")
    done = run_one(kernels, job)
    assert done.notebook is None
    assert str(done.problem) == (
        "chapters/part/section.md:20: cell 'two' (jax): found ZeroDivisionError: "
        "division by zero in its line 2, `y / x`, expected no error "
        "(`:tags: [raises-exception]` where it is the lesson)."
    )


def test_execute_jobs_with_broken_syntax(kernels, make_job):
    done = run_one(kernels, make_job(one="x = 1\ny = = 2"))
    assert "cell 'one' (jax): found SyntaxError: invalid syntax" in str(done.problem)
    assert "in its line 2, `y = = 2`" in str(done.problem)


def test_execute_jobs_with_missing_import_names_the_repair(kernels, make_job):
    done = run_one(kernels, make_job("mxnet", one="import no_such_framework"))
    assert "ModuleNotFoundError: No module named 'no_such_framework'" in str(
        done.problem
    )
    repair = "Run: d2l-support kernels --create --framework mxnet"
    assert str(done.problem).endswith(repair)


@pytest.mark.parametrize(
    "code",
    [
        "import os; os._exit(3)",
        "import os, signal; os.kill(os.getpid(), signal.SIGKILL)",
    ],
)
def test_execute_jobs_with_kernel_that_dies_in_a_cell(kernels, code, make_job):
    done = run_one(kernels, make_job(one="x = 1", two=code))
    assert done.notebook is None
    assert str(done.problem) == (
        "chapters/part/section.md:20: cell 'two' (jax): found that the kernel died "
        "in this cell, expected it to live."
    )


def test_execute_jobs_with_kernel_that_dies_tells_its_last_words(kernels, make_job):
    code = (
        "import os\nos.write(2, b'no memory left\\n')\nimport time; time.sleep(0.5)\n"
    )
    code += "os.abort()"
    done = run_one(kernels, make_job(one=code))
    assert "died in this cell (its last words: no memory left)" in str(done.problem)


@pytest.mark.parametrize("deaf", [False, True], ids=["plain", "ignores interrupts"])
def test_execute_jobs_with_cell_that_never_ends(
    kernels, tmp_path, is_running, deaf, make_job
):
    note = tmp_path / "pid"
    code = f"import os\nopen({str(note)!r}, 'w').write(str(os.getpid()))\n"
    if deaf:
        code += "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\n"
    done = run_one(kernels, make_job(one="x = 1", two=code + SLEEP), timeout=2)
    assert str(done.problem) == (
        "chapters/part/section.md:20: cell 'two' (jax): found no end after 2 s, "
        "expected one (--timeout raises it)."
    )
    assert not is_running(int(note.read_text()))


def test_execute_jobs_ends_what_a_cell_started(kernels, is_running, make_job):
    code = "import subprocess\nprint(subprocess.Popen(['sleep', '60']).pid)"
    assert not is_running(int(text_of(run_one(kernels, make_job(one=code)))))


def test_execute_jobs_with_one_fault_runs_the_others(kernels, make_job):
    jobs = [make_job("jax", one="1 / 0"), make_job("mxnet", one="print(7)")]
    failed, done = execute_jobs(jobs, kernels)
    assert failed.problem.framework == "jax"
    assert text_of(done) == "7\n"


def test_execute_jobs_gives_up_when_the_receiver_raises(
    kernels, tmp_path, is_running, make_job
):
    note = tmp_path / "pid"
    code = f"import os\nopen({str(note)!r}, 'w').write(str(os.getpid()))\n{SLEEP}"
    jobs = [make_job("jax", one="print(1)"), make_job("tensorflow", one=code)]

    def receive(execution: Execution) -> None:
        while not (note.exists() and note.read_text()):
            time.sleep(0.01)
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        execute_jobs(jobs, kernels, 2, receive=receive)
    assert not is_running(int(note.read_text()))


START = "chapters/part/section.md: (jax): found"
REPAIR = "Run: d2l-support kernels --create --framework jax"


def test_execute_jobs_without_kernelspec(tmp_path, make_job):
    done = run_one(tmp_path, make_job(one="print(1)"))
    assert str(done.problem) == f"{START} no kernel d2l-jax, expected one. {REPAIR}"


def test_execute_jobs_with_interpreter_gone(plain_kernels, kernels, make_job):
    python = environment_python(plain_kernels, "jax")
    python.unlink()
    done = run_one(kernels, make_job(one="print(1)"))
    assert str(done.problem) == (
        f"{START} that kernel d2l-jax does not start ([Errno 2] No such file or "
        f"directory: '{python}'), expected it to. {REPAIR}"
    )


def test_execute_jobs_with_kernel_that_exits_at_once(plain_kernels, kernels, make_job):
    python = str(environment_python(plain_kernels, "jax"))
    spec = kernelspec_folder(plain_kernels, "jax") / "kernel.json"
    argv = [python, "-c", "import sys; sys.exit('no ipykernel in here')"]
    spec.write_text(
        json.dumps({"argv": argv, "display_name": "x", "language": "python"})
    )
    done = run_one(kernels, make_job(one="print(1)"))
    assert str(done.problem) == (
        f"{START} that kernel d2l-jax does not start (no ipykernel in here), "
        f"expected it to. {REPAIR}"
    )


def test_execute_jobs_with_temporary_folder_too_deep(
    kernels, tmp_path, monkeypatch, make_job
):
    deep = tmp_path / ("d" * 100)
    deep.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(deep))
    problem = str(run_one(kernels, make_job(one="print(1)")).problem)
    assert problem.startswith(f"{START} that kernel d2l-jax does not start (")
    assert "File name too long" in problem
    assert list(deep.iterdir()) == []


@pytest.mark.parametrize(
    ("helpers", "reason"),
    [
        ("import no_framework", "ModuleNotFoundError: No module named 'no_framework'"),
        ("describe_environment = lambda: 7", "it printed '7', no JSON object"),
    ],
)
def test_execute_jobs_with_helpers_that_describe_nothing(
    plain_kernels, kernels, helpers, reason, make_job
):
    (plain_kernels.root / "d2l_support" / "jax.py").write_text(helpers)
    done = run_one(kernels, make_job(one="print(1)"))
    assert str(done.problem) == (
        f"{START} that d2l_support.jax does not describe the environment ({reason}), "
        f"expected versions and device. {REPAIR}"
    )


def test_execute_jobs_with_cell_that_takes_stdout_away(kernels, make_job):
    code = "import sys, io\nsys.stdout = io.StringIO()"
    problem = str(run_one(kernels, make_job(one=code)).problem)
    assert "does not describe the environment (it printed nothing, no JSON" in problem


def test_execute_jobs_with_noise_before_the_environment(
    plain_kernels, kernels, make_job
):
    helpers = plain_kernels.root / "d2l_support" / "jax.py"
    helpers.write_text("print('welcome')\n" + helpers.read_text())
    assert run_one(kernels, make_job(one="x = 1")).environment["device"] == "cpu"
