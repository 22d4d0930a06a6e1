"""A record is written whole or not at all, and read with distrust."""

import errno
import json
import os
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nbformat import NotebookNode, v4

from d2l_support.build.layout import SectionName
from d2l_support.build.problems import CannotWork, ContentError
from d2l_support.build.record import build_record, read_record, write_record
from d2l_support.build.section import Cell, Section

ROOT = Path(__file__).parents[2]
NAME = SectionName("part", "section")
SECTION_PATH = Path("chapters/part/section.md")
SHOWN = Path("chapters/part/recorded/section.jax.ipynb")
RUN = " Run: d2l-support record --force --framework jax section"


def record_of(
    text: str = "x is 1\n", framework: str = "jax", path: Path = SECTION_PATH
) -> NotebookNode:
    """A record of one cell that printed a text."""
    section = Section(path, (Cell("code", "print(x)", 7, step="a"),))
    printed = v4.new_output("stream", name="stdout", text=text)
    cell = v4.new_code_cell("print(x)", id="a", outputs=[printed])
    digests = {"requirements": "r" * 64, "helpers": "h" * 64}
    run = v4.new_notebook(cells=[cell])
    return build_record(section, framework, run, {"device": "cpu"}, digests)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A record on the disk."""
    path = tmp_path / "recorded" / "section.jax.ipynb"
    write_record(path, record_of())
    return path


def read(path):
    return read_record(path, SHOWN, NAME, "jax")


def refusal(path):
    """The message with which a record is refused; the file stays as it is."""
    before = path.read_bytes()
    with pytest.raises(ContentError) as raised:
        read(path)
    assert path.read_bytes() == before
    return str(raised.value)


def test_read_record_gives_what_was_written(path):
    assert read(path) == record_of()


@given(text=st.text())
def test_read_record_gives_any_text_that_was_written(text, tmp_path_factory):
    path = tmp_path_factory.mktemp("records") / "section.jax.ipynb"
    write_record(path, record_of(text))
    assert read(path) == record_of(text)


def test_write_record_twice_writes_the_same_bytes(path):
    before = path.read_bytes()
    write_record(path, record_of())
    assert path.read_bytes() == before
    assert before.endswith(b"}\n")
    assert path.stat().st_mode & 0o777 == 0o644


def test_read_record_of_no_file_is_no_content_problem(tmp_path):
    with pytest.raises(FileNotFoundError):
        read(tmp_path / "section.jax.ipynb")


def test_read_record_of_a_folder_cannot_work(tmp_path):
    with pytest.raises(CannotWork) as raised:
        read(tmp_path)
    assert str(raised.value) == (
        f"{SHOWN}: found that it cannot be read (Is a directory), expected a file"
    )


WHOLE = v4.writes(record_of("Größe 0.5\n"), indent=1, sort_keys=True).encode()


@given(size=st.integers(0, len(WHOLE) - 1))
def test_read_record_refuses_one_that_was_cut_anywhere(size, tmp_path_factory):
    path = tmp_path_factory.mktemp("cut") / "section.jax.ipynb"
    path.write_bytes(WHOLE[:size])
    message = refusal(path)
    assert message.startswith(f"{SHOWN}: (jax): found no readable record (")
    assert message.endswith("), expected a whole notebook that `record` wrote." + RUN)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "JSONDecodeError"),
        ("<<<<<<< HEAD\n{}\n", "JSONDecodeError"),
        ("{}", "AttributeError"),
        ("[]", "AttributeError"),
        ("3", "AttributeError"),
        ("null", "AttributeError"),
    ],
)
def test_read_record_refuses_what_is_no_notebook(path, text, reason):
    path.write_text(text, encoding="utf-8")
    assert refusal(path) == (
        f"{SHOWN}: (jax): found no readable record ({reason}), "
        "expected a whole notebook that `record` wrote." + RUN
    )


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (
            lambda data: data.update(nbformat=5),
            "5 is greater than the maximum of 4",
        ),
        (
            lambda data: data["cells"][0].pop("outputs"),
            "'outputs' is a required property",
        ),
    ],
)
def test_read_record_refuses_an_invalid_notebook(path, change, reason):
    data = json.loads(path.read_bytes())
    change(data)
    path.write_text(json.dumps(data), encoding="utf-8")
    assert (
        refusal(path) == f"{SHOWN}: (jax): found an invalid notebook ({reason})." + RUN
    )


@pytest.mark.parametrize("key", ["format", "section", "framework", "seal"])
def test_read_record_refuses_a_notebook_of_somebody_else(path, key):
    data = json.loads(path.read_bytes())
    del data["metadata"]["book"][key]
    path.write_text(json.dumps(data), encoding="utf-8")
    assert refusal(path) == (
        f"{SHOWN}: (jax): found no readable record (KeyError), "
        "expected a whole notebook that `record` wrote." + RUN
    )


@pytest.mark.parametrize(
    ("record", "found"),
    [
        (
            record_of(framework="mxnet"),
            "found a record with framework 'mxnet', expected 'jax'.",
        ),
        (
            record_of(path=Path("chapters/other/section.md")),
            "found a record with section 'other/section', expected 'part/section'.",
        ),
    ],
)
def test_read_record_refuses_another_records_file(path, record, found):
    write_record(path, record)
    assert refusal(path) == f"{SHOWN}: (jax): {found}{RUN}"


def test_read_record_refuses_a_newer_format(path):
    record = record_of()
    record.metadata.book.format = 2
    write_record(path, record)
    assert refusal(path) == (
        f"{SHOWN}: (jax): found a record with format 2, expected 1.{RUN}"
    )


@pytest.mark.parametrize(
    "change",
    [
        lambda cell: cell["outputs"][0].update(text=["x is 2\n"]),
        lambda cell: cell.update(source=["print(y)"]),
        lambda cell: cell.update(id="b"),
        lambda cell: cell.update(outputs=[]),
        lambda cell: cell["metadata"]["book"]["compare"].update(kind="informative"),
    ],
)
def test_read_record_refuses_one_that_was_edited_by_hand(path, change):
    data = json.loads(path.read_bytes())
    change(data["cells"][0])
    path.write_text(json.dumps(data), encoding="utf-8")
    message = refusal(path)
    assert message.startswith(f"{SHOWN}: (jax): found a record with seal '")
    assert message.endswith("' (it was edited by hand)." + RUN)


def test_read_record_takes_one_that_was_only_laid_out_anew(path):
    data = json.loads(path.read_bytes())
    path.write_text(json.dumps(data, indent=4), encoding="utf-8")
    assert read(path) == record_of()


def hand_over(path, notebook, fault):
    """Writes a record in another process, after a fault is put in place."""
    fresh = path.parent.parent / "fresh.ipynb"
    write_record(fresh, notebook)
    code = (
        f"import os, resource, signal, sys\n{fault}\n"
        "from pathlib import Path\n"
        "from nbformat import v4\n"
        "from d2l_support.build.problems import CannotWork\n"
        "from d2l_support.build.record import write_record\n"
        "notebook = v4.reads(Path(sys.argv[1]).read_text(encoding='utf-8'))\n"
        "try:\n"
        "    write_record(Path(sys.argv[2]), notebook)\n"
        "except CannotWork as error:\n"
        "    print(error)\n"
    )
    command = [sys.executable, "-B", "-c", code, str(fresh), str(path)]
    return subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=False
    )


def test_write_record_on_a_full_disk_leaves_the_old_one(path):
    before = path.read_bytes()
    full = "resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))"
    run = hand_over(path, record_of("2" * 9000), full)
    assert run.stdout == (
        "section.jax.ipynb: found that it cannot be written (File too large), "
        "expected room and write access; the old one is untouched\n"
    )
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


def test_write_record_that_is_killed_leaves_the_old_one(path):
    before = path.read_bytes()
    killed = "os.fsync = lambda file: os.kill(os.getpid(), signal.SIGKILL)"
    run = hand_over(path, record_of("2" * 9000), killed)
    assert run.returncode == -9
    assert path.read_bytes() == before
    assert read(path) == record_of()


@pytest.mark.parametrize("name", ["fsync", "replace"])
@pytest.mark.parametrize(
    "reason", [OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)), OSError("broken")]
)
def test_write_record_with_a_fault_at_any_step_leaves_the_old_one(
    path, monkeypatch, name, reason
):
    before = path.read_bytes()

    def fail(*arguments, **keywords):
        raise reason

    monkeypatch.setattr(os, name, fail)
    with pytest.raises(CannotWork) as raised:
        write_record(path, record_of("new"))
    monkeypatch.undo()
    text = reason.strerror or "broken"
    assert str(raised.value) == (
        f"section.jax.ipynb: found that it cannot be written ({text}), "
        "expected room and write access; the old one is untouched"
    )
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


def test_write_record_that_is_interrupted_leaves_the_old_one(path, monkeypatch):
    before = path.read_bytes()

    def interrupt(file):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_record(path, record_of("new"))
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


def test_write_record_where_no_folder_can_be_made(tmp_path):
    (tmp_path / "recorded").touch()
    with pytest.raises(CannotWork, match="cannot be written"):
        write_record(tmp_path / "recorded" / "section.jax.ipynb", record_of())


def test_write_record_refuses_what_is_no_notebook_and_leaves_the_old_one(path):
    before = path.read_bytes()
    notebook = record_of()
    notebook.cells[0].pop("outputs")
    with pytest.raises(nbformat.ValidationError):
        write_record(path, notebook)
    assert path.read_bytes() == before
