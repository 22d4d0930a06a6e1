"""Each section's page as a notebook, to be downloaded or opened in Colab.

The links in a page's header follow the reader's framework by style alone. The
notebooks stand in the built book under ``notebooks/<framework>/``, with the
helpers' wheel beside them. They never hold the solution of an exercise.
"""

import hashlib
from dataclasses import replace
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util import logging

from d2l_support.build.digests import digest_json
from d2l_support.build.export.command import export_notebooks
from d2l_support.build.export.notebook import FOLDER
from d2l_support.build.export.targets import read_targets
from d2l_support.build.frameworks import ALL_KEYS, FRAMEWORKS
from d2l_support.build.layout import Book, SectionName
from d2l_support.build.render.theme import THEME

LOGGER = logging.getLogger(__name__)
COLAB = "https://colab.research.google.com/github"
STAMP = "book-notebooks"
"""In Sphinx's own folder: the digest of what all notebooks rest on."""


def add_notebooks(app: Sphinx) -> None:
    """Registers the links and what they lead to.

    ``book_colab`` is a folder of a GitHub repository that has the notebooks,
    such as ``owner/repository/blob/notebooks``; the empty text means none.
    """
    app.add_config_value("book_colab", "", "html", str)
    app.connect("env-before-read-docs", _note_read)
    app.connect("html-page-context", list_notebooks)
    # Before the build is over: a warning still counts.
    app.connect("html-collect-pages", write_notebooks)


def list_notebooks(
    app: Sphinx, pagename: str, template: str, context: dict, doctree
) -> None:
    """Lists a page's notebooks for its header (handler of html-page-context)."""
    section = _find_section(Book(Path(app.srcdir)), pagename)
    colab = app.config.book_colab.strip("/")
    context["book_notebooks"] = [
        {
            "key": key,
            "label": FRAMEWORKS[key].label,
            "file": f"{FOLDER}/{key}/{section.name}.ipynb",
            "name": f"{section.name}-{key}.ipynb",
            "colab": f"{COLAB}/{colab}/{key}/{section.name}.ipynb" if colab else "",
        }
        for key in (ALL_KEYS if section else ())
    ]


def write_notebooks(app: Sphinx) -> list:
    """Writes those notebooks that are missing or rest on what has changed.

    A handler of ``html-collect-pages``; it adds no page.
    """
    if app.config.html_theme != THEME:
        return []
    book, folder = Book(Path(app.srcdir)), Path(app.outdir) / FOLDER
    read = getattr(app, "book_read", set())
    stamp, digest = Path(app.doctreedir) / STAMP, digest_common(book)
    known = stamp.read_text(encoding="utf-8") if stamp.exists() else ""
    sections = [
        section
        for docname in sorted(app.env.found_docs)
        if (section := _find_section(book, docname))
        and (known != digest or docname in read or not _is_whole(folder, section))
    ]
    if not sections:
        return []
    for problem in export_notebooks(book, sections, [*ALL_KEYS], folder):
        place = (str(problem.path.with_suffix("")), problem.line)
        text = problem.at(path=None, line=None)
        LOGGER.warning("%s [book.%s]", text, problem.code, location=place)
    stamp.write_text(digest, encoding="utf-8")
    return []


def digest_common(book: Book) -> str:
    """What every notebook rests on beside its own section: targets and code."""
    targets = read_targets(book)
    pictures = {
        name: hashlib.sha256(still).hexdigest()
        for name, still in targets.pictures.items()
    }
    code = sorted((Path(__file__).parents[1] / "export").glob("*.py"))
    texts = [path.read_text(encoding="utf-8") for path in code]
    return digest_json([repr(replace(targets, pictures={})), pictures, texts])


def _note_read(app: Sphinx, env: BuildEnvironment, docnames: list[str]) -> None:
    app.book_read = {*docnames}


def _is_whole(folder: Path, section: SectionName) -> bool:
    return all((folder / key / f"{section.name}.ipynb").is_file() for key in ALL_KEYS)


def _find_section(book: Book, docname: str) -> SectionName | None:
    """The section that a page shows, or None."""
    top, _, rest = docname.partition("/")
    part, _, name = rest.partition("/")
    section = SectionName(part, name)
    is_section = top == "chapters" and name and "/" not in name
    return section if is_section and book.source(section).is_file() else None
