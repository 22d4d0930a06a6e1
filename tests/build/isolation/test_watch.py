"""What is too much in a folder, and how a process ended, in words."""

import pytest

from d2l_support.build.isolation import watch
from d2l_support.build.isolation.watch import describe_exit, find_excess


def test_find_excess_in_a_usual_folder(tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "file").write_text("x")
    assert find_excess(tmp_path) == ""


def test_find_excess_of_files(tmp_path, monkeypatch):
    monkeypatch.setattr(watch, "FILES", 3)
    for number in range(4):
        (tmp_path / str(number)).mkdir()
    assert "found 4 files" in find_excess(tmp_path)


def test_find_excess_of_bytes_does_not_follow_links(tmp_path, monkeypatch):
    monkeypatch.setattr(watch, "DISK", 2**16)
    outside, inside = tmp_path / "outside", tmp_path / "inside"
    inside.mkdir()
    outside.write_bytes(bytes(2**17))
    (inside / "link").symlink_to(outside)
    (inside / "here").symlink_to(inside)
    assert find_excess(inside) == ""
    assert "expected at most 10000 of 0 MiB" in find_excess(tmp_path)


def test_find_excess_in_a_folder_that_is_gone(tmp_path):
    assert find_excess(tmp_path / "gone") == ""


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (3, "with exit code 3"),
        (-9, "by SIGKILL"),
        (137, "by SIGKILL"),  # as a sandbox gives it back
        (0, "with exit code 0"),
    ],
)
def test_describe_exit(code, words):
    assert describe_exit(code) == words
