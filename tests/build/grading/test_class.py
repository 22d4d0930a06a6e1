"""A class of 50: right, wrong, broken and hostile, graded by one command."""

import csv
import re
from dataclasses import dataclass
from pathlib import Path

import pytest
from nbformat import v4

from d2l_support.build.cli import main

ROOT = Path(__file__).parents[3]

LIMITS = [
    "--cell-seconds",
    "10",
    "--seconds",
    "100",
    "--memory",
    "600",
    "--output",
    "0.5",
]

RIGHT = (
    "def double(x):\n    return 2 * x",
    "def double(x):\n    return x + x",
    "double = lambda x: x * 2",
    "import operator\n\n\ndef double(x):\n    return operator.mul(x, 2)",
    "import sys\ndef double(x):\n    print('two', file=sys.stderr)\n    return 2 * x",
)
WRONG = (
    ("def double(x):\n    return 2", 3),
    ("def double(x):\n    return x * x", 3),
    ("def double(x):\n    return None", 3),
    ("double = 2", 3),
    ("def double(x):\n    raise ValueError('no')", 3),
    ("def double(x", 3),
    ("", 3),
    ("raise SystemExit", 3),
    ("1 / 0", 3),
    ("def double(x):\n    return x + 1", 3),
)

ENDLESS = "while True:\n    pass"
HOARD = "hoard = []\nwhile True:\n    hoard.append(bytearray(b'x' * 50 * 2**20))"
CHATTER = "for _ in range(100):\n    print('x' * 2**20)"
KILL = "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)"
EXIT = "import os\nos._exit(0)"
STUBBORN = """\
while True:
    try:
        while True:
            pass
    except BaseException:
        pass
"""
TRANSFORM = """\
import ast

class Drop(ast.NodeTransformer):
    def visit_Assert(self, node):
        return ast.Pass()
    def visit_Expr(self, node):
        return ast.Pass()

get_ipython().ast_transformers.append(Drop())
"""
PATCH = """\
shell = get_ipython()
run = shell.run_cell
def run_cell(source, *arguments, **options):
    return run("pass", *arguments, **options)
shell.run_cell = run_cell
"""
BUILTINS = """\
import builtins
class Quiet(BaseException):
    pass
builtins.AssertionError = Quiet
"""
HELPER = "def same(one, other):\n    pass\n\n\ndef double(x):\n    return 0"
SPY = """\
import json, re
text = open({path!r}).read()
exec(re.sub("### .*", "", "".join(json.loads(text)["cells"][2]["source"])))
"""


@dataclass(frozen=True)
class Expected:
    """What the report must say.

    Attributes:
        state: The state.
        tests: The points of the tests; "" for none at all.
        remark: A pattern in the remark; "" means that there is none.
        look: Whether the instructor must look.
    """

    state: str = "graded"
    tests: str = "5"
    remark: str = ""
    look: bool = False


def write_class(room) -> dict[str, Expected]:
    """Hands in 50 submissions; what the report must say of each."""
    expected = {}

    def add(student: str, content, *what, **where) -> None:
        room.hand_in(student, content, **where)
        expected[student] = Expected(*what)

    for number in range(18):
        answer = RIGHT[number % len(RIGHT)]
        add(f"right-{number:02}", room.answered(double=answer))
    for number, (answer, points) in enumerate(WRONG):
        content = room.answered(double=answer)
        add(f"wrong-{number:02}", content, "graded", str(points))
    write_broken(room, add)
    write_hostile(room, add)
    assert len(expected) == 50
    return expected


def write_broken(room, add) -> None:
    """Files that are no submission, and submissions with cells amiss."""
    for name, content, remark in (
        ("not-json", b"PK\x03\x04", "not JSON"),
        ("empty", b"", "an empty file"),
        ("no-notebook", b'{"a": 1}', "without a list of cells"),
    ):
        add(f"broken-{name}", content, "not graded", "", remark, True)
    deleted = room.answered()
    del deleted.cells[3]
    add("broken-deleted", deleted, "graded", "5", "deleted .'jax-double-tests'")
    renamed = room.answered()
    renamed.cells[2].metadata.nbgrader.grade_id = renamed.cells[2].id = "mine"
    add("broken-renamed", renamed, "graded", "5", "without their ids")
    other = room.answered()
    for cell in other.cells:
        name = cell.metadata.nbgrader.grade_id
        cell.metadata.nbgrader.grade_id = name.replace("jax", "mxnet")
    add(
        "broken-other", other, "not graded", "", "for mxnet, expected one for jax", True
    )
    add("broken-twice", b"{}", "graded", "5", "more than one copy", age=9)
    room.hand_in("broken-twice", name="doubles-jax (1).ipynb")
    add("broken-name", room.answered(), "graded", "5", "'x.ipynb'", name="x.ipynb")
    colab = room.answered()
    colab.nbformat_minor = 0
    for cell in colab.cells:
        cell.metadata["id"] = cell.pop("id")
    add("broken-colab", colab)
    add("broken-starter", room.released(), "graded", "0")


def write_hostile(room, add) -> None:
    """Submissions that attack the machine or the grades."""
    for name, answer, state, points, remark, look in (
        ("endless", ENDLESS, "cut off", "3", "no end after 10 s", True),
        ("stubborn", STUBBORN, "cut off", "0", "no end after 10 s", True),
        ("memory", HOARD, "cut off", "0", "memory|bytes|no end", True),
        ("output", CHATTER, "cut off", "0", "bytes of output", True),
        ("kill", KILL, "cut off", "0", "found .*kernel", True),
        ("exit", EXIT, "cut off", "0", "found .*kernel", True),
        ("helper", HELPER, "graded", "3", "bound anew .'same'.; put back", True),
        ("transform", TRANSFORM, "graded", "0", "reaches for the kernel", True),
        ("patch", PATCH, "graded", "0", "reaches for the kernel", True),
        ("builtins", BUILTINS, "graded", "3", "reaches for the kernel", True),
    ):
        content = room.answered(double=answer)
        add(f"hostile-{name}", content, state, points, remark, look)
    edited = room.answered(double="def double(x):\n    return 0")
    edited.cells[3].source = "pass"
    edited.cells.append(v4.new_code_cell("print('mine')", id="mine"))
    add("hostile-tests", edited, "graded", "3", "edited .'jax-double-tests'.; put back")
    path = room.root / "source/doubles-jax/doubles-jax.ipynb"
    spying = room.answered(double=SPY.format(path=str(path)))
    add("hostile-spy", spying, "graded", "3")


def run_command(room, *options: str) -> int:
    """Runs the command in this checkout."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        patch.setenv("COLUMNS", "160")
        arguments = ["grade", str(room.root), "--assignment", "doubles-jax"]
        return main([*arguments, "--jobs", "2", *LIMITS, *options])


def read_rows(room) -> dict[str, dict[str, str]]:
    """The rows of ``grades.csv`` on the assignment, by student."""
    with (room.root / "grades.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return {
        row["student_id"]: row for row in rows if row["assignment"] == "doubles-jax"
    }


@pytest.fixture(scope="module")
def graded_class(make_classroom):
    """The class, graded once: the course, what is expected, the exit code."""
    room = make_classroom()
    expected = write_class(room)
    return room, expected, run_command(room)


def test_grade_class_reports_each_rightly(graded_class):
    room, expected, code = graded_class
    assert code == 1
    rows = read_rows(room)
    assert set(rows) == set(expected)
    spy_sees = {row["isolation"] for row in rows.values()} == {"", "process"}
    wrongly = []
    for student, want in expected.items():
        row = rows[student]
        points = "5" if student == "hostile-spy" and spy_sees else want.tests
        found = Expected(row["state"], row["tests"].removesuffix(".0"), row["remark"])
        remark = re.search(want.remark, found.remark) if want.remark else None
        if (
            (found.state, found.tests) != (want.state, points)
            or bool(want.remark) != bool(found.remark)
            or (want.remark and not remark)
            or want.look != bool(row["look"])
        ):
            wrongly.append((student, found, row["look"]))
    assert wrongly == []


def test_grade_class_again_runs_nothing(graded_class, capsys):
    room, expected, _ = graded_class
    before = read_rows(room)
    written = (room.root / "grading.json").read_bytes()
    assert run_command(room) == 1
    after = read_rows(room)
    assert (room.root / "grading.json").read_bytes() == written
    assert {row["state"] for row in after.values()} == {
        "unchanged",
        "cut off",
        "not graded",
    }
    for student in expected:
        assert after[student]["tests"] == before[student]["tests"]
    assert f"{len(expected)} lines:" in capsys.readouterr().out


def test_grade_class_text_report_names_every_student(graded_class):
    room, expected, _ = graded_class
    text = (room.root / "report.txt").read_text(encoding="utf-8")
    for student in expected:
        assert student in text


def test_grade_class_feedback_for_each_graded(graded_class):
    room, expected, _ = graded_class
    pages = {path.parts[-3] for path in room.root.glob("feedback/*/*/*.html")}
    graded = {name for name, want in expected.items() if want.state != "not graded"}
    assert pages == graded
