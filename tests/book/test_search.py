"""The book's search: it finds every variant and opens the one that holds it."""

import copy
import re

import pytest
from bs4 import BeautifulSoup

WORD = re.compile(r"[a-z]{6,}")


@pytest.fixture(scope="module")
def pages(built_book) -> dict[str, BeautifulSoup]:
    """The sections of the book, by their address."""
    return {
        path.relative_to(built_book).as_posix(): BeautifulSoup(
            path.read_text(encoding="utf-8"), "html.parser"
        )
        for path in built_book.glob("chapters/*/*.html")
    }


def words_in(parts) -> set[str]:
    """The longer words of a page's parts."""
    return {word for part in parts for word in WORD.findall(part.get_text(" ").lower())}


def find_word(pages: dict[str, BeautifulSoup], selector: str) -> tuple[str, str]:
    """A page, and a word that the whole book has only in such a part of it."""
    everywhere: dict[str, int] = {}
    for page in pages.values():
        for word in words_in([page.find("article")]):
            everywhere[word] = everywhere.get(word, 0) + 1
    for address, page in sorted(pages.items()):
        article = copy.copy(page.find("article"))
        inside = words_in(article.select(selector))
        for part in article.select(selector):
            part.extract()
        for word in sorted(inside - words_in([article])):
            if everywhere[word] == 1:
                return address, word
    raise AssertionError(f"found no word that only {selector} has")


def search(reader, word: str, address: str = "chapters/"):
    """The page that a reader comes to who searches for a word."""
    page = reader.open("index.html")
    page.keyboard.press("Control+k")
    page.keyboard.type(word)
    page.keyboard.press("Enter")
    page.wait_for_url("**/search.html?q=*")
    page.locator(f"#search-results li a[href*='{address}']").first.click()
    page.wait_for_url(f"**/{address}**")
    page.wait_for_selector(".bd-article .highlighted", state="attached")
    return page


@pytest.mark.parametrize("is_file", [False, True])
@pytest.mark.parametrize(
    ("selector", "choice"),
    [
        (".framework-prose.for-mxnet p", {"framework": "mxnet"}),
        (".depth-researcher p", {"depth": "researcher"}),
        (".depth-beginner p", {"depth": "beginner"}),
    ],
)
def test_search_opens_the_variant_that_holds_the_word(
    open_window, built_book, pages, selector, choice, is_file
):
    address, word = find_word(pages, selector)
    home = {"home": built_book.as_uri()} if is_file else {}
    reader = open_window(**home)
    page = search(reader, word, address)
    for name, key in choice.items():
        page.wait_for_selector(f"html[data-{name}={key}]")
    mark = page.locator(".bd-article .highlighted").first
    assert word.startswith(mark.inner_text().lower())
    middle = mark.bounding_box()["y"]
    assert 0 < middle < 900
    assert reader.noise == []


def test_search_keeps_the_choice_where_the_word_is_in_sight(reader):
    reader.open("chapters/reproducibility/seeds.html?framework=jax&depth=researcher")
    page = search(reader, "generator")
    page.wait_for_selector(".bd-article .highlighted:visible")
    root = page.evaluate("({...document.documentElement.dataset})")
    assert (root["framework"], root["depth"]) == ("jax", "researcher")


def test_variant_that_a_search_opens_is_not_remembered(reader, pages):
    address, word = find_word(pages, ".framework-prose.for-mxnet p")
    page = search(reader, word, address)
    page.wait_for_selector("html[data-framework=mxnet]")
    page = reader.open("chapters/reproducibility/generators.html", page)
    assert page.evaluate("document.documentElement.dataset.framework") == "pytorch"


def test_marks_of_a_search_can_be_hidden(reader):
    page = search(reader, "generator")
    page.get_by_role("button", name="Hide Search Matches").click()
    assert page.locator(".highlighted").count() == 0
    assert reader.noise == []
