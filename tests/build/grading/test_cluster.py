"""The same jobs on a Dask cluster, which runs on loopback here."""

import os
import signal
import threading
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

import distributed
import pytest
from nbformat import v4

from d2l_support.build.cluster import dispatch, workers
from d2l_support.build.grading.cluster import make_cluster_runner
from d2l_support.build.grading.pool import Job, Terms
from d2l_support.build.isolation.outcome import UNSTARTED, WHOLE, Limits
from d2l_support.build.problems import CannotWork

ROOT = Path(__file__).parents[3]
TERMS = Terms(Limits(cell_seconds=60, seconds=120), "process")


@dataclass
class Taken:
    """What a run told of its jobs."""

    started: list
    outcomes: dict


def make_job(name: str, code: str) -> Job:
    notebook = v4.new_notebook(cells=[v4.new_code_cell(code, id="only")])
    return Job(("doubles-jax", name), "jax", notebook)


def run(address: str, jobs: list[Job], root: str = str(ROOT), start=None) -> Taken:
    taken = Taken([], {})

    def receive(job, outcome):
        taken.outcomes[job.key[1]] = outcome

    def note(job):
        taken.started.append(job.key[1])
        if start:
            start(job)

    make_cluster_runner(address, root, TERMS)(jobs, note, receive)
    return taken


def test_make_cluster_runner_runs_jobs_elsewhere(make_cluster):
    address = make_cluster(2).scheduler_address
    jobs = [make_job(name, "print(6 * 7)") for name in ("ada", "bob", "cleo")]
    taken = run(address, jobs)
    assert sorted(taken.started) == ["ada", "bob", "cleo"]
    for outcome in taken.outcomes.values():
        assert outcome.ending == WHOLE
        assert outcome.completed == ("only",)
        assert outcome.notebook.cells[0].outputs[0].text == "42\n"


def test_make_cluster_runner_nobody_there_says_so(monkeypatch):
    monkeypatch.setattr(workers, "CONNECT_SECONDS", 1)
    with pytest.raises(CannotWork, match=r"no Dask scheduler at tcp://127.0.0.1:1 "):
        run("tcp://127.0.0.1:1", [make_job("ada", "1")])


def test_make_cluster_runner_odd_address_says_so():
    with pytest.raises(CannotWork, match=r"no Dask scheduler at nonsense://x "):
        run("nonsense://x", [make_job("ada", "1")])


def test_workers_none_says_so(make_cluster):
    with pytest.raises(CannotWork, match="without workers"):
        run(make_cluster(0).scheduler_address, [make_job("ada", "1")])


def test_workers_without_kernels_say_so(make_cluster, tmp_path):
    (tmp_path / "_toc.yml").write_text("")
    (tmp_path / "requirements").mkdir()
    (tmp_path / "requirements" / "jax.txt").write_text("jax==0.1\n")
    address = make_cluster(1).scheduler_address
    expected = r"worker tcp://.*: found no kernel for jax in .* --framework jax"
    with pytest.raises(CannotWork, match=expected):
        run(address, [make_job("ada", "1")], str(tmp_path))


def test_ask_worker_without_the_package_says_so(monkeypatch):
    monkeypatch.setitem(os.sys.modules, "d2l_support.build.grading.remote", None)
    module = "d2l_support.build.grading.remote"
    said = workers.ask_worker(module, (str(ROOT), ["jax"], "auto"))
    assert "cannot import d2l_support.build" in said
    assert said.endswith("Run there: .envs/grading/bin/dask worker ADDRESS")


class FakeClient:
    """A scheduler of whose workers a test decides which are lost."""

    def __init__(self, *names: str):
        self.names = list(names)
        self.sent = []

    def nthreads(self):
        return dict.fromkeys(self.names, 1)

    def run(self, function, *arguments, workers, on_error):
        return dict.fromkeys(workers, "")

    def submit(self, function, *arguments, workers, **options):
        future = FakeFuture(workers[0])
        self.sent.append(workers[0])
        return future

    def cancel(self, futures):
        pass

    def as_current(self):
        return nullcontext()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        pass


@dataclass(eq=False)
class FakeFuture:
    """A job that never ends."""

    worker: str

    def done(self) -> bool:
        return False


@pytest.fixture
def lose(monkeypatch):
    """A function that runs a job on workers, each lost as it gets the job."""

    def run_and_lose(*names: str) -> tuple[FakeClient, Taken]:
        client = FakeClient(*names)
        monkeypatch.setattr(dispatch, "connect", lambda address: client)

        def wait(futures, *arguments, **options):
            for future in futures:
                client.names.remove(future.worker)

        monkeypatch.setattr(dispatch.distributed, "wait", wait)
        return client, run("tcp://x", [make_job("ada", "1")])

    return run_and_lose


def test_make_cluster_runner_lost_worker_is_tried_elsewhere_once(lose):
    client, taken = lose("one", "two", "three")
    assert client.sent == ["one", "two"]
    assert taken.outcomes["ada"].ending == UNSTARTED
    assert taken.outcomes["ada"].detail == "found its Dask worker lost, 2 times"


def test_make_cluster_runner_all_lost_says_so(lose, monkeypatch):
    monkeypatch.setattr(dispatch, "CONNECT_SECONDS", -1)
    with pytest.raises(CannotWork, match="every Dask worker is gone"):
        lose("one")


def test_make_cluster_runner_killed_worker_job_runs_on_another(make_cluster, tmp_path):
    """The first worker to begin is killed; its nanny starts another."""
    local = make_cluster(2)
    mark = tmp_path / "begun"
    code = f"import os, time\nopen({str(mark)!r}, 'a').write('x')\n" + (
        f"while len(open({str(mark)!r}).read()) < 2: time.sleep(0.1)"
    )
    killed = threading.Event()

    def kill_first():
        while not mark.exists():
            if killed.wait(0.1):
                return
        with distributed.Client(local, set_as_default=False) as client:
            busy = [name for name, tasks in client.processing().items() if tasks]
            nannies = {w.worker_address: w for w in local.workers.values()}
            os.kill(nannies[busy[0]].pid, signal.SIGKILL)

    thread = threading.Thread(target=kill_first)
    thread.start()
    try:
        taken = run(local.scheduler_address, [make_job("ada", code)])
    finally:
        killed.set()
        thread.join()
    assert taken.outcomes["ada"].ending == WHOLE, taken.outcomes["ada"].detail
    assert taken.started == ["ada", "ada"]
    assert mark.read_text() == "xx"
