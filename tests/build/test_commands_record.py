"""``record`` in this process: what it runs, what it writes, what it refuses."""

import sys
import tempfile
from pathlib import Path

import nbformat
import pytest

from d2l_support.build import cli, plan
from d2l_support.build.environments import environment_python
from d2l_support.build.frameworks import ALL_KEYS


@pytest.fixture
def small_book(command_book, write_section):
    """A checkout with a section of two quick cells."""
    write_section(one="import d2l_support\nx = 1", two="print('x is', x)")
    return command_book


def record_name(framework: str, section: str = "section") -> str:
    return f"chapters/part/recorded/{section}.{framework}.ipynb"


def test_run_record_writes_what_check_accepts(small_book, capsys, read_records):
    assert cli.main(["record", "--jobs", "2"]) == 0
    said = capsys.readouterr().out.splitlines()
    names = [record_name(key) for key in ALL_KEYS]
    # Two kernels that end together say so in either order.
    recorded = [line for line in said if line.startswith("recorded ")]
    assert sorted(recorded) == sorted(f"recorded {name}" for name in names)
    assert sorted(read_records()) == sorted(names)
    assert cli.main(["check"]) == 0


def test_run_record_with_nothing_stale_starts_no_kernel(
    recorded_book, monkeypatch, capsys, read_records
):
    # Without any environment, a kernel could not even start.
    monkeypatch.chdir(recorded_book.root)
    before = read_records()
    assert cli.main(["record"]) == 0
    said = capsys.readouterr()
    assert said.out == "every record holds; --force runs them again\n"
    assert not recorded_book.environments.exists()
    assert read_records() == before


def test_run_record_of_one_framework_changes_one_file(
    command_book, write_section, write_records, read_records
):
    write_section("other", one="print('other')")
    write_section(one="print('old')")
    assert cli.main(["record", "--framework", "jax", "--framework", "mxnet"]) == 0
    before = read_records()
    write_section("other", one="print('new')")
    write_section(one="print('new')")
    assert cli.main(["record", "--framework", "jax", "section"]) == 0
    after = read_records()
    assert before.keys() == after.keys()
    assert [name for name in after if after[name] != before[name]] == [
        record_name("jax")
    ]
    assert b"new" in after[record_name("jax")]


def test_run_record_with_force_runs_what_holds(small_book, capsys, read_records):
    arguments = ["record", "--framework", "jax"]
    assert cli.main(arguments) == 0
    before = read_records()
    assert cli.main([*arguments, "--force"]) == 0
    recorded = f"recorded {record_name('jax')}"
    assert capsys.readouterr().out.splitlines().count(recorded) == 2
    assert read_records() == before


def test_run_record_side_by_side_gives_what_one_by_one_gives(small_book, read_records):
    assert cli.main(["record", "--jobs", "1"]) == 0
    before = read_records()
    assert cli.main(["record", "--jobs", "4", "--force"]) == 0
    assert read_records() == before
    assert len(before) == 4


def test_run_record_with_one_fault_records_the_others(
    command_book, write_section, capsys, read_records
):
    code = "import os\nfrom pathlib import Path\n1 / ('/jax/' not in os.sys.executable)"
    write_section(one="print('old')")
    assert cli.main(["record", "--framework", "jax"]) == 0
    before = read_records()
    source = write_section(one="print('new')", two=code)
    capsys.readouterr()
    assert cli.main(["record", "--framework", "jax", "--framework", "mxnet"]) == 1
    line = source.read_text().splitlines().index(":id: two")
    said = capsys.readouterr().out.splitlines()[-1]
    place = f"chapters/part/section.md:{line}: cell 'two' (jax)"
    assert said.startswith(f"{place}: found ZeroDivisionError: division by zero")
    after = read_records()
    assert after[record_name("jax")] == before[record_name("jax")]
    assert b"new" in after[record_name("mxnet")]


def test_run_record_keeps_an_error_that_is_the_lesson(
    command_book, write_section, read_records
):
    code = ":tags: [raises-exception]\nimport json\njson.loads('{')"
    write_section(one=code)
    assert cli.main(["record", "--framework", "jax"]) == 0
    text = read_records()[record_name("jax")].decode()
    (output,) = nbformat.reads(text, as_version=4).cells[0].outputs
    assert output.ename == "JSONDecodeError"
    assert "<python>/json/decoder.py" in "\n".join(output.traceback)
    for path in (command_book.root, sys.base_prefix, sys.prefix, Path.home()):
        assert str(path) not in text
    assert tempfile.gettempdir() not in text


def test_run_record_with_too_much_output_keeps_the_old_record(
    command_book, write_section, capsys, read_records
):
    write_section(one="print('old')")
    assert cli.main(["record", "--framework", "jax"]) == 0
    before = read_records()
    source = write_section(one="print('new')", two="print('x\\n' * 20_000)")
    capsys.readouterr()
    assert cli.main(["record", "--framework", "jax"]) == 1
    line = source.read_text().splitlines().index(":id: two")
    said = capsys.readouterr().out.splitlines()[-1]
    assert said.startswith(f"chapters/part/section.md:{line}: cell 'two' (jax): found ")
    assert "bytes of output, expected at most 200000" in said
    assert read_records() == before


def test_run_record_with_kernel_that_does_not_start(small_book, capsys, read_records):
    python = environment_python(small_book, "jax")
    python.unlink()
    assert cli.main(["record", "--framework", "jax"]) == 1
    said = capsys.readouterr()
    assert "kernel d2l-jax does not start" in said.out
    assert "Run: d2l-support kernels --create --framework jax" in said.out
    assert read_records() == {}


def test_run_record_with_digests_of_the_time_when_it_began(
    small_book, monkeypatch, capsys
):
    helpers = small_book.root / "d2l_support" / "seeding.py"
    execute = plan.execute_jobs

    def edit_meanwhile(*arguments):
        helpers.write_text("def set_seed(seed):\n    return 7\n")
        return execute(*arguments)

    monkeypatch.setattr(plan, "execute_jobs", edit_meanwhile)
    assert cli.main(["record", "--framework", "jax"]) == 0
    capsys.readouterr()
    assert cli.main(["check", "--framework", "jax"]) == 1
    assert "found a record made with other helpers" in capsys.readouterr().out
