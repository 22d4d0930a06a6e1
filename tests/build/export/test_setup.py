"""The first cell keeps what is there and asks pip for what is missing alone."""

import json
import subprocess
import sys

import pytest

from d2l_support.build.export.setup import RANGES, list_needed, write_setup
from d2l_support.build.frameworks import ALL_KEYS
from d2l_support.build.section import Cell

PRETEND = """
import importlib.metadata, json, subprocess
there = {there}
def version(name):
    if name not in there:
        raise importlib.metadata.PackageNotFoundError(name)
    return there[name]
importlib.metadata.version = version
asked = []
subprocess.run = lambda command, check: asked.append(command[5:])
"""
HELPERS = Cell("code", "from d2l_support import jax as d2l", 1)
PLAIN = Cell("code", "import jax", 1)
ALL_THERE = {
    "jax": "0.10.2",
    "flax": "0.12.8",
    "optax": "0.2.8",
    "matplotlib": "3.11.0",
    "d2l-support": "0.1.0",
}


def run_setup(source, folder, there):
    """What the cell asks pip for, and prints, where these releases are."""
    code = PRETEND.format(there=there) + source + "\nprint(json.dumps(asked))"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    *printed, asked = done.stdout.splitlines()
    return json.loads(asked), printed


def test_setup_asks_for_nothing_where_all_is_there(tmp_path):
    source = write_setup("jax", [HELPERS], "A notice.")
    assert run_setup(source, tmp_path, ALL_THERE) == ([], ["A notice."])


def test_setup_asks_for_what_is_missing_or_too_old_alone(tmp_path):
    source = write_setup("jax", [PLAIN], "")
    there = {**ALL_THERE, "flax": "0.12.5"}
    del there["optax"]
    asked, _ = run_setup(source, tmp_path, there)
    assert asked == [["flax>=0.12.6", "optax>=0.2.5"]]


def test_setup_takes_the_newest_wheel_beside_the_notebook(tmp_path):
    for release in ("0.1.0", "0.2.0"):
        (tmp_path / f"d2l_support-{release}-py3-none-any.whl").touch()
    there = {name: ALL_THERE[name] for name in ALL_THERE if name != "d2l-support"}
    source = write_setup("jax", [HELPERS], "", "https://book.test/helpers.whl")
    asked, _ = run_setup(source, tmp_path, there)
    assert asked == [[str(tmp_path / "d2l_support-0.2.0-py3-none-any.whl")]]


def test_setup_takes_the_published_wheel_where_none_lies_beside(tmp_path):
    there = {name: ALL_THERE[name] for name in ALL_THERE if name != "d2l-support"}
    source = write_setup("jax", [HELPERS], "", "https://book.test/helpers.whl")
    assert run_setup(source, tmp_path, there)[0] == [["https://book.test/helpers.whl"]]


def test_setup_takes_the_build_of_tensorflow_without_gpu(tmp_path):
    source = write_setup("tensorflow", [], "")
    there = {"tensorflow-cpu": "2.21.0", "keras": "3.15.1"}
    assert run_setup(source, tmp_path, there)[0] == []


def test_setup_prints_a_long_notice_as_one_line(tmp_path):
    notice = 'It\'s "quoted": ' + ", ".join(f"[{number}]" for number in range(60))
    source = write_setup("jax", [PLAIN], notice)
    assert max(map(len, source.splitlines())) <= 110
    assert run_setup(source, tmp_path, ALL_THERE) == ([], [notice])


def test_setup_counts_a_prerelease(tmp_path):
    there = {"torch": "2.13.0.dev1"}
    assert run_setup(write_setup("pytorch", [], ""), tmp_path, there)[0] == []


def test_setup_of_mxnet_installs_it_without_its_wishes(tmp_path):
    source = write_setup("mxnet", [], "")
    source = source.replace("from d2l_support import numpy_names", "")
    source = source.replace("numpy_names.restore_names()", "")
    there = {"numpy": "2.5.5", "requests": "2.34.2", "d2l-support": "0.1.0"}
    asked, _ = run_setup(source, tmp_path, there)
    assert asked == [["--no-deps", "mxnet==2.0.0b1"]]
    assert run_setup(source, tmp_path, {**there, "mxnet": "2.0.0b1"})[0] == []


def test_setup_without_helpers_names_no_wheel():
    assert "d2l" not in write_setup("jax", [PLAIN], "")


@pytest.mark.parametrize("framework", ALL_KEYS)
def test_setup_is_short(framework):
    lines = write_setup(framework, [HELPERS], "It's a notice.").splitlines()
    assert len(lines) <= (32 if framework == "mxnet" else 22)
    assert max(map(len, lines)) <= 112


def test_list_needed_has_what_the_code_draws_with():
    text = "from d2l_support.steppers import show_steps"
    assert list_needed("jax", text) == [*RANGES["jax"], "matplotlib", "ipywidgets"]
    assert list_needed("jax", "import jax") == [*RANGES["jax"]]
