"""MXNet's one kind of stream: a global one that cannot be read."""

import subprocess
import sys

import mxnet as mx
import numpy as np

from d2l_support import mxnet as d2l


def draw_in_new_process(first_line: str) -> str:
    """Four normals, drawn and printed by a fresh interpreter."""
    code = (
        f"import mxnet as mx\n{first_line}\n"
        "print(mx.np.random.normal(size=(4,)).asnumpy().tolist())\n"
    )
    command = [sys.executable, "-c", code]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_set_seed_equals_mxnet_seed():
    assert d2l.set_seed(3) is None
    drawn = mx.np.random.normal(size=(4,)).asnumpy().tolist()
    mx.np.random.seed(3)
    assert mx.np.random.normal(size=(4,)).asnumpy().tolist() == drawn


def test_mxnet_seed_reaches_no_other_stream():
    d2l.set_seed(3)
    mx.np.random.seed(4)
    mx.np.random.normal(size=(4,))
    assert np.random.normal() == np.random.RandomState(3).normal()


def test_process_without_a_seed_starts_as_with_seed_0():
    unseeded = draw_in_new_process("")
    assert unseeded == draw_in_new_process("mx.np.random.seed(0)")
    assert unseeded != draw_in_new_process("mx.np.random.seed(1)")


def test_own_state_is_not_known():
    d2l.set_seed(3)
    stream = d2l.random_inventory().streams[2]
    assert (stream.name, stream.seeded_by, stream.moved) == ("MXNet cpu", 3, None)
    assert stream.note == "MXNet has no call that reads its state."


def test_inventory_has_a_row_for_each_gpu(monkeypatch):
    monkeypatch.setattr(mx.device, "num_gpus", lambda: 2)
    d2l.set_seed(3)
    names = [stream.name for stream in d2l.random_inventory().streams]
    assert names[2:] == ["MXNet cpu", "MXNet gpu(0)", "MXNet gpu(1)"]


def test_environment_lists_its_variables(monkeypatch):
    monkeypatch.setenv("MXNET_ONEDNN_ENABLED", "0")
    flags = d2l.describe_environment()["flags"]
    assert flags["MXNET_ONEDNN_ENABLED"] == "0"


def test_environment_reads_threads_back(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    assert d2l.describe_environment()["threads"] == 3
    monkeypatch.delenv("OMP_NUM_THREADS")
    assert d2l.describe_environment()["threads"] is None
