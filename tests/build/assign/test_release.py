"""What nbgrader says, and what it runs with."""

import subprocess
import sys
from pathlib import Path

import pytest

from d2l_support.build.assign import release
from d2l_support.build.assign.course import Course
from d2l_support.build.problems import CannotWork

GONE = "/nonexistent"


def test_nbgrader_environment_finds_alembic_of_this_interpreter(monkeypatch):
    monkeypatch.setenv("PATH", GONE)
    variables = release.nbgrader_environment()
    first, *rest = variables["PATH"].split(":")
    assert (Path(first) / "alembic").is_file()
    assert rest == [GONE]
    assert variables["JUPYTER_NO_CONFIG"] == "1"


def test_generate_releases_names_an_assignment_without_a_source(tmp_path):
    (one,) = release.generate_releases(Course(tmp_path), ["none-jax"])
    assert one.name == "none-jax"
    assert "No notebooks were matched" in one.problem


def test_generate_releases_does_not_read_somebodys_configuration(tmp_path, monkeypatch):
    folder = tmp_path / "home" / ".jupyter"
    folder.mkdir(parents=True)
    trap = tmp_path / "read"
    (folder / "nbgrader_config.py").write_text(f"open({str(trap)!r}, 'w')")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("JUPYTER_CONFIG_DIR", str(folder))
    release.generate_releases(Course(tmp_path), ["none-jax"])
    assert not trap.exists()


def test_generate_releases_says_when_nbgrader_does_not_run(tmp_path, monkeypatch):
    def fail(command, **options):
        return subprocess.CompletedProcess(command, 1, "", "Traceback\nno nbgrader\n")

    monkeypatch.setattr(release.subprocess, "run", fail)
    with pytest.raises(
        CannotWork, match=r"nbgrader does not run here \(no nbgrader\).*make grading"
    ):
        release.generate_releases(Course(tmp_path), ["a-jax"])


def test_generate_releases_reads_only_its_own_lines(tmp_path, monkeypatch):
    said = 'a word\n{"name": "a-jax", "success": true}\n'

    def speak(command, **options):
        assert command[0] == sys.executable
        return subprocess.CompletedProcess(command, 0, said, "")

    monkeypatch.setattr(release.subprocess, "run", speak)
    found = release.generate_releases(Course(tmp_path), ["a-jax"])
    assert found == [release.Release("a-jax")]
