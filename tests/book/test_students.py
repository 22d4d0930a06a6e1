"""The real book as students get it: no line of a solution in any file."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from bs4 import BeautifulSoup

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
from d2l_support.build.layout import Book

SHORTEST = 12
"""Characters from which on a line says something of its own."""


@pytest.fixture(scope="module")
def students_book(checkout: Path, command, tmp_path_factory) -> Path:
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


def list_secrets(book: Book) -> dict[str, set[str]]:
    """By page, the lines that stand in regions or mutants and nowhere else."""
    secret: dict[str, set[str]] = {}
    shown: set[str] = set()
    for name in book.sections():
        section = load_section(book, name)
        own: set[str] = set()
        hidden = find_exercises(section)
        for cell in section.cells:
            text = cell.source
            for region in (SOLUTION, HIDDEN) if hidden else ():
                own.update(map(str.strip, inside_regions(text, region)))
                text = replace_regions(text, region, "")
            words = cell.grade == SOLUTION_GRADE and cell.kind == "markdown"
            secret_cell = words or cell.grade == MUTANT
            (own if secret_cell else shown).update(map(str.strip, text.splitlines()))
        secret[str(name)] = own
    return {
        page: {line for line in lines - shown if len(line) >= SHORTEST}
        for page, lines in secret.items()
        if lines
    }


def test_students_book_holds_no_line_of_a_solution(students_book, checkout):
    secrets = list_secrets(Book(checkout))
    assert sum(map(len, secrets.values())) > 100
    for page, lines in secrets.items():
        html = (students_book / f"chapters/{page}.html").read_text(encoding="utf-8")
        text = BeautifulSoup(html, "html.parser").get_text()
        assert "NotImplementedError" in text
        assert not [line for line in lines if line in text or line in html], page


def test_students_book_carries_no_source_and_no_notebook(students_book):
    assert not list(students_book.rglob("*.md"))
    assert not list(students_book.rglob("*.md.txt"))
    assert not list(students_book.rglob("*-exercises*.ipynb"))


def test_students_book_has_no_solution_in_its_search_index(students_book, built_book):
    teachers = (built_book / "searchindex.js").read_text(encoding="utf-8")
    students = (students_book / "searchindex.js").read_text(encoding="utf-8")
    assert "Solution to" in teachers or "inside-clamp-solution" in teachers
    assert "inside-clamp-solution" not in students
