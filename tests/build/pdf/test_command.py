"""The command says what it lacks, and prints a small book."""

from pathlib import Path

import pytest

from d2l_support.build.cli import main
from d2l_support.build.layout import Book
from d2l_support.build.pdf.browser import find_chromium
from d2l_support.build.pdf.command import name_edition
from d2l_support.build.pdf.pages import Page, check_edition, list_pages
from d2l_support.build.problems import CannotWork

TOC = """\
format: jb-book
root: index
parts:
  - caption: One
    chapters:
      - file: chapters/one/seeds
        sections:
          - file: chapters/one/seeds-practice
  - caption: Appendix
    chapters:
      - file: measured
"""
SOLUTION = '<details class="sd-dropdown sd-card solution" id="a-solution"></details>'


@pytest.fixture
def book(tmp_path: Path) -> Book:
    """A checkout with a table of contents."""
    (tmp_path / "_toc.yml").write_text(TOC)
    return Book(tmp_path)


def build(folder: Path, body: str = "") -> list[Page]:
    """Writes a built book of one page."""
    folder.mkdir()
    text = f"<html><article><h1>T</h1>{body}</article></html>"
    (folder / "index.html").write_text(text)
    return [Page("index")]


def test_list_pages_follows_the_table_of_contents(book):
    assert list_pages(book) == [
        Page("index"),
        Page("chapters/one/seeds", 1, "One"),
        Page("chapters/one/seeds-practice", 2),
        Page("measured", 1, "Appendix"),
    ]


def test_check_edition_of_the_right_one_is_silent(tmp_path):
    check_edition(tmp_path / "a", build(tmp_path / "a"), solutions=False)
    check_edition(tmp_path / "b", build(tmp_path / "b", SOLUTION), solutions=True)


def test_check_edition_refuses_solutions_that_were_not_asked_for(tmp_path):
    pages = build(tmp_path / "html", SOLUTION)
    with pytest.raises(CannotWork, match=r"worked solutions in .* make book STUDENT=1"):
        check_edition(tmp_path / "html", pages, solutions=False)


def test_check_edition_misses_solutions_that_were_asked_for(tmp_path):
    pages = build(tmp_path / "html")
    with pytest.raises(CannotWork, match=r"no worked solution in .*Run: make book$"):
        check_edition(tmp_path / "html", pages, solutions=True)


def test_pdf_without_a_built_book_says_what_to_run(book, monkeypatch, capsys):
    monkeypatch.chdir(book.root)
    assert main(["pdf", "--framework", "jax"]) == 2
    assert "Run: make book STUDENT=1" in capsys.readouterr().err


def test_find_chromium_without_one_says_what_to_install(monkeypatch):
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("CHROMIUM", raising=False)
    with pytest.raises(CannotWork, match="apt-get install chromium"):
        find_chromium()


def test_find_chromium_that_is_not_there_is_named(monkeypatch):
    monkeypatch.setenv("CHROMIUM", "/nowhere/chromium")
    with pytest.raises(CannotWork, match="found no browser /nowhere/chromium"):
        find_chromium()


def test_name_edition_tells_solutions_apart(tmp_path):
    assert name_edition(tmp_path, "jax", False).name == "jax.pdf"
    assert name_edition(tmp_path, "jax", True).name == "jax-solutions.pdf"
