"""Notebooks in kernels behind a real gateway."""

import os
import signal
import threading

import requests

from d2l_support.build.execute import execute_jobs
from d2l_support.build.gateway.kernel import start_remote

HELD = "chapters/part/section.md:10: cell 'one' (jax): found that"
PICTURE = """
import ipywidgets
from IPython.display import display
display(ipywidgets.Image(value=bytes(range(256))))
print("shown")
"""


def run_one(served, job, **options):
    served.gateway.use()
    (execution,) = execute_jobs([job], start_remote(served.gateway), **options)
    return execution


def text_of(execution, cell=0):
    return execution.notebook.cells[cell].outputs[-1].text


def list_kernels(served) -> list:
    answer = requests.get(
        f"{served.gateway.url}/api/kernels",
        headers={"Authorization": f"token {served.gateway.token}"},
        timeout=10,
    )
    return answer.json()


def test_start_remote_runs_a_notebook_and_ends_the_kernel(served, make_job):
    done = run_one(served, make_job(one="x = 1", two="print(x + 1)"))
    assert done.problem is None
    assert text_of(done, 1) == "2\n"
    assert [cell.execution_count for cell in done.notebook.cells] == [1, 2]
    assert done.environment["versions"] == {"plain": "1.0"}
    assert list_kernels(served) == []


def test_start_remote_gives_what_a_local_kernel_gives(served, kernels, make_job):
    code = "import sys\nprint('out')\nprint('err', file=sys.stderr)\n{1: 'x'}"
    job = make_job(one=code, two="1 / 0", tags=("raises-exception",))
    (local,) = execute_jobs([job], kernels)
    assert run_one(served, job).notebook.cells == local.notebook.cells


def test_start_remote_works_in_a_folder_of_its_own(served, make_job):
    code = "import os\nprint(os.listdir(), os.getcwd())\nopen('left', 'w').close()"
    said = text_of(run_one(served, make_job(one=code)))
    assert said.startswith("[] ")
    assert not os.path.exists(said[3:].strip())


def test_start_remote_leaves_no_name_to_the_cells(served, make_job):
    code = "print([n for n in dir() if n in ('_settle', 'os', 'tempfile')])"
    assert text_of(run_one(served, make_job(one=code))) == "[]\n"


def test_start_remote_with_several_at_a_time(served, make_job):
    jobs = [make_job(key, one="print(6 * 7)") for key in ("jax", "mxnet", "pytorch")]
    served.gateway.use()
    done = execute_jobs(jobs, start_remote(served.gateway), 3)
    assert [text_of(execution) for execution in done] == ["42\n"] * 3


def test_start_remote_passes_pictures_of_widgets(served, make_job):
    done = run_one(served, make_job(one=PICTURE))
    assert done.problem is None
    assert text_of(done) == "shown\n"
    assert done.notebook.metadata.widgets


def test_start_remote_with_cell_that_raises(served, make_job):
    done = run_one(served, make_job(one="1 / 0"))
    assert "cell 'one' (jax): found ZeroDivisionError" in str(done.problem)


def test_start_remote_with_cell_that_never_ends(served, make_job):
    done = run_one(served, make_job(one="while True: pass"), timeout=1)
    assert str(done.problem).startswith(f"{HELD[:-4]}no end after 1 s")
    assert list_kernels(served) == []


def test_start_remote_with_kernel_that_dies_in_a_cell(served, make_job):
    done = run_one(served, make_job(one="import os; os._exit(3)"))
    assert str(done.problem) == (
        f"{HELD} the kernel died in this cell, expected it to live."
    )


def test_start_remote_with_gateway_that_vanishes_in_a_cell(
    served, tmp_path, make_job, is_running
):
    note = tmp_path / "pid"
    code = f"import os, time\nopen({str(note)!r}, 'w').write(str(os.getpid()))\n"
    begun = threading.Event()

    def end_when_begun():
        while not (note.exists() and note.read_text()) and not begun.wait(0.05):
            pass
        served.end()

    thread = threading.Thread(target=end_when_begun)
    thread.start()
    try:
        done = run_one(served, make_job(one=code + "time.sleep(60)"))
    finally:
        begun.set()
        thread.join()
        if is_running(int(note.read_text())):
            os.kill(int(note.read_text()), signal.SIGKILL)
    problem = str(done.problem)
    assert problem.startswith(f"{HELD} the connection to the gateway is lost")
    assert done.notebook is None


def test_start_remote_without_gateway(served, make_job):
    served.end()
    problem = str(run_one(served, make_job(one="1")).problem)
    place = served.gateway.url
    assert f"section.md: (jax): found no gateway at {place} (" in problem


def test_start_remote_with_kernel_that_the_gateway_cannot_start(
    served, plain_kernels, make_job
):
    python = plain_kernels.environments / "jax" / "bin" / "python"
    python.unlink()
    problem = str(run_one(served, make_job(one="1")).problem)
    assert "(jax): found that the gateway at http" in problem
    assert " fails (500: " in problem
    assert "No such file" in served.log.read_text()
