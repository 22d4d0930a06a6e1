"""The real book on paper: whole, in one framework, and nothing cut."""

from pathlib import Path

import pytest

from d2l_support.build.check import load_section
from d2l_support.build.exercises.exercise import find_exercises
from d2l_support.build.frameworks import ALL_KEYS
from d2l_support.build.layout import Book
from d2l_support.build.pdf.browser import open_printer
from d2l_support.build.pdf.edition import describe_edition
from d2l_support.build.pdf.finish import squeeze
from d2l_support.build.pdf.pages import list_pages
from d2l_support.build.pdf.printed import Printed
from d2l_support.build.pdf.printing import Edited, print_edition
from d2l_support.build.record import load_record

FRAMEWORK = "jax"
SHORTEST = 12
"""Characters from which on a line says something of its own."""

LARGE = 30_000_000


@pytest.fixture(scope="module")
def edited(checkout: Path, built_book: Path, tmp_path_factory) -> Edited:
    """The whole book with solutions, printed for one framework."""
    book = Book(checkout)
    path = tmp_path_factory.mktemp("pdf") / "book.pdf"
    edition = describe_edition(book, FRAMEWORK, solutions=True)
    with open_printer() as printer:
        return print_edition(printer, edition, built_book, list_pages(book), path)


@pytest.fixture(scope="module")
def words(edited: Edited) -> str:
    """All that is printed, without headers, numbers and spaces."""
    return join_pages(edited.printed)


def join_pages(printed: Printed) -> str:
    """The text of all pages; lines that go on on the next page are whole."""
    pages = []
    for number, text in enumerate(printed.texts, 1):
        lines = text.splitlines()
        pages += [line for line in lines[1:] if line.strip() != str(number)]
    return squeeze("".join(pages))


def list_code(checkout: Path, framework: str) -> dict[str, set[str]]:
    """By section, the lines of code of a framework; exercises are left out."""
    book = Book(checkout)
    found = {}
    for name in book.sections():
        section = load_section(book, name)
        if not find_exercises(section):
            sources = [cell.source for cell in section.code_cells(framework)]
            found[str(name)] = clean("\n".join(sources))
    return found


def clean(text: str) -> set[str]:
    """The lines that say something, squeezed."""
    lines = map(squeeze, text.splitlines())
    return {line for line in lines if len(line) >= SHORTEST}


def test_pdf_has_no_fault(edited):
    assert not edited.problems
    assert len(edited.printed.texts) > 100
    assert edited.size < LARGE


def test_pdf_says_what_it_is(edited):
    assert edited.printed.title.endswith(": JAX")
    cover = squeeze(edited.printed.texts[0])
    for told in ("JAX", "Withworkedsolutions", "Outputsverified", "Version"):
        assert told in cover
    assert {"Contents", "Hooks: Looking without Touching"} <= set(
        edited.printed.bookmarks
    )


def test_pdf_holds_every_line_of_its_framework_s_code(checkout, words):
    for section, lines in list_code(checkout, FRAMEWORK).items():
        assert not {line for line in lines if line not in words}, section


def test_pdf_holds_every_line_that_was_printed(checkout, words):
    book = Book(checkout)
    told = list_code(checkout, FRAMEWORK)
    for name in [name for name in book.sections() if told.get(str(name))]:
        record = load_record(book, name, FRAMEWORK)
        outputs = [output for cell in record.cells for output in cell.outputs]
        printed = "\n".join(output.get("text", "") for output in outputs)
        assert not {line for line in clean(printed) if line not in words}, name


def test_pdf_holds_no_line_of_another_framework_s_code(checkout, words):
    # A line may be a part of one of its own, in a string; and pages that are
    # no sections, such as the cheat sheet, are there for all frameworks.
    own = "".join(set().union(*list_code(checkout, FRAMEWORK).values()))
    shared = [*checkout.glob("*.md"), checkout / "chapters" / "cheat-sheet.yml"]
    own += squeeze("".join(path.read_text(encoding="utf-8") for path in shared))
    for other in set(ALL_KEYS) - {FRAMEWORK}:
        lines = set().union(*list_code(checkout, other).values())
        lines = {line for line in lines if line not in own}
        imports = {line for line in lines if line.startswith(("import", "from"))}
        assert imports
        assert not {line for line in imports if line in words}, other
