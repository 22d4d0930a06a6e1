"""``d2l-support export``: notebooks and the wheel that goes with them."""

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from nbformat import v4
from rich.console import Console

from d2l_support.build.check import load_section
from d2l_support.build.files import write_whole
from d2l_support.build.layout import Book, SectionName, select_frameworks
from d2l_support.build.printing import print_plain, show_problems
from d2l_support.build.problems import ContentError, Problem

if TYPE_CHECKING:
    from d2l_support.build.export.notebook import Edition


def add_options(parser: ArgumentParser) -> None:
    """The options of the command that are its own."""
    parser.add_argument(
        "--to",
        required=True,
        metavar="FOLDER",
        help="where the notebooks go, one folder per framework, with the wheel",
    )
    parser.add_argument(
        "--solutions", action="store_true", help="with the solutions of exercises"
    )


def run_export(arguments: Namespace, book: Book, console: Console) -> int:
    """Writes whole notebooks for Jupyter and Colab, with the helpers' wheel."""
    sections = book.select_sections(arguments.sections)
    frameworks = select_frameworks(arguments.framework)
    folder = Path(arguments.to)
    problems = export_notebooks(book, sections, frameworks, folder, arguments.solutions)
    code = show_problems(problems, console)
    count = len(list(folder.glob("*/*.ipynb")))
    print_plain(console, f"{count} notebooks and the helpers' wheel are in {folder}")
    return code


def export_notebooks(
    book: Book,
    sections: list[SectionName],
    frameworks: list[str],
    folder: Path,
    solutions: bool = False,
) -> list[Problem]:
    """Writes the notebooks of sections; gives the problems that kept some back.

    Each framework's folder gets the helpers' wheel too, since a notebook's first
    cell looks beside it.

    Args:
        book: The checkout.
        sections: The sections.
        frameworks: Framework keys.
        folder: Where the frameworks' folders go.
        solutions: Whether the solutions of exercises are told.

    Raises:
        CannotWork: The folder cannot be written, or the checkout not read.
    """
    # Not at the top: where only the GPU is tried there is neither flit nor pybtex.
    from d2l_support.build.export.notebook import Edition
    from d2l_support.build.export.targets import read_targets
    from d2l_support.build.export.wheel import write_wheel
    from d2l_support.build.survey.ledger import read_ledger

    wheel = write_wheel(book, folder).name
    edition = Edition(book, read_targets(book), read_ledger(book), wheel, solutions)
    for framework in frameworks:
        write_wheel(book, folder / framework)
    problems: list[Problem] = []
    for name in sections:
        problems += _export_section(edition, name, frameworks, folder)
    return problems


def _export_section(
    edition: "Edition", name: SectionName, frameworks: list[str], folder: Path
) -> list[Problem]:
    from d2l_support.build.export.notebook import make_notebook

    problems: list[Problem] = []
    try:
        section = load_section(edition.book, name)
    except ContentError as error:
        return [*error.problems]
    for framework in frameworks:
        try:
            notebook = make_notebook(edition, name, section, framework)
        except ContentError as error:
            problems += error.problems
            continue
        text = v4.writes(notebook, indent=1, sort_keys=True) + "\n"
        write_whole(folder / framework / f"{name.name}.ipynb", text)
    return [*dict.fromkeys(problems)]
