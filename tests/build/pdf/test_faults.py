"""Each thing that a reader must not meet is found in a print."""

from dataclasses import replace

import pytest

from d2l_support.build.pdf.document import Entry
from d2l_support.build.pdf.faults import find_faults
from d2l_support.build.pdf.printed import Printed

ENTRIES = [Entry("index", "A Title, in Two Lines", 1, "", (), "")]
NUMBERS = {"index": 2}
PRINTED = Printed(
    texts=("Cover", "A Title, in\nTwo Lines\nwords\n2"),
    drawn=(False, False),
    places={"index": 2},
    links=frozenset({"#index", "https://example.org/"}),
    fonts={"Sans": True},
    title="Book",
    bookmarks=(),
)


def messages(printed: Printed, numbers=NUMBERS, wide=()) -> list[str]:
    """What is found in a print."""
    return [str(fault) for fault in find_faults(printed, ENTRIES, numbers, wide)]


def test_find_faults_of_a_good_print_finds_nothing():
    assert not messages(PRINTED)


@pytest.mark.parametrize("text", ["", "A Title, in Two Lines\n3\n"])
def test_find_faults_finds_an_empty_page(text):
    empty = replace(PRINTED, texts=(*PRINTED.texts, text), drawn=(False,) * 3)
    assert messages(empty) == ["found nothing on page 3, expected content."]
    assert not messages(replace(empty, drawn=(False, False, True)))


def test_find_faults_finds_numbers_that_moved():
    found = "found 'A Title, in Two Lines' on page 2, expected 1."
    assert messages(PRINTED, {"index": 1}) == [found]
    assert "expected None." in messages(PRINTED, {})[0]


def test_find_faults_finds_a_title_that_is_elsewhere():
    other = replace(PRINTED, texts=("Cover", "words"))
    assert messages(other) == [
        "found no 'A Title, in Two Lines' on page 2, expected its title."
    ]


@pytest.mark.parametrize("link", ["#gone", "file:///home/a.html", "a.html", ""])
def test_find_faults_finds_a_link_that_leads_nowhere(link):
    lost = replace(PRINTED, links=frozenset({link}))
    assert messages(lost) == [
        f"found a link to {link!r}, expected a place or an address."
    ]


def test_find_faults_finds_a_font_that_is_not_inside():
    bare = replace(PRINTED, fonts={"Sans": False})
    assert messages(bare) == ["found font Sans without its data, expected it inside."]


def test_find_faults_names_what_is_too_wide():
    assert (
        "'step-a: pre x' wider than the page"
        in messages(PRINTED, wide=["step-a: pre x"])[0]
    )
