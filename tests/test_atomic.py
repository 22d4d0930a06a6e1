"""Files that are written whole or not at all."""

import os
import stat
from pathlib import Path

import pytest

from d2l_support import atomic


def test_write_makes_a_file(tmp_path):
    atomic.write_atomically(tmp_path / "new.bin", b"data")
    assert (tmp_path / "new.bin").read_bytes() == b"data"
    assert [file.name for file in tmp_path.iterdir()] == ["new.bin"]


def test_write_takes_the_place_of_an_older_file(tmp_path):
    file = tmp_path / "old.bin"
    file.write_bytes(b"older and longer")
    atomic.write_atomically(str(file), b"new")
    assert file.read_bytes() == b"new"


def test_write_follows_a_link(tmp_path):
    (tmp_path / "folder").mkdir()
    target = tmp_path / "folder" / "target.bin"
    target.write_bytes(b"old")
    (tmp_path / "link.bin").symlink_to(target)
    atomic.write_atomically(tmp_path / "link.bin", b"new")
    assert (tmp_path / "link.bin").is_symlink()
    assert target.read_bytes() == b"new"


def test_write_gives_the_usual_permissions(tmp_path):
    mask = os.umask(0o027)
    try:
        atomic.write_atomically(tmp_path / "new.bin", b"data")
    finally:
        os.umask(mask)
    assert stat.S_IMODE((tmp_path / "new.bin").stat().st_mode) == 0o640


@pytest.mark.parametrize("failure", [OSError("no"), KeyboardInterrupt()])
@pytest.mark.parametrize("where", ["fsync", "replace"])
def test_write_that_fails_leaves_the_older_file(tmp_path, monkeypatch, where, failure):
    file = tmp_path / "old.bin"
    file.write_bytes(b"old")

    def fail(*arguments):
        raise failure

    holder = os if where == "fsync" else Path
    monkeypatch.setattr(holder, where, fail)
    with pytest.raises(type(failure)):
        atomic.write_atomically(file, b"new")
    monkeypatch.undo()
    assert file.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [file]


def test_write_forces_the_data_to_the_disk_before_it_takes_the_name(
    tmp_path, monkeypatch
):
    file, seen = tmp_path / "new.bin", []
    sync = os.fsync

    def watch(handle):
        seen.append(file.exists())
        sync(handle)

    monkeypatch.setattr(os, "fsync", watch)
    atomic.write_atomically(file, b"data")
    assert seen == [False, True]  # the file, and then its folder


def test_write_without_folder(tmp_path):
    with pytest.raises(FileNotFoundError):
        atomic.write_atomically(tmp_path / "no" / "new.bin", b"data")
