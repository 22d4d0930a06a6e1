"""What the machine, the variables and the packages add to an environment."""

import json
import platform

import numpy as np
import pytest

from d2l_support import environment


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("model : 1\nflags\t\t: fpu avx avx2 avx512f\n", "AVX-512"),
        ("flags\t\t: fpu avx avx2\n", "AVX2"),
        ("flags\t\t: fpu avx sse4_2\n", "none"),
        ("Features\t: fp asimd\n", "unknown"),
    ],
)
def test_read_instruction_set(tmp_path, text, name):
    cpuinfo = tmp_path / "cpuinfo"
    cpuinfo.write_text(text)
    assert environment.read_instruction_set(cpuinfo) == name


def test_read_instruction_set_without_list(tmp_path):
    assert environment.read_instruction_set(tmp_path / "none") == "unknown"


def test_list_variables_leaves_out_what_is_not_set(monkeypatch):
    monkeypatch.setenv("D2L_ONE", "")
    monkeypatch.delenv("D2L_TWO", raising=False)
    assert environment.list_variables(("D2L_ONE", "D2L_TWO")) == {"D2L_ONE": ""}


def test_list_changed_keeps_what_differs_from_its_default():
    switches = {"a": (True, False), "b": (None, None), "c": ("x", "y")}
    assert environment.list_changed(switches) == {"a": True, "c": "x"}


def test_list_versions_skips_what_is_missing():
    found = environment.list_versions("numpy", "no-such-package-anywhere")
    assert found == {"numpy": np.__version__}


@pytest.mark.parametrize(
    ("value", "threads"), [("4", 4), ("0", None), ("", None), ("4,2", None)]
)
def test_read_threads(monkeypatch, value, threads):
    monkeypatch.setenv("D2L_THREADS", value)
    assert environment.read_threads("D2L_THREADS") == threads


def test_count_cores_without_affinity(monkeypatch):
    monkeypatch.delattr(environment.os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(environment.os, "cpu_count", lambda: 6)
    assert environment.count_cores() == 6


def test_build_environment_is_json(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    found = environment.build_environment(
        "jax", {"jax": "1"}, "cpu", None, {"XLA_FLAGS": "--x"}
    )
    assert json.loads(json.dumps(found)) == found
    assert found["versions"] == {
        "python": platform.python_version(),
        "numpy": np.__version__,
        "jax": "1",
    }
    assert found["flags"]["OMP_NUM_THREADS"] == "2"
    assert found["flags"]["XLA_FLAGS"] == "--x"
    assert found["platform"] == f"{platform.system()} {platform.machine()}"
