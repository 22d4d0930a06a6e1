"""The file of observations: what it keeps, and what it does not take for one."""

import pytest

from d2l_support.build.problems import ContentError
from d2l_support.build.survey.agreement import Agreement
from d2l_support.build.survey.ledger import (
    PATH,
    Ledger,
    Observation,
    read_ledger,
    write_ledger,
)

SEEN = Observation(
    "5e59b9d0281b9855",
    "2026-11-30",
    {"device": "cpu", "threads": 1},
    {"half": Agreement("numbers", relative=2e-6, absolute=1e-6)},
)
KEY = ("part/section", "jax", "one-core")


@pytest.fixture
def book(tiny_book):
    write_ledger(tiny_book, Ledger({KEY: SEEN}))
    return tiny_book


def test_read_ledger_gives_what_was_written(book):
    assert read_ledger(book).observations == {KEY: SEEN}


def test_read_ledger_without_a_file_is_empty(tiny_book):
    assert read_ledger(tiny_book).observations == {}


def test_write_ledger_has_a_line_for_each_observation(book):
    ledger = read_ledger(book)
    before = (book.root / PATH).read_text().splitlines()
    ledger.add((*KEY[:2], "avx2"), SEEN)
    write_ledger(book, ledger)
    after = (book.root / PATH).read_text().splitlines()
    assert len(after) == len(before) + 1
    assert sum("5e59b9d0281b9855" in line for line in after) == 2


def test_find_gives_what_counts_for_a_record(book):
    ledger = read_ledger(book)
    assert ledger.find("part/section", "jax", SEEN.mark + "a1b2") == {"one-core": SEEN}
    assert ledger.find("part/section", "jax", "0" * 64) == {}
    assert ledger.find("part/section", "mxnet", SEEN.mark) == {}


def test_keep_only_forgets_sections_that_are_gone(book):
    ledger = read_ledger(book)
    ledger.keep_only(["part/section"])
    assert list(ledger.observations) == [KEY]
    ledger.keep_only(["part/other"])
    assert ledger.observations == {}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", "JSONDecodeError"),
        ('{"format": 1, "environ', "JSONDecodeError"),
        ('{"format": 3}', "format 3"),
        ("[1, 2]", "TypeError"),
        ('{"format": 2, "environments": {}}', "KeyError: 'observations'"),
    ],
)
def test_read_ledger_refuses_what_survey_did_not_write(book, text, found):
    (book.root / PATH).write_text(text)
    with pytest.raises(ContentError) as raised:
        read_ledger(book)
    message = str(raised.value)
    assert message.startswith("chapters/ledger.json: found no readable ledger (")
    assert found in message
    assert message.endswith("Run: git checkout chapters/ledger.json")
