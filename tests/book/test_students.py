"""The real book as students get it: no line of a solution in any file."""

import json
import os
import shutil
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import nbformat
import pytest
from bs4 import BeautifulSoup
from sphinx.search.en import SearchEnglish

from d2l_support.build.check import load_section
from d2l_support.build.exercises.exercise import find_exercises
from d2l_support.build.exercises.options import MUTANT
from d2l_support.build.exercises.options import SOLUTION as SOLUTION_GRADE
from d2l_support.build.exercises.regions import (
    HIDDEN,
    SOLUTION,
    inside_regions,
    replace_regions,
)
from d2l_support.build.frameworks import FRAMEWORKS
from d2l_support.build.layout import Book
from d2l_support.build.pdf.browser import open_printer
from d2l_support.build.pdf.edition import describe_edition
from d2l_support.build.pdf.finish import squeeze
from d2l_support.build.pdf.pages import list_pages
from d2l_support.build.pdf.printing import print_edition
from d2l_support.build.section import Section

LONGEST_OF_OURS = 6
"""Letters of a word that the page itself may add, such as ``answer``."""

SHORTEST = 12
"""Characters from which on a line says something of its own."""


@pytest.fixture(scope="module")
def students_book(checkout: Path, command, tmp_path_factory) -> Iterator[Path]:
    """The HTML folder of the students' edition, built without a warning."""
    output = tmp_path_factory.mktemp("students")
    done = subprocess.run(
        command(checkout, output),
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "D2L_STUDENT": "1"},
    )
    assert not done.returncode, done.stdout + done.stderr
    yield output / "_build" / "html"
    shutil.rmtree(output)


@dataclass
class Words:
    """What stands in an exercise page's source.

    Attributes:
        answers: Lines of solutions and of words about them.
        hidden: Lines of hidden tests and of planted answers.
        shown: Every other line.
    """

    answers: set[str] = field(default_factory=set)
    hidden: set[str] = field(default_factory=set)
    shown: set[str] = field(default_factory=set)


def sort_lines(section: Section) -> Words:
    """The lines of a section, by who may see them."""
    words = Words()
    for cell in section.cells:
        text = cell.source
        for region, lines in ((SOLUTION, words.answers), (HIDDEN, words.hidden)):
            lines.update(inside_regions(text, region))
            text = replace_regions(text, region, "")
        if cell.grade == MUTANT:
            words.hidden.update(text.splitlines())
        elif cell.grade == SOLUTION_GRADE and cell.kind == "markdown":
            words.answers.update(text.splitlines())
        else:
            words.shown.update(text.splitlines())
    return words


def read_lines(page: Path) -> set[str]:
    """The lines of text of a built page."""
    html = BeautifulSoup(page.read_text(encoding="utf-8"), "html.parser")
    return clean(html.get_text().splitlines())


def clean(lines: Iterable[str]) -> set[str]:
    """The lines that say something, without their margins."""
    return {line.strip() for line in lines if len(line.strip()) >= SHORTEST}


@pytest.fixture(scope="module")
def exercise_pages(checkout) -> dict[str, Words]:
    """The pages with exercises, each with its lines."""
    book = Book(checkout)
    sections = {str(name): load_section(book, name) for name in book.sections()}
    return {
        page: sort_lines(section)
        for page, section in sections.items()
        if find_exercises(section)
    }


def test_students_book_shows_no_line_of_a_solution(
    students_book, built_book, exercise_pages
):
    for page, words in exercise_pages.items():
        secret = clean(words.answers | words.hidden) - clean(words.shown)
        students = read_lines(students_book / f"chapters/{page}.html")
        teachers = read_lines(built_book / f"chapters/{page}.html")
        assert not secret & students, page
        assert 'raise NotImplementedError("your answer")' in students
        assert secret & teachers & clean(words.answers), page


def test_neither_book_shows_hidden_tests_or_planted_answers(built_book, exercise_pages):
    for page, words in exercise_pages.items():
        secret = clean(words.hidden) - clean(words.shown | words.answers)
        assert secret
        assert not secret & read_lines(built_book / f"chapters/{page}.html"), page


def test_students_book_carries_no_source(students_book):
    assert (students_book / "index.html").exists()
    for pattern in ("*.md", "*.md.txt"):
        assert not list(students_book.rglob(pattern))


def read_cells(path: Path) -> set[str]:
    """The lines of an exported notebook, but for the cell that looks before."""
    cells = nbformat.read(path, as_version=4).cells
    sources = [cell.source for cell in cells if cell.id != "book_setup"]
    return clean("\n".join(sources).splitlines())


def test_neither_books_notebooks_hold_a_line_of_a_solution(
    students_book, built_book, exercise_pages
):
    for book in (students_book, built_book):
        for page, words in exercise_pages.items():
            secret = clean(words.answers | words.hidden) - clean(words.shown)
            name = page.rpartition("/")[2]
            paths = [*book.rglob(f"{name}.ipynb")]
            assert len(paths) == len(FRAMEWORKS)
            for path in paths:
                assert not secret & read_cells(path), path


def find_terms(book: Path, page: str) -> set[str]:
    """The stems by which a built book's search finds a page."""
    text = (book / "searchindex.js").read_text(encoding="utf-8")
    index = json.loads(text.removeprefix("Search.setIndex(").rstrip(";\n)"))
    number = index["docnames"].index(f"chapters/{page}")
    return {
        term
        for term, pages in index["terms"].items()
        if number == pages or (isinstance(pages, list) and number in pages)
    }


def find_titles(source: Path) -> list[str]:
    """The title of a section, in a list."""
    lines = source.read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line.startswith("# ")][:1]


def stem_words(lines: Iterable[str]) -> set[str]:
    """The stems of the words in some lines, as Sphinx finds them."""
    language = SearchEnglish({})
    text = " ".join(lines)
    return {language.stem(word.lower()) for word in language.split(text)}


def test_students_search_finds_no_word_of_a_solution(
    checkout, students_book, built_book, exercise_pages
):
    labels = [framework.label for framework in FRAMEWORKS.values()]
    # A link shows the title of the page that it leads to.
    sources = (checkout / "chapters").glob("*/*.md")
    titles = [line for path in sources for line in find_titles(path)]
    for page, words in exercise_pages.items():
        secret = stem_words(words.answers)
        secret -= stem_words([*words.shown, *labels, *titles])
        secret = {stem for stem in secret if len(stem) > LONGEST_OF_OURS}
        assert secret & find_terms(built_book, page), page
        assert not secret & find_terms(students_book, page), page


def test_pdf_of_the_students_book_holds_no_line_of_a_solution(
    checkout, students_book, exercise_pages, tmp_path
):
    book = Book(checkout)
    pages = [p for p in list_pages(book) if p.name.endswith("-exercises")]
    edition = describe_edition(book, "jax", solutions=False)
    with open_printer() as printer:
        done = print_edition(printer, edition, students_book, pages, tmp_path / "a.pdf")
    assert not done.problems
    told = squeeze("".join(done.printed.texts))
    assert squeeze('raise NotImplementedError("your answer")') in told
    # All pages are one text: what one of them shows is no secret of another.
    shown = squeeze("".join("".join(w.shown) for w in exercise_pages.values()))
    for page, words in exercise_pages.items():
        secret = {squeeze(line) for line in clean(words.answers | words.hidden)}
        secret = {line for line in secret if line not in shown}
        assert secret
        assert not {line for line in secret if line in told}, page
