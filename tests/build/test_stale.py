"""Which recorded outputs still belong to the code beside them."""

import json

import pytest

from d2l_support.build.check import load_section
from d2l_support.build.frameworks import ALL_KEYS
from d2l_support.build.layout import Book, SectionName
from d2l_support.build.stale import attach_record, find_stale

NAME = SectionName("part", "section")
SOURCE = "chapters/part/section.md"
RECORD = "chapters/part/recorded/section.jax.ipynb"

CODE = "found code that differs from what was recorded, expected the same"
NONE = "found no recorded output for this cell, expected one"
RULE = "found another comparison rule in the record, expected the cell's"
TAG = "found another raises-exception tag in the record, expected the cell's"
END = "found cell {!r} at the record's end, expected none there"
PLACE = "found cell {!r} in its place in the record, expected it"


def run(framework):
    return f" Run: d2l-support record --framework {framework} section"


def edit(book: Book, old: str, new: str, file: str = SOURCE):
    """Replaces the only place where a file says something."""
    path = book.root / file
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), encoding="utf-8")


def fence(book: Book, option: str) -> int:
    """The line of the fence above the only line that is this option."""
    lines = book.source(NAME).read_text(encoding="utf-8").splitlines()
    (line,) = [number for number, line in enumerate(lines) if line == option]
    return line


def stale(book: Book, step: str, framework: str, message: str, option: str = "") -> str:
    """What is said of the cell with this option (its id, if none is given)."""
    line = fence(book, option or f":id: {step}")
    place = f"{SOURCE}:{line}: cell '{step}' ({framework})"
    return (
        f"{place}: {message}. Run: d2l-support record --framework {framework} section"
    )


def attach(book, framework):
    """The steps that a page may show, and why it may not show the others.

    The records lie as they did before: nothing that was recorded is lost.
    """
    paths = [book.record(NAME, key) for key in ALL_KEYS]
    before = [path.read_bytes() if path.exists() else None for path in paths]
    section = load_section(book, NAME)
    attached = attach_record(book, NAME, section, framework)
    problems = [str(problem) for problem in attached.problems]
    found = find_stale(book, NAME, section, framework)
    assert [str(problem) for problem in found] == problems
    assert [path.read_bytes() if path.exists() else None for path in paths] == before
    return list(attached.cells), problems


ALL_STEPS = {
    "pytorch": ["shared", "double", "half"],
    "tensorflow": ["shared", "double", "half"],
    "jax": ["shared", "double", "half"],
    "mxnet": ["shared", "half"],
}


@pytest.mark.parametrize("framework", ALL_KEYS)
def test_attach_record_gives_every_cell_of_a_record_that_holds(
    recorded_book, framework
):
    assert attach(recorded_book, framework) == (ALL_STEPS[framework], [])
    section = load_section(recorded_book, NAME)
    cells = attach_record(recorded_book, NAME, section, framework).cells
    assert cells["half"].outputs[0].text == "1.5\n"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Words between", "More words between"),
        ("MXNet has no double", "MXNet has no such thing"),
        ("# A section\n", "# A section\n\nWords.\n"),
        (":id: half\n", ":id: half\n:compare: close\n"),
        (":id: half\n", ":id: half\n:tags: [hide-input]\n"),
        (":framework: jax\n:id: double\n", ":id: double\n:framework: [jax]\n"),
    ],
)
def test_attach_record_after_an_edit_that_changes_no_output(recorded_book, old, new):
    edit(recorded_book, old, new)
    for key in ALL_KEYS:
        assert attach(recorded_book, key) == (ALL_STEPS[key], [])


def test_attach_record_after_an_edit_of_code_names_that_cell_alone(recorded_book):
    edit(recorded_book, '"JAX", 2', '"JAX", 3')
    assert attach(recorded_book, "jax") == (
        ["shared"],
        [stale(recorded_book, "double", "jax", CODE, ":framework: jax")],
    )
    for key in ("pytorch", "tensorflow", "mxnet"):
        assert attach(recorded_book, key) == (ALL_STEPS[key], [])


def test_attach_record_after_an_edit_of_shared_code_concerns_all(recorded_book):
    edit(recorded_book, "x = 2\n", "x = 3\n")
    for key in ALL_KEYS:
        assert attach(recorded_book, key) == (
            [],
            [stale(recorded_book, "shared", key, CODE)],
        )


def test_attach_record_names_every_edited_cell(recorded_book):
    edit(recorded_book, "x = 2\n", "x = 3\n")
    edit(recorded_book, "print(3 / x)", "print(4 / x)")
    _, problems = attach(recorded_book, "jax")
    assert [text.partition(": found")[0] for text in problems] == [
        f"{SOURCE}:{fence(recorded_book, ':id: shared')}: cell 'shared' (jax)",
        f"{SOURCE}:{fence(recorded_book, ':id: half')}: cell 'half' (jax)",
    ]


@pytest.mark.parametrize(
    "options",
    [
        ":compare: exact",
        ":compare: close\n:rtol: 0.01",
        ":compare: informative\n:why: a timing",
    ],
)
def test_attach_record_after_an_edit_of_a_rule(recorded_book, options):
    edit(recorded_book, ":id: half\n", f":id: half\n{options}\n")
    assert attach(recorded_book, "mxnet") == (
        ["shared"],
        [stale(recorded_book, "half", "mxnet", RULE)],
    )


def test_attach_record_after_a_cell_was_allowed_to_raise(recorded_book):
    edit(recorded_book, ":id: half\n", ":id: half\n:tags: [raises-exception]\n")
    assert attach(recorded_book, "jax") == (
        ["shared", "double"],
        [stale(recorded_book, "half", "jax", TAG)],
    )


def test_attach_record_after_a_cell_was_no_longer_allowed_to_raise(
    tiny_book, write_records
):
    edit(tiny_book, ":id: half\n", ":id: half\n:tags: [raises-exception]\n")
    write_records("jax")
    assert attach(tiny_book, "jax") == (ALL_STEPS["jax"], [])
    edit(tiny_book, ":tags: [raises-exception]\n", "")
    assert attach(tiny_book, "jax") == (
        ["shared", "double"],
        [stale(tiny_book, "half", "jax", TAG)],
    )


def other(what, framework):
    return [
        f"chapters/part/recorded/section.{framework}.ipynb: ({framework}): "
        f"found a record made with other {what}, expected the current." + run(framework)
    ]


def test_attach_record_after_a_change_of_pins_concerns_one_framework(recorded_book):
    edit(recorded_book, "2.4.6", "2.4.7", "requirements/jax.txt")
    assert attach(recorded_book, "jax") == ([], other("requirements", "jax"))
    assert attach(recorded_book, "mxnet") == (ALL_STEPS["mxnet"], [])


def test_attach_record_after_a_change_of_shared_helpers_concerns_all(recorded_book):
    edit(recorded_book, "return seed", "return seed + 1", "d2l_support/seeding.py")
    for key in ALL_KEYS:
        assert attach(recorded_book, key) == ([], other("helpers", key))


def test_attach_record_after_a_change_of_one_frameworks_helpers(recorded_book):
    edit(recorded_book, "NAME = 'jax'", "NAME = 'JAX'", "d2l_support/jax.py")
    assert attach(recorded_book, "jax") == ([], other("helpers", "jax"))
    assert attach(recorded_book, "mxnet") == (ALL_STEPS["mxnet"], [])


@pytest.mark.parametrize(
    ("old", "new", "file"),
    [
        ('"""Helpers."""', '"""Seeds."""', "d2l_support/__init__.py"),
        ("return seed\n", "return seed  # same\n", "d2l_support/seeding.py"),
        ("numpy", "# pinned\nnumpy", "requirements/jax.txt"),
    ],
)
def test_attach_record_after_a_change_of_words(recorded_book, old, new, file):
    edit(recorded_book, old, new, file)
    assert attach(recorded_book, "jax") == (ALL_STEPS["jax"], [])


@pytest.mark.parametrize("what", ["requirements", "helpers"])
def test_attach_record_that_does_not_say_what_it_was_made_with(recorded_book, what):
    path = recorded_book.record(NAME, "jax")
    data = json.loads(path.read_bytes())
    del data["metadata"]["book"][what]
    path.write_text(json.dumps(data), encoding="utf-8")
    assert attach(recorded_book, "jax") == ([], other(what, "jax"))


NEW = "```{code-cell} python\n:id: new\npass\n```\n\n"
HALF = "```{code-cell} python\n:id: half\nprint(3 / x)\n```\n"


def test_attach_record_after_a_cell_was_added(recorded_book):
    edit(recorded_book, HALF, NEW + HALF)
    assert attach(recorded_book, "jax") == (
        ["shared", "double"],
        [stale(recorded_book, "new", "jax", NONE)],
    )


def test_attach_record_after_a_cell_was_removed_in_the_middle(recorded_book):
    double = "```{code-cell} python\n:framework: jax\n:id: double\n"
    edit(recorded_book, f'{double}print("JAX", 2 * x)\n```\n', "")
    assert attach(recorded_book, "jax") == (
        ["shared"],
        [stale(recorded_book, "half", "jax", PLACE.format("double"))],
    )
    assert attach(recorded_book, "pytorch") == (ALL_STEPS["pytorch"], [])


def test_attach_record_after_the_last_cell_was_removed(recorded_book):
    edit(recorded_book, HALF, "")
    assert attach(recorded_book, "jax") == (
        ["shared", "double"],
        [f"{SOURCE}: (jax): {END.format('half')}.{run('jax')}"],
    )


def test_attach_record_after_cells_changed_places(recorded_book):
    edit(recorded_book, HALF, "")
    edit(recorded_book, "# A section\n\n", f"# A section\n\n{HALF}\n")
    assert attach(recorded_book, "mxnet") == (
        [],
        [stale(recorded_book, "half", "mxnet", PLACE.format("shared"))],
    )


def test_attach_record_after_a_cell_got_another_id(recorded_book):
    edit(recorded_book, ":id: half\n", ":id: quotient\n")
    assert attach(recorded_book, "mxnet") == (
        ["shared"],
        [stale(recorded_book, "quotient", "mxnet", NONE)],
    )


def test_attach_record_without_a_record(tiny_book):
    assert attach(tiny_book, "jax") == (
        [],
        [f"{RECORD}: (jax): found no record, expected one." + run("jax")],
    )


def test_attach_record_of_a_framework_without_code_needs_none(tiny_book):
    source = tiny_book.source(NAME)
    source.write_text("---\nfile_format: mystnb\n---\n\n# Title\n", encoding="utf-8")
    assert attach(tiny_book, "jax") == ([], [])


def test_attach_record_of_a_framework_that_no_longer_has_code(recorded_book):
    source = recorded_book.source(NAME)
    source.write_text("---\nfile_format: mystnb\n---\n\n# Title\n", encoding="utf-8")
    assert attach(recorded_book, "jax") == (
        [],
        [
            f"{RECORD}: (jax): found a record, expected none: "
            f"the section has no code for it. Run: git rm {RECORD}"
        ],
    )


def test_attach_record_that_was_cut_shows_nothing_of_it(recorded_book):
    path = recorded_book.record(NAME, "jax")
    path.write_bytes(path.read_bytes()[:-20])
    assert attach(recorded_book, "jax") == (
        [],
        [
            f"{RECORD}: (jax): "
            "found no readable record (JSONDecodeError), "
            "expected a whole notebook that `record` wrote. "
            "Run: d2l-support record --force --framework jax section"
        ],
    )
    assert attach(recorded_book, "mxnet") == (ALL_STEPS["mxnet"], [])


def test_attach_record_that_was_edited_by_hand_shows_nothing_of_it(recorded_book):
    edit(recorded_book, "x is 2", "x is 3", "chapters/part/recorded/section.jax.ipynb")
    steps, (problem,) = attach(recorded_book, "jax")
    assert steps == []
    assert "found a record with seal" in problem
    assert "(it was edited by hand)" in problem


def test_attach_record_of_another_framework_shows_nothing_of_it(recorded_book):
    record = recorded_book.record(NAME, "mxnet").read_bytes()
    recorded_book.record(NAME, "jax").write_bytes(record)
    assert attach(recorded_book, "jax") == (
        [],
        [
            f"{RECORD}: (jax): "
            "found a record with framework 'mxnet', expected 'jax'. "
            "Run: d2l-support record --force --framework jax section"
        ],
    )
