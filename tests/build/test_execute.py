"""Notebooks in real kernels: what they give, and in which order."""

from pathlib import Path

import pytest

from d2l_support.build.execute import Execution, Job, execute_jobs
from d2l_support.build.frameworks import ALL_KEYS


def run_one(kernels: Path, job: Job, **options) -> Execution:
    (execution,) = execute_jobs([job], kernels, **options)
    return execution


def text_of(execution: Execution, cell: int = 0) -> str:
    return execution.notebook.cells[cell].outputs[0].text


def test_execute_jobs_returns_outputs_and_environment(kernels, make_job):
    job = make_job(one="x = 1", two="print(x + 1)")
    done = run_one(kernels, job)
    assert done.problem is None
    assert [cell.id for cell in done.notebook.cells] == ["one", "two"]
    assert text_of(done, 1) == "2\n"
    assert done.environment["framework"] == "jax"
    assert done.environment["versions"] == {"plain": "1.0"}
    assert done.seconds > 0


def test_execute_jobs_leaves_the_job_as_it_was(kernels, make_job):
    job = make_job(one="print(1)")
    run_one(kernels, job)
    assert job.notebook.cells[0].outputs == []
    assert len(job.notebook.cells) == 1


def test_execute_jobs_starts_the_heaviest_first(kernels, make_job):
    seen = []
    jobs = [make_job(key, one="print(1)") for key in ALL_KEYS]
    done = execute_jobs(
        jobs, kernels, 1, report=lambda job, state: seen.append((job.framework, state))
    )
    starts = [framework for framework, state in seen if state == "starting"]
    assert starts == ["tensorflow", "pytorch", "mxnet", "jax"]
    assert [state for framework, state in seen if framework == "jax"] == [
        "starting",
        "one",
        "_environment",
        "done",
    ]
    assert [execution.job for execution in done] == jobs


COUNT_KERNELS = """
import os, pathlib, time
folder = pathlib.Path({folder!r})
(folder / str(os.getpid())).touch()
time.sleep(0.3)
print(sum(pathlib.Path("/proc", path.name).exists() for path in folder.iterdir()))
"""


@pytest.mark.parametrize("parallel", [1, 2])
def test_execute_jobs_never_runs_more_kernels_than_asked(
    kernels, tmp_path, parallel, make_job
):
    folder = tmp_path / "pids"
    folder.mkdir()
    code = COUNT_KERNELS.format(folder=str(folder))
    jobs = [make_job(key, one=code) for key in ALL_KEYS]
    counts = [int(text_of(done)) for done in execute_jobs(jobs, kernels, parallel)]
    assert len(list(folder.iterdir())) == 4
    assert max(counts) <= parallel


def test_execute_jobs_runs_as_many_kernels_as_asked(kernels, tmp_path, make_job):
    meet = "import pathlib, time\nhere, there = map(pathlib.Path, {files})\n"
    meet += "here.touch()\nwhile not there.exists():\n    time.sleep(0.01)\nprint(1)"
    files = [str(tmp_path / "a"), str(tmp_path / "b")]
    jobs = [
        make_job("jax", one=meet.format(files=files)),
        make_job("mxnet", one=meet.format(files=files[::-1])),
    ]
    done = execute_jobs(jobs, kernels, 2, timeout=30)
    assert [text_of(execution) for execution in done] == ["1\n", "1\n"]


def test_execute_jobs_side_by_side_gives_what_one_by_one_gives(kernels, make_job):
    code = "import random\nrandom.seed(3)\nprint(random.random())\nrandom.random()"
    jobs = [make_job(key, one=code) for key in ALL_KEYS]
    alone, together = (execute_jobs(jobs, kernels, count) for count in (1, 4))
    assert [done.problem for done in alone + together] == [None] * 8
    assert [done.notebook for done in together] == [done.notebook for done in alone]


def test_execute_jobs_works_in_a_folder_of_its_own(kernels, make_job):
    code = "import os\nprint(os.listdir(), os.getcwd())\nopen('left', 'w').close()"
    jobs = [make_job(key, one=code) for key in ("jax", "mxnet")]
    said = [text_of(done) for done in execute_jobs(jobs, kernels, 2)]
    assert [text[:3] for text in said] == ["[] ", "[] "]
    folders = {Path(text[3:].strip()) for text in said}
    assert [folder.exists() for folder in folders] == [False, False]


def test_execute_jobs_takes_no_settings_of_the_user(
    kernels, tmp_path, monkeypatch, make_job
):
    startup = tmp_path / "ipython" / "profile_default" / "startup"
    startup.mkdir(parents=True)
    (startup / "00-mine.py").write_text("print = None\n")
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    assert text_of(run_one(kernels, make_job(one="print('plain')"))) == "plain\n"


def test_execute_jobs_keeps_what_native_code_prints(kernels, make_job):
    code = "import os\nos.write(1, b'from C\\n')\nimport time; time.sleep(0.5)"
    assert text_of(run_one(kernels, make_job(one=code))) == "from C\n"


def test_execute_jobs_with_error_that_is_the_lesson(kernels, make_job):
    job = make_job(tags=["raises-exception"], one="1 / 0", two="print('goes on')")
    done = run_one(kernels, job)
    assert done.problem is None
    assert done.notebook.cells[0].outputs[0].ename == "ZeroDivisionError"
    assert text_of(done, 1) == "goes on\n"
