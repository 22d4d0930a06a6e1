"""The cheat sheet's file, and what is said of a faulty one."""

import pytest

from d2l_support.build.cheat_sheet import MOST_LINES, PATH, Excerpt, Task
from d2l_support.build.cheat_sheet_source import parse_sheet, read_sheet
from d2l_support.build.problems import ContentError

SHEET = """\
# tasks

- task: Seed  every
    stream
  section: part/seeds
  step: seed
  pytorch: |
    seed(0)
  tensorflow: seed(1)
  jax:
    section: part/keys
    step: key
    lines: |
      def draw():

          return key(0)
  mxnet:
    why: It has
      none.
- task: Another
  section: part/seeds
  step: other
  pytorch: a
  tensorflow: a
  jax: a
  mxnet: a
"""
ENTRY = "  tensorflow: seed(1)\n"


def faults_of(old: str, new: str) -> list[str]:
    """What is said of the sheet after one of its texts was replaced."""
    assert old in SHEET
    with pytest.raises(ContentError) as raised:
        parse_sheet(SHEET.replace(old, new, 1))
    return [str(problem).removeprefix(f"{PATH}:") for problem in raised.value.problems]


def test_parse_sheet_gives_tasks_in_their_order():
    first, second = parse_sheet(SHEET)
    assert first == Task(
        "Seed every stream",
        "part/seeds",
        (
            Excerpt("pytorch", "part/seeds", "seed", 7, "seed(0)"),
            Excerpt("tensorflow", "part/seeds", "seed", 9, "seed(1)"),
            Excerpt("jax", "part/keys", "key", 11, "def draw():\n\n    return key(0)"),
            Excerpt("mxnet", "part/seeds", "seed", 18, why="It has none."),
        ),
    )
    assert (second.name, second.part) == ("Another", "part")


def test_parse_sheet_without_a_framework():
    assert faults_of(ENTRY, "") == [
        "3: cell 'seed' (tensorflow): task 'Seed every stream': found no TensorFlow, "
        "expected lines of its cell or a word on why there are none, "
        "after tensorflow: {why: ...}."
    ]


def test_parse_sheet_lists_every_fault_in_its_order():
    found = faults_of(ENTRY, "  tensorflow: {why: ''}\n  torch: a\n")
    assert [text.partition(":")[0] for text in found] == ["10"]
    found = faults_of("    why: It has\n      none.\n", "    what: a\n")
    assert [text.partition(": found")[0] for text in found] == [
        "18: cell 'seed' (mxnet): task 'Seed every stream'"
    ]
    both = SHEET.replace(ENTRY, "").replace("  mxnet: a\n", "")
    with pytest.raises(ContentError) as raised:
        parse_sheet(both)
    assert [(p.line, p.framework) for p in raised.value.problems] == [
        (3, "tensorflow"),
        (19, "mxnet"),
    ]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (
            ENTRY,
            f"{ENTRY}  torch: a\n",
            "10: found the key 'torch', expected task, section, step, pytorch, "
            "tensorflow, jax, mxnet.",
        ),
        (ENTRY, ENTRY * 2, "10: found the key 'tensorflow' a second time."),
        (
            "  step: seed\n",
            "",
            "3: task 'Seed every stream': found no text for 'step', expected some.",
        ),
        (
            "step: seed\n",
            "step: [seed]\n",
            "6: task 'Seed every stream': found no text for 'step', expected some.",
        ),
        ("task: Another\n", "task:\n", "20: found no text for 'task', expected some."),
        (
            ENTRY,
            "  tensorflow: [a]\n",
            "9: cell 'seed' (tensorflow): task 'Seed every stream': "
            "found no text for 'lines', expected some.",
        ),
        (
            ENTRY,
            "  tensorflow:\n",
            "9: cell 'seed' (tensorflow): task 'Seed every stream': "
            "found no text for 'lines', expected some.",
        ),
        (
            ENTRY,
            "  tensorflow: {why: a, lines: a}\n",
            "9: cell 'seed' (tensorflow): task 'Seed every stream': "
            "found not one of lines and why, expected one.",
        ),
        (
            ENTRY,
            "  tensorflow: {step: other}\n",
            "9: cell 'seed' (tensorflow): task 'Seed every stream': "
            "found not one of lines and why, expected one.",
        ),
        (
            ENTRY,
            "  tensorflow: {what: a}\n",
            "9: cell 'seed' (tensorflow): task 'Seed every stream': "
            "found the key 'what', expected section, step, lines, why.",
        ),
        (
            ENTRY,
            "  tensorflow: |\n    ...\n",
            "9: cell 'seed' (tensorflow): task 'Seed every stream': "
            f"found 0 lines of code, expected 1 to {MOST_LINES}.",
        ),
        (
            ENTRY,
            "  tensorflow: |\n" + "    a\n" * (MOST_LINES + 1),
            "9: cell 'seed' (tensorflow): task 'Seed every stream': "
            f"found {MOST_LINES + 1} lines of code, expected 1 to {MOST_LINES}.",
        ),
        (
            SHEET[9:],
            "- one\n",
            "3: found no mapping, expected task, section, step, pytorch, "
            "tensorflow, jax, mxnet.",
        ),
        (SHEET, "", "1: found no list, expected a list of tasks."),
    ],
)
def test_parse_sheet_says_what_is_wrong(old, new, expected):
    assert faults_of(old, new) == [expected]


def test_parse_sheet_counts_no_gap_and_no_empty_line():
    lines = "    a\n\n    ...\n" * MOST_LINES
    first, _ = parse_sheet(SHEET.replace(ENTRY, f"  tensorflow: |\n{lines}"))
    assert first.excerpts[1].text.count("a") == MOST_LINES


def test_parse_sheet_with_a_task_twice():
    assert faults_of("task: Another", "task: Seed every stream") == [
        "3: task 'Seed every stream': found it twice, expected it once.",
        "20: task 'Seed every stream': found it twice, expected it once.",
    ]


def test_parse_sheet_that_is_no_yaml():
    [found] = faults_of(ENTRY, "  tensorflow: 'a\n")
    assert found.startswith("27: found no YAML (found unexpected end of stream)")


def test_read_sheet_without_a_file_is_empty(tiny_book):
    assert read_sheet(tiny_book) == ()


def test_read_sheet_that_is_no_utf8(tiny_book):
    data = SHEET.encode().replace(b"none", "Größe".encode("latin-1"))
    (tiny_book.root / PATH).write_bytes(data)
    with pytest.raises(ContentError) as raised:
        read_sheet(tiny_book)
    assert str(raised.value) == f"{PATH}:19: found the byte 0xf6, expected UTF-8."
