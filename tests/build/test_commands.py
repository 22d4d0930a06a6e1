"""The sub-commands beside ``record``, with kernels that have no framework."""

import nbformat
import pytest

from d2l_support.build import cli, commands
from d2l_support.build.environments import environment_python


@pytest.fixture
def small_book(command_book, write_section):
    """A checkout with a section of two quick cells."""
    write_section(one="x = 1", two="print('x is', x)")
    return command_book


def record_name(framework: str, section: str = "section") -> str:
    return f"chapters/part/recorded/{section}.{framework}.ipynb"


def test_run_kernels_lists_each_with_its_health(command_book, capsys):
    environment_python(command_book, "pytorch").unlink()
    command_book.requirements("tensorflow").write_text("numpy==2.4.5\n")
    (command_book.root / "d2l_support" / "mxnet.py").write_text(
        "raise OSError('[no] libquad')"
    )
    assert cli.main(["kernels"]) == 0
    out = capsys.readouterr().out
    rows = [
        [cell.strip() for cell in line.split("│")[1:-1]] for line in out.splitlines()
    ]
    assert [row for row in rows if row] == [
        ["d2l-pytorch", "broken", "its interpreter is gone"],
        ["d2l-tensorflow", "outdated", "installed from other pins"],
        ["d2l-jax", "ready", "plain 1.0"],
        ["d2l-mxnet", "broken", "OSError: [no] libquad"],
    ]
    advice = "Run: d2l-support kernels --create  (for pytorch, tensorflow, mxnet)"
    assert out.splitlines()[-1] == advice


def test_run_kernels_without_any_says_how_to_make_them(tiny_book, monkeypatch, capsys):
    monkeypatch.chdir(tiny_book.root)
    assert cli.main(["kernels", "--framework", "jax"]) == 0
    out = capsys.readouterr().out
    assert "missing" in out
    assert "Run: d2l-support kernels --create  (for jax)" in out


def test_run_kernels_create_with_all_ready(command_book, capsys):
    assert cli.main(["kernels", "--create"]) == 0
    assert capsys.readouterr().out.count("ready") == 4


def test_run_kernels_create_that_stays_unwell(command_book, monkeypatch, capsys):
    (command_book.root / "d2l_support" / "jax.py").write_text("import no_framework")
    monkeypatch.setattr(
        "d2l_support.build.kernels.create_environment",
        lambda command_book, key, report: None,
    )
    assert cli.main(["kernels", "--create", "--framework", "jax"]) == 2
    assert "ModuleNotFoundError: No module named 'no_framework'" in (
        capsys.readouterr().out
    )


def test_run_execute_writes_notebooks_and_no_record(small_book, tmp_path, read_records):
    output = tmp_path / "out"
    arguments = ["execute", "--framework", "jax", "--output", str(output)]
    assert cli.main(arguments) == 0
    notebook = nbformat.read(output / "part" / "section.jax.ipynb", as_version=4)
    assert notebook.cells[1].outputs[0].text == "x is 1\n"
    assert read_records() == {}


def test_run_execute_with_cell_that_never_ends(command_book, write_section, capsys):
    write_section(one="while True:\n    pass")
    assert cli.main(["execute", "--framework", "jax", "--timeout", "1"]) == 1
    last = capsys.readouterr().out.splitlines()[-1]
    assert "cell 'one' (jax): found no end after 1 s" in last


def test_run_diff_with_same_outputs(small_book, capsys, read_records):
    assert cli.main(["record", "--framework", "jax"]) == 0
    before = read_records()
    assert cli.main(["diff", "--framework", "jax"]) == 0
    last = capsys.readouterr().out.splitlines()[-1]
    assert last == "1 notebooks: 0 cells differ"
    assert read_records() == before


def test_run_diff_with_other_number_shows_cell_values_and_rule(
    command_book, write_section, tmp_path, capsys, read_records
):
    number = tmp_path / "number"
    number.write_text("0.25")
    write_section(one=f"print('loss', float(open({str(number)!r}).read()))")
    assert cli.main(["record", "--framework", "jax"]) == 0
    before = read_records()
    number.write_text("0.26")
    capsys.readouterr()
    assert cli.main(["diff", "--framework", "jax"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[1:5] == [
        f"{record_name('jax')}: cell 'one' (jax): stdout: "
        "a number differs by 0.01 (0.04 relative)",
        "  recorded  0.25",
        "  new       0.26",
        "  rule      within 1e-05",
    ]
    assert "-  loss 0.25" in lines
    assert "+  loss 0.26" in lines
    assert lines[-1] == "1 notebooks: 1 cells differ"
    assert read_records() == before


def test_run_diff_with_stale_record_runs_nothing(small_book, monkeypatch, capsys):
    def refuse(*arguments):
        raise AssertionError("found a run, expected none")

    monkeypatch.setattr(commands, "execute_runs", refuse)
    assert cli.main(["diff", "--framework", "jax"]) == 1
    assert capsys.readouterr().err == (
        f"{record_name('jax')}: (jax): found no record, expected one. "
        "Run: d2l-support record --framework jax section\n"
    )


def test_run_diff_with_too_much_output_now(
    command_book, write_section, tmp_path, capsys
):
    size = tmp_path / "size"
    size.write_text("3")
    write_section(one=f"print('x\\n' * int(open({str(size)!r}).read()))")
    assert cli.main(["record", "--framework", "jax"]) == 0
    size.write_text("20000")
    assert cli.main(["diff", "--framework", "jax"]) == 1
    last = capsys.readouterr().out.splitlines()[-1]
    assert "cell 'one' (jax): found " in last
    assert "bytes of output" in last
