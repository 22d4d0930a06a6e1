"""The command line: its help, its exit codes and what it says to a wrong call."""

import subprocess
import sys
from pathlib import Path

import pytest

from d2l_support.build import cli

COMMANDS = ("kernels", "check", "execute", "record", "diff")


@pytest.fixture
def in_book(tiny_book, monkeypatch):
    monkeypatch.chdir(tiny_book.root)
    return tiny_book


def refuse(arguments: list[str], capsys) -> str:
    """What the parser says on its last line when it refuses a call."""
    with pytest.raises(SystemExit) as caught:
        cli.main(arguments)
    assert caught.value.code == 2
    return capsys.readouterr().err.splitlines()[-1]


@pytest.mark.parametrize("command", [[], *([name] for name in COMMANDS)])
def test_main_help_shows_examples_and_exit_codes(command, capsys):
    with pytest.raises(SystemExit) as caught:
        cli.main([*command, "--help"])
    assert caught.value.code == 0
    text = capsys.readouterr().out
    assert "d2l-support record seeds --framework jax" in text
    assert "exit codes: 0 fine, 1 a problem in the content, 2 the command" in text


def test_main_help_lists_every_command(capsys):
    with pytest.raises(SystemExit):
        cli.main(["--help"])
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert [words[0] for words in lines if words and words[0] in COMMANDS] == [
        *COMMANDS
    ]


def test_main_without_command(capsys):
    assert "the following arguments are required: COMMAND" in refuse([], capsys)


def test_main_with_unknown_framework(capsys):
    said = refuse(["record", "--framework", "torch"], capsys)
    assert "argument --framework: invalid choice: 'torch'" in said
    assert all(name in said for name in ("pytorch", "tensorflow", "jax", "mxnet"))


@pytest.mark.parametrize("option", ["--jobs", "--timeout"])
@pytest.mark.parametrize("number", ["0", "-1", "two", "1.5"])
def test_main_with_number_that_is_none(option, number, capsys):
    said = refuse(["record", f"{option}={number}"], capsys)
    assert f"argument {option}: found '{number}', expected 1, 2, 3, ..." in said


def test_main_with_unknown_section_suggests_one(in_book, capsys):
    assert cli.main(["check", "secton"]) == 2
    assert capsys.readouterr().err == (
        "d2l-support: found no section 'secton'; did you mean 'section'? "
        "sections: section\n"
    )


def test_main_outside_a_checkout(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert cli.main(["check"]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"d2l-support: found no _toc.yml in {tmp_path} or above it")


def test_main_with_all_well(recorded_book, monkeypatch, capsys):
    monkeypatch.chdir(recorded_book.root / "chapters")
    assert cli.main(["check"]) == 0
    assert capsys.readouterr().out == "1 sections, 4 frameworks: no problem\n"


def test_main_with_problems_prints_each_on_one_line(in_book, capsys):
    assert cli.main(["check", "--framework", "jax", "--framework", "mxnet"]) == 1
    where = "chapters/part/recorded/section"
    run = "Run: d2l-support record --framework"
    assert capsys.readouterr().out.splitlines() == [
        f"{where}.{key}.ipynb: ({key}): found no record, expected one. "
        f"{run} {key} section"
        for key in ("jax", "mxnet")
    ] + ["1 sections, 2 frameworks: 2 problems"]


@pytest.mark.parametrize("command", ["execute", "record", "diff"])
def test_main_with_broken_source_runs_nothing(in_book, capsys, command):
    source = in_book.source(in_book.sections()[0])
    source.write_text(source.read_text().replace("framework: jax", "framework: jx"))
    assert cli.main([command]) == 1
    said = capsys.readouterr()
    assert said.err.startswith("chapters/part/section.md:")
    assert "found framework 'jx'" in said.err
    assert said.out == ""
    assert not in_book.environments.exists()


def test_main_with_file_that_cannot_be_used(in_book, capsys):
    in_book.cache.write_text("a file where a folder belongs")
    assert cli.main(["record"]) == 2
    said = capsys.readouterr().err
    assert said.startswith("d2l-support: found that it cannot go on ([Errno 17]")
    assert str(in_book.cache) in said


def test_main_as_installed_command(recorded_book):
    command = Path(sys.executable).with_name("d2l-support")
    run = subprocess.run(
        [command, "check", "section", "--framework", "jax"],
        cwd=recorded_book.root,
        capture_output=True,
        text=True,
    )
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout == "1 sections, 1 frameworks: no problem\n"
