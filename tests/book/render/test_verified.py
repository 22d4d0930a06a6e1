"""The line under a section's title."""

import pytest

from d2l_support.build.layout import Book, SectionName
from d2l_support.build.record import mark_of, read_record
from d2l_support.build.render.verified import minutes_to_read, tell_verified
from d2l_support.build.section import Cell, Section
from d2l_support.build.survey.agreement import Agreement
from d2l_support.build.survey.ledger import MARK, Ledger, Observation, write_ledger

NAME = SectionName("part", "demo")
KEYS = ("jax", "mxnet")
INDEX = "# Small book\n\n```{toctree}\nchapters/part/demo\nmxnet\n```\n"
ENVIRONMENT = {"device": "cpu", "versions": {"jax": "0.10.2", "torch": "2.13.0+cpu"}}


def observe(mark: str = "", cells: dict | None = None) -> Observation:
    """What the survey saw on a certain day."""
    return Observation(mark, "2026-11-03", ENVIRONMENT, cells or {})


def test_tell_verified_names_version_device_and_day():
    told = tell_verified("pytorch", observe())
    assert told == "Verified with PyTorch 2.13.0 on CPU, 3 November 2026."


@pytest.mark.parametrize(("count", "words"), [(1, "1 output"), (2, "2 outputs")])
def test_tell_verified_says_what_came_out_otherwise(count, words):
    cells = {f"cell-{n}": Agreement("numbers", 1e-8) for n in range(count)}
    told = tell_verified("jax", observe(cells=cells))
    assert told.endswith(f"3 November 2026; {words} came out otherwise.")


def test_tell_verified_without_a_second_run_claims_none():
    assert tell_verified("jax", None) == "JAX: recorded, not yet run again."


def test_minutes_to_read_counts_what_one_reader_sees():
    def section(*cells: Cell) -> Section:
        return Section(path=None, metadata={}, cells=cells)

    text = "word " * 2000
    assert minutes_to_read(section(Cell("markdown", text, 1))) == 10
    one = Cell("markdown", text, 1, frameworks=("jax",))
    assert minutes_to_read(section(one)) == 2  # rounded from a quarter of ten
    assert minutes_to_read(section()) == 1


def test_minutes_to_read_of_exercises_are_those_they_ask_for():
    marks = [{"exercise": "a", "minutes": 20}, {"exercise": "b", "minutes": 15}]
    cells = [Cell("markdown", "## Title", 1, options=options) for options in marks]
    section = Section(path=None, metadata={}, cells=tuple(cells))
    assert minutes_to_read(section) == 35


def test_page_says_when_each_framework_was_verified(small_book):
    book = Book(small_book.root)
    path = book.record(NAME, "jax")
    mark = mark_of(read_record(path, path, NAME, "jax"))[:MARK]
    write_ledger(book, Ledger({(str(NAME), "jax", "again"): observe(mark)}))
    built = small_book.build()
    assert built.warnings == []
    facts = built.page().select_one("h1 ~ .page-facts")
    assert facts.select_one(".page-minutes").get_text() == "About 1 min"
    told = {key: facts.select_one(f".for-{key}").get_text().strip() for key in KEYS}
    assert told == {
        "jax": "Verified with JAX 0.10.2 on CPU, 3 November 2026.",
        "mxnet": "MXNet: recorded, not yet run again.",
    }


def test_page_of_a_retired_framework_leads_to_what_that_means(small_book):
    small_book.write("mxnet.md", "# Retired\n")
    small_book.write("index.md", INDEX)
    built = small_book.build()
    assert built.warnings == []
    links = built.page().select(".page-facts a")
    assert [link["href"] for link in links] == ["../../mxnet.html"]
