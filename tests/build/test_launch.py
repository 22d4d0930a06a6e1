"""What a kernel is started with, and that it is gone afterwards."""

import asyncio

import pytest

from d2l_support.build.launch import (
    Launch,
    last_words,
    manager_options,
    start_kernel,
    start_options,
)


def test_manager_options_keep_a_kernel_in_its_folder(tmp_path):
    options = manager_options(tmp_path / "kernels", "d2l-jax", tmp_path)
    assert options["transport"] == "ipc"
    assert options["ip"] == f"{tmp_path}/kernel"
    assert options["connection_file"] == f"{tmp_path}/connection.json"
    specs = options["kernel_spec_manager"]
    assert specs.kernel_dirs == [str(tmp_path / "kernels")]
    assert specs.find_kernel_specs() == {}


def test_start_options_hide_the_test_and_the_user(tmp_path, monkeypatch):
    monkeypatch.setenv("IPYTHONDIR", "/somewhere/else")
    monkeypatch.setenv("D2L_MINE", "1")
    options = start_options(tmp_path)
    assert options["env"]["IPYTHONDIR"] == str(tmp_path / "ipython")
    assert options["env"]["D2L_MINE"] == "1"
    assert "PYTEST_CURRENT_TEST" not in options["env"]
    assert list((tmp_path / "work").iterdir()) == []
    assert options["cwd"] == str(tmp_path / "work")


def test_start_options_with_another_environment_and_log(tmp_path, monkeypatch):
    monkeypatch.setenv("D2L_MINE", "1")
    launch = Launch(inherited={"PATH": "/bin"}, log=tmp_path / "other")
    options = start_options(tmp_path, {"HOME": "/home"}, launch)
    variables = {"PATH": "/bin", "HOME": "/home"}
    assert options["env"] == {**variables, "IPYTHONDIR": str(tmp_path / "ipython")}
    assert options["stdout"].name == str(tmp_path / "other")
    assert not (tmp_path / "log").exists()


def test_last_words_of_a_long_log(tmp_path):
    (tmp_path / "log").write_text("x" * 10**6 + "\nlast\n")
    assert last_words(tmp_path) == "last"
    (tmp_path / "log").write_text("x" * 10**6)
    assert len(last_words(tmp_path)) == 2**16


def test_start_kernel_behind_a_prefix(plain_kernels, tmp_path):
    async def read_command() -> list[str]:
        kernels = plain_kernels.jupyter / "kernels"
        launch = Launch(prefix=("/usr/bin/env", "--"))
        async with start_kernel(kernels, "d2l-jax", tmp_path, launch=launch) as started:
            return started[0].provisioner.process.args

    assert asyncio.run(read_command())[:2] == ["/usr/bin/env", "--"]


@pytest.mark.parametrize(
    ("log", "words"),
    [(None, ""), ("", ""), ("first\nlast one\n \n\n", "last one")],
)
def test_last_words(tmp_path, log, words):
    if log is not None:
        (tmp_path / "log").write_text(log)
    assert last_words(tmp_path) == words


def test_start_kernel_ends_it_when_the_block_raises(
    plain_kernels, tmp_path, is_running
):
    pids = []

    async def fail() -> None:
        folder = tmp_path / "k"
        folder.mkdir()
        kernels = plain_kernels.jupyter / "kernels"
        async with start_kernel(kernels, "d2l-jax", folder) as (manager, _):
            pids.append(manager.provisioner.process.pid)
            assert is_running(*pids)
            raise ValueError("in the block")

    with pytest.raises(ValueError, match="in the block"):
        asyncio.run(fail())
    assert not is_running(*pids)
