"""The cheat sheet's lines, held against the cells that they are taken from."""

from collections.abc import Callable

import pytest

from d2l_support.build.cheat_sheet import PATH, find_faults, stands_in
from d2l_support.build.cheat_sheet_source import parse_sheet
from d2l_support.build.check import check_book, load_section
from d2l_support.build.layout import Book, SectionName

NAME = SectionName("part", "section")
SECTION = "chapters/part/section.md"
SHEET = """\
- task: Double a number
  section: part/section
  step: double
  pytorch: |
    print("two of them", 2 * x)
  tensorflow: |
    print("two of them", 2 * x)
  jax: |
    print("JAX", 2 * x)
  mxnet: {why: It has no double.}
"""
CELL = """\
import d2l_support

class Layer:
    def __init__(self):
        self.x = 2

    def double(self):
        y = self.x + self.x
        return y
"""

Faults = Callable[..., list[str]]


@pytest.fixture
def faults(tiny_book: Book) -> Faults:
    """What is wrong with the sheet after one of its texts was replaced."""

    def find(old: str = "", new: str = "") -> list[str]:
        assert old in SHEET
        tasks = parse_sheet(SHEET.replace(old, new, 1))
        sections = {str(NAME): load_section(tiny_book, NAME)}
        found = find_faults(tasks, sections, {str(NAME), "part/other"})
        return [str(problem) for _, problem in found]

    return find


def test_find_faults_finds_nothing_in_a_sheet_that_holds(faults):
    assert faults() == []


def test_find_faults_with_a_line_that_is_gone(faults):
    assert faults('"JAX", 2', '"JAX", 3') == [
        f"{PATH}:8: cell 'double' (jax): task 'Double a number': found the line "
        f"'print(\"JAX\", 3 * x)', expected a line of that cell in {SECTION}."
    ]


def test_find_faults_takes_no_line_of_another_framework(faults):
    [found] = faults('"JAX", 2', '"two of them", 2')
    assert found.startswith(f"{PATH}:8: cell 'double' (jax): ")
    assert "found the line 'print(\"two of them\", 2 * x)'" in found


def test_find_faults_takes_a_cell_of_all_frameworks(faults):
    entry = "\n    step: shared\n    lines: |\n      x = 2\n"
    assert faults(" {why: It has no double.}\n", entry) == []


@pytest.mark.parametrize(
    ("lines", "holds"),
    [
        ('import d2l_support\n      x = 2\n      print("x is", x)', True),
        ('import d2l_support\n      ...\n      print("x is", x)', True),
        ('import d2l_support\n      print("x is", x)', False),
        ("x = 2\n      import d2l_support", False),
        ("import d2l_support\n        x = 2", False),
    ],
)
def test_find_faults_with_lines_in_another_order(faults, lines, holds):
    entry = f"\n    step: shared\n    lines: |\n      {lines}\n"
    found = faults(" {why: It has no double.}\n", entry)
    if holds:
        assert found == []
    else:
        assert found == [
            f"{PATH}:11: cell 'shared' (mxnet): task 'Double a number': found its "
            "lines otherwise in that cell, expected the same order and indentation, "
            "and ... where lines are left out."
        ]


@pytest.mark.parametrize(
    ("lines", "half"),
    [
        ("if x:", True),
        ("else:\n          print(x)", True),
        ("if x:\n          ...\n      else:\n          print(x)", False),
        ("else:\n          ...", True),
    ],
)
def test_find_faults_with_half_a_statement(tiny_book, faults, lines, half):
    path = tiny_book.root / SECTION
    text = path.read_text().replace(
        "x = 2\n", "x = 2\nif x:\n    x = 2\nelse:\n    print(x)\n", 1
    )
    path.write_text(text)
    entry = f"\n    step: shared\n    lines: |\n      {lines}\n"
    found = faults(" {why: It has no double.}\n", entry)
    assert any("found half a statement" in problem for problem in found) is half
    assert half or found == []


def test_find_faults_with_a_section_that_is_not_in_the_book(faults):
    found = faults("part/section", "part/nowhere")
    assert len(found) == 4
    assert found[0] == (
        f"{PATH}:4: cell 'double' (pytorch): task 'Double a number': found no "
        "section 'part/nowhere', expected one as part/name."
    )


def test_find_faults_passes_over_a_section_that_is_not_looked_into(faults):
    assert faults("part/section", "part/other") == []


def test_find_faults_with_a_step_that_is_gone(faults):
    found = faults("step: double", "step: triple")
    assert len(found) == 4  # words on why there is none need the step, too
    assert found[3] == (
        f"{PATH}:10: cell 'triple' (mxnet): task 'Double a number': found no such "
        f"step in {SECTION}, expected one with this id."
    )


def test_find_faults_with_lines_where_a_framework_has_words(faults):
    assert faults("{why: It has no double.}", "print(2)") == [
        f"{PATH}:10: cell 'double' (mxnet): task 'Double a number': found no MXNet "
        f"code in this step of {SECTION}, expected a code cell that is recorded and "
        "no answer to an exercise."
    ]


def test_find_faults_takes_no_answer_to_an_exercise(tiny_book, faults):
    source = tiny_book.source(NAME)
    text = source.read_text(encoding="utf-8")
    answer = text.replace(":id: half\n", ":id: half\n:grade: solution\n")
    source.write_text(answer, encoding="utf-8")
    entry = "\n    step: half\n    lines: |\n      print(3 / x)\n"
    [found] = faults(" {why: It has no double.}\n", entry)
    assert "found no MXNet code in this step" in found


@pytest.mark.parametrize(
    ("text", "stands"),
    [
        ("self.x = 2", True),
        ("def double(self):\n    y = self.x + self.x\n    return y", True),
        ("import d2l_support\nclass Layer:", True),  # an empty line does not count
        ("class Layer:\n    ...\n    def double(self):", True),
        ("class Layer:\n    ...\n        return y", True),
        ("class Layer:\n    ...\n    return y", False),
        ("class Layer:\n...\ndef double(self):", False),
        ("def double(self):\n    return y", False),
        ("return y\n...\nself.x = 2", False),
        ("self.x = 2\n...\nself.x = 2", False),
        ("self.x", False),
        ("self.X = 2", False),
        ("self.x  = 2", False),
        ("            self.x = 2", False),
    ],
)
def test_stands_in_a_cell(text, stands):
    assert stands_in(text, CELL) is stands


def test_check_book_without_a_sheet_finds_nothing(recorded_book):
    assert check_book(recorded_book, [NAME], ["jax"]) == []


@pytest.mark.parametrize(
    ("frameworks", "count"), [(["jax"], 1), (["pytorch", "mxnet"], 0)]
)
def test_check_book_looks_at_the_chosen_frameworks(recorded_book, frameworks, count):
    sheet = SHEET.replace('"JAX", 2', '"JAX", 3')
    (recorded_book.root / PATH).write_text(sheet, encoding="utf-8")
    found = check_book(recorded_book, [NAME], frameworks)
    assert [(problem.code, problem.line) for problem in found] == [("sheet", 8)] * count


def test_check_book_tells_of_a_sheet_that_cannot_be_read(recorded_book):
    (recorded_book.root / PATH).write_text("task: one\n", encoding="utf-8")
    [found] = check_book(recorded_book, [], [])
    assert str(found) == f"{PATH}:1: found no list, expected a list of tasks."
