"""Every fault of a submission: a clear line, and no harm to any other."""

import json
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from nbformat import NotebookNode, v4

SQUARE = "def square(x):\n    return x * x\n"

HandIn = Callable[[Any, str], object]
"""Puts something into a classroom, as a student of a given name."""


@dataclass(frozen=True)
class Fault:
    """A fault and what the report must say.

    Attributes:
        hand_in: Puts it into a classroom, as a student of a given name.
        state: The state of its line.
        says: What the line must say, in parts.
        tests: The points that its tests must get, of 5; None for none at all.
        look: Whether the instructor must look.
    """

    hand_in: HandIn
    state: str
    says: tuple[str, ...] = ()
    tests: float | None = 5
    look: bool = False


def edit(change: Callable[[NotebookNode], object]) -> HandIn:
    """Hands in a right notebook after a change."""

    def hand_in(room, student: str) -> None:
        notebook = room.answered()
        change(notebook)
        room.hand_in(student, notebook)

    return hand_in


def send(content: bytes, **where) -> HandIn:
    """Hands in bytes."""
    return lambda room, student: room.hand_in(student, content, **where)


def answer(**answers: str) -> HandIn:
    """Hands in other answers."""
    return lambda room, student: room.hand_in(student, room.answered(**answers))


def find(notebook: NotebookNode, name: str) -> NotebookNode:
    """The cell that nbgrader knows by an id."""
    [cell] = [cell for cell in notebook.cells if cell.id == name]
    return cell


def delete(*names: str):
    def change(notebook: NotebookNode) -> None:
        for name in names:
            notebook.cells.remove(find(notebook, name))

    return edit(change)


def rename(notebook: NotebookNode) -> None:
    cell = find(notebook, "jax-double")
    cell.metadata.nbgrader.grade_id, cell.id = "my-answer", "mine"


def edit_tests(notebook: NotebookNode) -> None:
    find(notebook, "jax-double-tests").source = "pass"
    find(notebook, "jax-double").source = "def double(x):\n    return 0"


def raise_points(notebook: NotebookNode) -> None:
    find(notebook, "jax-double-tests").metadata.nbgrader.points = 1000


def unlock_tests(notebook: NotebookNode) -> None:
    cell = find(notebook, "jax-double-tests")
    cell.metadata.nbgrader |= {"locked": False, "solution": True, "grade": False}
    cell.source = "pass"


def double_cell(notebook: NotebookNode) -> None:
    twin = v4.new_code_cell("def double(x):\n    return 0", id="twin")
    twin.metadata = find(notebook, "jax-double").metadata
    notebook.cells.insert(2, twin)


def break_metadata(notebook: NotebookNode) -> None:
    find(notebook, "jax-intro").metadata.nbgrader = "broken"
    find(notebook, "jax-given").metadata = []
    find(notebook, "jax-double-tests").metadata.nbgrader.schema_version = 99
    find(notebook, "jax-square-tests").metadata.nbgrader.points = "many"


def lose_all_ids(notebook: NotebookNode) -> None:
    for cell in notebook.cells:
        cell.metadata = NotebookNode()
        del cell["id"]
    notebook.nbformat_minor = 0


def go_through_colab(notebook: NotebookNode) -> None:
    """What Colab writes: format 4.0, ids in the metadata, its own kernelspec."""
    notebook.nbformat_minor = 0
    notebook.metadata = NotebookNode(
        colab={"provenance": [], "toc_visible": True},
        kernelspec={"name": "python3", "display_name": "Python 3"},
        language_info={"name": "python"},
    )
    for cell in notebook.cells:
        cell.metadata["id"] = cell.pop("id")
        cell.metadata["colab"] = {"base_uri": "https://localhost:8080/"}
        cell.source = cell.source.splitlines(keepends=True)
        if cell.cell_type == "code":
            cell.outputs = [{"output_type": "error", "no": "valid output"}]


def reorder(notebook: NotebookNode) -> None:
    cell = find(notebook, "jax-double-tests")
    notebook.cells.remove(cell)
    notebook.cells.insert(1, cell)


def turn_to_markdown(notebook: NotebookNode) -> None:
    cell = find(notebook, "jax-double")
    cell.cell_type = "markdown"
    del cell["outputs"], cell["execution_count"]


def translate(notebook: NotebookNode) -> None:
    """Makes it a notebook for PyTorch, with Colab's kernelspec."""
    for cell in notebook.cells:
        nbgrader = cell.metadata.nbgrader
        nbgrader.grade_id = nbgrader.grade_id.replace("jax-", "pytorch-")
    notebook.metadata.kernelspec.name = "python3"


def add_cell(source: str):
    cell = v4.new_code_cell(source, id="added")
    return edit(lambda notebook: notebook.cells.insert(3, cell))


def hand_in_twice(room, student: str) -> None:
    room.hand_in(student, b"{}", age=100)
    room.hand_in(student, name="doubles-jax (1).ipynb")


def hand_in_in_two_cases(room, student: str) -> None:
    room.hand_in(student.upper(), b"{}", age=100)
    room.hand_in(student)


def hand_in_assignment_in_two_cases(room, student: str) -> None:
    path = room.hand_in(student, name="doubles-jax.ipynb")
    twin = path.parent.with_name("Doubles-JAX") / path.name
    twin.parent.mkdir()
    twin.write_bytes(b"{}")
    os.utime(twin, (1, 1))


def hand_in_several(room, student: str) -> None:
    room.hand_in(student, name="one.ipynb")
    room.hand_in(student, name="two.ipynb")


def link_out(room, student: str) -> None:
    path = room.hand_in(student)
    path.unlink()
    path.symlink_to(room.root / "source/doubles-jax/doubles-jax.ipynb")


def link_folder_out(room, student: str) -> None:
    path = room.hand_in(student)
    shutil.rmtree(path.parent)
    path.parent.symlink_to(room.root / "source/doubles-jax")


def link_to_itself(room, student: str) -> None:
    path = room.hand_in(student)
    path.unlink()
    path.symlink_to(path)


def make_pipe(room, student: str) -> None:
    path = room.hand_in(student)
    path.unlink()
    os.mkfifo(path)


def hand_in_folder_only(room, student: str) -> None:
    room.hand_in(student).unlink()


def hand_in_with_file(room, student: str) -> None:
    path = room.hand_in(student)
    path.with_name("notes.txt").write_text("for me")
    path.with_name("timestamp.txt").write_text("2026-01-02 03:04:05 UTC")


def deep(levels: int) -> bytes:
    nested = '{"a": ' * levels + "1" + "}" * levels
    head = '{"cells": [{"cell_type": "code", "source": "x", "metadata": '
    return (head + nested + "}]}").encode()


REPLACED = "def same(one, other):\n    pass\n\n\ndef double(x):\n    return 0\n"

FAULTS = {
    "not-json": Fault(send(b"PK\x03\x04"), "not graded", ("not JSON",), None, True),
    "empty": Fault(send(b""), "not graded", ("an empty file",), None, True),
    "blank": Fault(send(b" \n"), "not graded", ("an empty file",), None, True),
    "list": Fault(send(b"[]"), "not graded", ("without a list",), None, True),
    "no-cells": Fault(
        send(b'{"cells": []}'), "not graded", ("without cells",), None, True
    ),
    "format-3": Fault(
        send(b'{"worksheets": []}'), "not graded", ("worksheets",), None, True
    ),
    "deep": Fault(send(deep(100_000)), "not graded", ("not JSON",), None, True),
    "odd-cells": Fault(
        send(b'{"cells": [1, {"cell_type": "x"}, {"cell_type": "code", "source": 1}]}'),
        "not graded",
        ("without cells",),
        None,
        True,
    ),
    "many-cells": Fault(
        send(b'{"cells": [' + b"1, " * 2000 + b"1]}"),
        "not graded",
        ("found 2001 cells",),
        None,
        True,
    ),
    "huge": Fault(
        send(b"[" + b" " * 21 * 2**20), "not graded", ("more than 20 MiB",), None, True
    ),
    "other-framework": Fault(
        edit(translate),
        "not graded",
        ("for pytorch, expected one for jax",),
        None,
        True,
    ),
    "other-assignment": Fault(
        lambda room, student: room.hand_in(student, room.answered("halves-jax")),
        "not graded",
        ("of assignment 'halves-jax'",),
        None,
        True,
    ),
    "nothing-of-it": Fault(
        send(json.dumps(v4.new_notebook(cells=[v4.new_code_cell("1")])).encode()),
        "not graded",
        ("no cell of assignment 'doubles-jax'",),
        None,
        True,
    ),
    "deleted-answer": Fault(
        delete("jax-double"), "graded", ("no cell for the answers 'jax-double'",), 3
    ),
    "deleted-locked": Fault(
        delete("jax-given", "jax-double-tests"),
        "graded",
        ("locked cells deleted ('jax-given', 'jax-double-tests'); put back",),
    ),
    "renamed": Fault(edit(rename), "graded", ("without their ids", "'jax-double'"), 5),
    "edited-tests": Fault(
        edit(edit_tests), "graded", ("edited ('jax-double-tests'); put back",), 3
    ),
    "raised-points": Fault(edit(raise_points), "graded", ()),
    "unlocked-tests": Fault(
        edit(unlock_tests), "graded", ("edited ('jax-double-tests')",)
    ),
    "doubled-id": Fault(edit(double_cell), "graded", ("one id ('jax-double')",)),
    "broken-metadata": Fault(edit(break_metadata), "graded", ("without their ids",)),
    "lost-ids": Fault(edit(lose_all_ids), "graded", ("without their ids", "4 more")),
    "colab": Fault(edit(go_through_colab), "graded", ()),
    "other-order": Fault(edit(reorder), "graded", ("in another order; set back",)),
    "other-kind": Fault(edit(turn_to_markdown), "graded", ("another kind",)),
    "twice": Fault(
        hand_in_twice,
        "graded",
        ("more than one copy", "kept:", "doubles-jax.ipynb", "'doubles-jax (1).ipynb'"),
    ),
    "two-cases": Fault(hand_in_in_two_cases, "graded", ("more than one copy", "TWO-")),
    "two-assignment-cases": Fault(
        hand_in_assignment_in_two_cases, "graded", ("more than one copy", "Doubles-JAX")
    ),
    "other-name": Fault(
        lambda room, student: room.hand_in(student, name="homework.ipynb"),
        "graded",
        ("found 'homework.ipynb', expected 'doubles-jax.ipynb'; accepted",),
    ),
    "several": Fault(
        hand_in_several, "not graded", ("'one.ipynb', 'two.ipynb'",), None, True
    ),
    "other-file": Fault(hand_in_with_file, "graded", ("other files ('notes.txt')",)),
    "link-out": Fault(link_out, "not graded", ("a link out",), None, True),
    "folder-link": Fault(link_folder_out, "not graded", ("a link out",), None, True),
    "link-loop": Fault(link_to_itself, "not graded", ("a link out",), None, True),
    "pipe": Fault(make_pipe, "not graded", ("than a plain file",), None, True),
    "no-file": Fault(
        hand_in_folder_only,
        "not graded",
        ("found no notebook, expected doubles-jax.ipynb",),
        None,
        True,
    ),
    "surrogate": Fault(answer(square="x = '\ud800'\n" + SQUARE), "graded"),
    "replaced-helper": Fault(
        answer(double=REPLACED), "graded", ("bound anew ('same'); put back",), 3, True
    ),
    "reaching": Fault(
        add_cell("import sys\nsys.settrace(None)"), "graded", ("'settrace'",), 5, True
    ),
    "dead": Fault(answer(square="exit()"), "cut off", ("the kernel died",), 2, True),
    "wrong": Fault(answer(double="def double(x):\n    return 2"), "graded", (), 3),
    "syntax": Fault(answer(double="def double(x"), "graded", (), 3),
    "Müller, Änne [x] {y} 'z' %s": Fault(answer(), "graded"),
}


@pytest.fixture(scope="module")
def graded(make_classroom):
    """A class with every fault once, and one student without; all graded."""
    room = make_classroom()
    for student, fault in FAULTS.items():
        fault.hand_in(room, student)
    room.hand_in("ada")
    before = read_tree(room.root / "submitted")
    lines = room.grade("doubles-jax")
    return room, {line.student: line for line in lines}, before


def read_tree(folder) -> dict[str, tuple]:
    """Every file and link in a folder: what it is and when it was written."""
    paths = [path for path in folder.rglob("*") if not path.is_dir()]
    stats = [(path, path.lstat()) for path in paths]
    return {str(p): (s.st_ino, s.st_mtime_ns, s.st_size) for p, s in stats}


@pytest.mark.parametrize("student", FAULTS)
def test_grade_course_fault_is_told(graded, student, said):
    _, lines, _ = graded
    fault, line = FAULTS[student], lines[student]
    assert line.state == fault.state, said(line)
    for part in fault.says:
        assert part in said(line)
    if not fault.says:
        assert said(line) == ""
    assert (line.scores.tests if line.scores else None) == fault.tests
    assert line.look == fault.look
    assert line.file.startswith("submitted/")


def test_grade_course_faults_harm_no_other(graded, said):
    room, lines, before = graded
    assert lines["ada"].scores.tests == 5
    assert said(lines["ada"]) == ""
    assert len(lines) == len(FAULTS) + 1
    assert read_tree(room.root / "submitted") == before


def test_grade_course_cut_off_shows_why(graded):
    room, _, _ = graded
    page = (room.root / "feedback/dead/doubles-jax/doubles-jax.html").read_text()
    assert "NotCompleted" in page
    assert "the kernel died" in page


def test_grade_course_feedback_has_only_own_answers(graded):
    room, _, _ = graded
    page = (room.root / "feedback/wrong/doubles-jax/doubles-jax.html").read_text()
    assert "2 * x" not in page
    assert "BEGIN SOLUTION" not in page
