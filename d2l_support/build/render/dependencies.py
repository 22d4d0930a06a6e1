"""What a page's outputs rest on, so that Sphinx reads it again in time.

Sphinx reads a page again when its source or a noted file is newer than the
last reading, or is gone. It cannot see a helper, a ledger or a
GPU's record that is new.
"""

from pathlib import Path

from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from d2l_support.build.cheat_sheet import PATH as SHEET
from d2l_support.build.digests import list_helpers
from d2l_support.build.frameworks import ALL_KEYS
from d2l_support.build.layout import Book, SectionName
from d2l_support.build.section import Section
from d2l_support.build.survey.ledger import PATH as LEDGER
from d2l_support.build.survey.published import PATH as PUBLISHED


def note_dependencies(
    env: BuildEnvironment, book: Book, name: SectionName, section: Section
) -> None:
    """Notes the files that say whether a section's outputs hold."""
    records = [
        book.record(name, framework)
        for framework in ALL_KEYS
        if section.code_cells(framework)
    ]
    beside = [book.record(name, framework, "gpu") for framework in ALL_KEYS]
    records += [path for path in beside if path.exists()]
    requirements = [book.requirements(framework) for framework in ALL_KEYS]
    for path in (*_shared_files(book), *requirements, *records):
        env.note_dependency(str(path))


def note_ledger(env: BuildEnvironment, book: Book) -> None:
    """Notes what a page rests on that shows the whole ledger."""
    records = book.root.glob("chapters/*/recorded/*.ipynb")
    for path in (*records, *_ledger_file(book), book.root / PUBLISHED):
        env.note_dependency(str(path))


def note_sheet(env: BuildEnvironment, book: Book, sections: list[str]) -> None:
    """Notes what a page rests on that shows the cheat sheet.

    Args:
        env: Sphinx's environment, which knows the page.
        book: The checkout.
        sections: The sections that it quotes, as ``part/name``.
    """
    env.note_dependency(str(book.root / SHEET))
    for name in sections:
        env.note_dependency(str(book.root / "chapters" / f"{name}.md"))


def find_outdated(
    app: Sphinx, env: BuildEnvironment, added: set, changed: set, removed: set
) -> list[str]:
    """Every section, if such a file came (a handler of ``env-get-outdated``)."""
    book = Book(Path(app.srcdir))
    files = (*_shared_files(book), *_gpu_records(book))
    now = [str(book.relative(path)) for path in files]
    before = getattr(env, "book_files", now)
    env.book_files = now
    if before == now:
        return []
    sections = (f"chapters/{name}" for name in book.sections())
    return [docname for docname in sections if docname in env.found_docs]


def _shared_files(book: Book) -> list[Path]:
    """The helpers and, where there is one, the ledger."""
    package = book.root / "d2l_support"
    helpers = {path for key in ALL_KEYS for path in list_helpers(package, key)}
    return [*sorted(helpers), *_ledger_file(book)]


def _ledger_file(book: Book) -> list[Path]:
    path = book.root / LEDGER
    return [path] if path.exists() else []


def _gpu_records(book: Book) -> list[Path]:
    return sorted(book.root.glob("chapters/*/recorded/gpu/*.ipynb"))
