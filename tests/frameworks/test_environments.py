"""The contract of `describe_environment`, the same in all four."""

import json
import os
import platform

import numpy as np


def test_environment_has_the_same_keys_everywhere(d2l, framework):
    found = d2l.describe_environment()
    assert list(found) == [
        "framework",
        "versions",
        "platform",
        "device",
        "threads",
        "instruction_set",
        "flags",
    ]
    assert found["framework"] == framework


def test_environment_survives_json(d2l):
    found = d2l.describe_environment()
    assert json.loads(json.dumps(found)) == found


def test_environment_names_python_and_numpy(d2l):
    versions = d2l.describe_environment()["versions"]
    assert versions["python"] == platform.python_version()
    assert versions["numpy"] == np.__version__
    assert len(versions) > 2


def test_environment_lists_only_variables_that_are_set(d2l, monkeypatch):
    monkeypatch.setenv("MKL_CBWR", "COMPATIBLE")
    monkeypatch.delenv("PYTHONHASHSEED", raising=False)
    flags = d2l.describe_environment()["flags"]
    assert flags["MKL_CBWR"] == "COMPATIBLE"
    assert "PYTHONHASHSEED" not in flags


def test_environment_changes_no_stream(d2l, expected):
    untouched = expected.draw(d2l.set_seed(3))
    start = d2l.set_seed(3)
    d2l.describe_environment()
    assert expected.draw(start) == untouched


def test_environment_keeps_paths_and_host_to_itself(d2l):
    text = json.dumps(d2l.describe_environment())
    assert os.getcwd() not in text
    assert platform.node() not in text
