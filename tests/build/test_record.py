"""A record holds what a run printed, and says what it was made with."""

from pathlib import Path

import nbformat
import pytest
from nbformat import v4

from d2l_support.build.check import load_section
from d2l_support.build.digests import digest_helpers, digest_requirements
from d2l_support.build.layout import SectionName
from d2l_support.build.problems import ContentError
from d2l_support.build.record import LARGEST_OUTPUT, build_record, made_with, mark_of
from d2l_support.build.rules import Rule
from d2l_support.build.section import Cell, Section

SECTION_PATH = Path("chapters/part/section.md")
DIGESTS = {"requirements": "r" * 64, "helpers": "h" * 64}
ENVIRONMENT = {"device": "cpu", "threads": 2}


def section_of(*cells):
    return Section(SECTION_PATH, cells)


def printed(text):
    return v4.new_output("stream", name="stdout", text=text)


def executed(*cells):
    """A notebook that ran: (id, source, output) for each cell."""
    return v4.new_notebook(
        cells=[
            v4.new_code_cell(source, id=step, outputs=[printed(text)])
            for step, source, text in cells
        ]
    )


def record_of(text):
    """The record of a section with one cell that printed a text."""
    section = section_of(Cell("code", "print(x)", 7, step="a"))
    run = executed(("a", "print(x)", text))
    return build_record(section, "jax", run, ENVIRONMENT, DIGESTS)


def timed_record(text, kind="informative", **digests):
    """The record of a section whose second cell printed a time."""
    rule = Rule(kind, why="a timing")
    cells = [
        Cell("code", "print(x)", 7, step="a"),
        Cell("code", "print(t)", 9, step="b", rule=rule),
    ]
    run = executed(("a", "print(x)", "0.5\n"), ("b", "print(t)", text))
    made = {**DIGESTS, **digests}
    return build_record(section_of(*cells), "jax", run, ENVIRONMENT, made)


def test_mark_of_outlives_other_timings_and_pins():
    mark = mark_of(timed_record("1.25 s\n"))
    assert mark_of(timed_record("3.5 s\n", requirements="q" * 64)) == mark


def test_mark_of_changes_with_what_is_compared():
    mark = mark_of(timed_record("1.25 s\n", kind="exact"))
    assert mark_of(timed_record("3.5 s\n", kind="exact")) != mark
    assert mark_of(timed_record("1.25 s\n")) != mark


def test_made_with_gives_the_digests_of_pins_and_helpers(tiny_book):
    section = load_section(tiny_book, SectionName("part", "section"))
    assert made_with(tiny_book, "jax", section) == {
        "requirements": digest_requirements(tiny_book.root / "requirements/jax.txt"),
        "helpers": digest_helpers(tiny_book.root / "d2l_support", "jax"),
    }


def test_made_with_leaves_out_helpers_that_no_cell_names(tiny_book):
    section = section_of(Cell("code", "print(x)", 7, step="a"))
    before = made_with(tiny_book, "jax", section)
    (tiny_book.root / "d2l_support" / "jax.py").write_text("NAME = 'another'\n")
    assert made_with(tiny_book, "jax", section) == before


def test_build_record_is_a_notebook_that_says_where_it_comes_from():
    record = record_of("x is 1\n")
    nbformat.validate(record, version=4, version_minor=5)
    book = dict(record.metadata.book)
    assert len(book.pop("seal")) == 64
    assert book == {
        "format": 1,
        "section": "part/section",
        "framework": "jax",
        "environment": ENVIRONMENT,
        **DIGESTS,
    }
    assert record.metadata.kernelspec.name == "d2l-jax"


def test_build_record_keeps_each_cell_with_its_rule():
    cells = [
        Cell("code", "x", 1, step="declared", rule=Rule("informative", why="a timing")),
        Cell("code", "y", 2, step="float"),
        Cell("code", "z", 3, step="text"),
    ]
    run = executed(("declared", "x", "1"), ("float", "y", "0.5"), ("text", "z", "1"))
    record = build_record(section_of(*cells), "jax", run, ENVIRONMENT, DIGESTS)
    assert [cell.metadata.book.compare for cell in record.cells] == [
        {"kind": "informative", "why": "a timing"},
        {"kind": "close", "rtol": 1e-5},
        {"kind": "exact"},
    ]
    assert [(cell.id, cell.source) for cell in record.cells] == [
        ("declared", "x"),
        ("float", "y"),
        ("text", "z"),
    ]
    assert [cell.execution_count for cell in record.cells] == [1, 2, 3]


def test_build_record_keeps_the_tag_of_a_cell_that_may_raise():
    cell = Cell("code", "1 / 0", 1, step="a", options={"tags": ["raises-exception"]})
    run = executed(("a", "1 / 0", ""))
    run.cells[0].metadata["tags"] = ["raises-exception"]
    record = build_record(section_of(cell), "jax", run, ENVIRONMENT, DIGESTS)
    assert record.cells[0].metadata.tags == ["raises-exception"]


def test_build_record_normalises_outputs():
    run = executed(("a", "f", "<f at 0x7f3a2b1c4d5e> in /work/book/x.py"))
    section = section_of(Cell("code", "f", 1, step="a"))
    root = Path("/work/book")
    record = build_record(section, "jax", run, ENVIRONMENT, DIGESTS, root)
    assert record.cells[0].outputs[0].text == "<f at 0x…> in <book>/x.py"


def test_build_record_refuses_outputs_over_the_limit():
    cells = [Cell("code", "x", 11 * n, step=f"s{n}") for n in (1, 2, 3)]
    texts = ["1", "2" * LARGEST_OUTPUT, "é" * (LARGEST_OUTPUT // 2)]
    run = executed(*((f"s{n}", "x", text) for n, text in enumerate(texts, 1)))
    with pytest.raises(ContentError) as raised:
        build_record(section_of(*cells), "jax", run, ENVIRONMENT, DIGESTS)
    found = [str(problem) for problem in raised.value.problems]
    assert len(found) == 2
    for text, line, step in zip(found, (22, 33), ("s2", "s3"), strict=True):
        start = f"{SECTION_PATH}:{line}: cell '{step}' (jax): found "
        assert text.startswith(start)
        assert int(text[len(start) :].split()[0]) > LARGEST_OUTPUT
        assert text.endswith(
            " bytes of output, expected at most 200000: "
            "print less or draw a smaller picture."
        )


def test_build_record_takes_outputs_under_the_limit():
    record = record_of("2" * (LARGEST_OUTPUT - 1000))
    assert len(record.cells) == 1
