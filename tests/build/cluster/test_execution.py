"""The book's notebooks on the workers of a real Dask cluster."""

import dask
import pytest

from d2l_support.build.cluster import workers
from d2l_support.build.cluster.execution import execute_on_cluster, list_own_variables
from d2l_support.build.execute import execute_jobs
from d2l_support.build.problems import CannotWork

CODE = "import os\nprint('out', os.environ.get('OMP_NUM_THREADS'))\n{1: 'x'}"
MEET = """
import pathlib, time
here, there = map(pathlib.Path, {files})
here.touch()
while not there.exists():
    time.sleep(0.01)
print(1)
"""


def test_execute_on_cluster_gives_what_this_machine_gives(
    plain_kernels, kernels, make_cluster, make_job, monkeypatch
):
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    jobs = [
        make_job("jax", one=CODE, two="1 / 0", tags=("raises-exception",)),
        make_job("mxnet", one="print(7)"),
    ]
    local = execute_jobs(jobs, kernels)
    seen, received = [], []
    done = execute_on_cluster(
        make_cluster(1).scheduler_address,
        plain_kernels,
        jobs,
        60,
        lambda job, state: seen.append((job.framework, state)),
        received.append,
    )
    assert [one.job for one in done] == jobs
    assert [one.notebook for one in done] == [one.notebook for one in local]
    assert [one.environment for one in done] == [one.environment for one in local]
    # The heavier first, on the one place that there is.
    assert seen == [
        ("mxnet", "starting"),
        ("mxnet", "done"),
        ("jax", "starting"),
        ("jax", "done"),
    ]
    assert [one.job.framework for one in received] == ["mxnet", "jax"]


def test_execute_on_cluster_spreads_notebooks(
    plain_kernels, make_cluster, make_job, tmp_path
):
    files = [str(tmp_path / "a"), str(tmp_path / "b")]
    jobs = [
        make_job("jax", one=MEET.format(files=files)),
        make_job("mxnet", one=MEET.format(files=files[::-1])),
    ]
    done = execute_on_cluster(
        make_cluster(2).scheduler_address, plain_kernels, jobs, 60
    )
    assert [one.problem for one in done] == [None, None]


def test_execute_on_cluster_with_faults_says_where(
    plain_kernels, make_cluster, make_job
):
    jobs = [make_job("jax", one="1 / 0"), make_job("mxnet", one="while True: pass")]
    raised, endless = execute_on_cluster(
        make_cluster(1).scheduler_address, plain_kernels, jobs, 1
    )
    assert "section.md:10: cell 'one' (jax): found ZeroDivisionError" in str(
        raised.problem
    )
    assert "cell 'one' (mxnet): found no end after 1 s" in str(endless.problem)


def test_execute_on_cluster_with_worker_that_fails_says_so(
    plain_kernels, make_cluster, make_job
):
    job = make_job("jax", one="print(1)")
    (done,) = execute_on_cluster(
        make_cluster(1).scheduler_address, plain_kernels, [job], "soon"
    )
    assert str(done.problem).startswith(
        "chapters/part/section.md: (jax): found that its Dask worker failed ("
    )


def test_execute_on_cluster_without_kernels_says_so(tiny_book, make_cluster, make_job):
    expected = (
        r"workers that cannot execute:\nworker tcp://.*: found no kernel for jax in "
        r".*kernels --create --framework jax"
    )
    with pytest.raises(CannotWork, match=expected):
        execute_on_cluster(
            make_cluster(1).scheduler_address, tiny_book, [make_job(one="1")], 60
        )


def test_execute_on_cluster_nobody_there_says_so(tiny_book, make_job, monkeypatch):
    monkeypatch.setattr(workers, "CONNECT_SECONDS", 1)
    with pytest.raises(CannotWork, match=r"no Dask scheduler at tcp://127.0.0.1:1 "):
        execute_on_cluster("tcp://127.0.0.1:1", tiny_book, [make_job(one="1")], 60)


def test_list_own_variables_leaves_out_what_dask_set():
    with dask.config.set({"distributed.nanny.pre-spawn-environ": {"OMP": 1, "MKL": 1}}):
        own = list_own_variables({"OMP": "1", "MKL": "4", "HOME": "/root"})
    assert own == {"MKL": "4", "HOME": "/root"}
