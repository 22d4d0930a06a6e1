"""The command ``d2l-support pdf``."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from rich.console import Console

from d2l_support.build.layout import Book, select_frameworks
from d2l_support.build.printing import print_plain, show_problems
from d2l_support.build.problems import CannotWork

FOLDER = "_build/pdf"
BUILT = {True: "_build/html", False: "_build/student/_build/html"}
"""The built book with solutions, and the students' edition."""

LARGE = 30_000_000
"""Bytes from which on a file is too large to be sent."""


def add_options(parser: ArgumentParser) -> None:
    """Adds the options of ``pdf``, but for the frameworks."""
    parser.add_argument(
        "--solutions",
        action="store_true",
        help="print the worked solutions of the exercises too",
    )
    parser.add_argument(
        "--to",
        metavar="FOLDER",
        default=FOLDER,
        help="where the files go (default: %(default)s)",
    )
    parser.add_argument(
        "--book",
        metavar="FOLDER",
        help="the built book (default: _build/html, or the students' edition)",
    )


def run_pdf(arguments: Namespace, book: Book, console: Console) -> int:
    """Prints the built book, a PDF for each framework, by Chromium.

    Every print is looked through: no page without content, no line wider than
    the page, the contents' page numbers right, every link leading somewhere.
    """
    try:
        from d2l_support.build.pdf.browser import open_printer
        from d2l_support.build.pdf.edition import describe_edition
        from d2l_support.build.pdf.pages import check_edition, list_pages
        from d2l_support.build.pdf.printing import print_edition
    except ImportError as error:
        raise CannotWork(
            f"found no {error.name}, expected the environment that prints. "
            "Run: make pdf"
        ) from error
    solutions = arguments.solutions
    html = book.root / (arguments.book or BUILT[solutions])
    pages = list_pages(book)
    check_edition(html, pages, solutions)
    code = 0
    with open_printer() as printer:
        for key in select_frameworks(arguments.framework):
            edition = describe_edition(book, key, solutions)
            path = name_edition(book.root / arguments.to, key, solutions)
            done = print_edition(
                printer,
                edition,
                html,
                pages,
                path,
                lambda line, key=key: print_plain(console, f"{key}: {line}"),
            )
            code |= show_problems(
                [problem.at(path=book.relative(path)) for problem in done.problems],
                console,
            )
            print_plain(console, describe(done, book))
    return code


def name_edition(folder: Path, framework: str, solutions: bool) -> Path:
    """The file of an edition; one with solutions says so."""
    return folder / f"{framework}{'-solutions' if solutions else ''}.pdf"


def describe(done, book: Book) -> str:
    """Pages and size of a printed edition; whether it is too large."""
    size = f"{done.size / 1e6:.1f} MB"
    text = f"{book.relative(done.path)}: {len(done.printed.texts)} pages, {size}"
    if done.size > LARGE:
        text += f"; found more than {LARGE / 1e6:.0f} MB, expected less"
    return text
