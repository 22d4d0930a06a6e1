"""The book on paper, offered on every page: the PDF of the reader's framework.

PDFs are printed from a built book, so a book offers them in a build of its own
(``make site``). The links follow the reader's framework by style alone.
"""

import os
import shutil
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.util import logging

from d2l_support.build.frameworks import ALL_KEYS, FRAMEWORKS
from d2l_support.build.render.theme import THEME

LOGGER = logging.getLogger(__name__)

VARIABLE = "D2L_PDFS"
"""In the environment, anything but nothing asks for the PDFs."""

FOLDER = "pdf"
PRINTED = Path("_build") / FOLDER
"""Where ``make pdf`` leaves them."""


def add_prints(app: Sphinx) -> None:
    """Registers ``book_pdfs``, the links and what they lead to."""
    default = bool(os.environ.get(VARIABLE))
    app.add_config_value("book_pdfs", default, "html", bool)
    app.connect("html-page-context", list_prints)
    # Before the build is over: a warning still counts.
    app.connect("html-collect-pages", copy_prints)


def list_prints(
    app: Sphinx, pagename: str, template: str, context: dict, doctree
) -> None:
    """Lists the PDFs for a page's header (handler of html-page-context)."""
    context["book_prints"] = [
        {
            "key": key,
            "label": FRAMEWORKS[key].label,
            "file": f"{FOLDER}/{key}.pdf",
        }
        for key in (ALL_KEYS if app.config.book_pdfs else ())
    ]


def copy_prints(app: Sphinx) -> list:
    """Puts the PDFs into the book; a handler of html-collect-pages, adds no page."""
    folder = Path(app.outdir) / FOLDER
    shutil.rmtree(folder, ignore_errors=True)
    if not app.config.book_pdfs or app.config.html_theme != THEME:
        return []
    folder.mkdir(parents=True)
    for key in ALL_KEYS:
        printed = PRINTED / f"{key}.pdf"
        try:
            shutil.copy2(Path(app.srcdir) / printed, folder)
        except FileNotFoundError:
            LOGGER.warning("%s: found no PDF, expected it. Run: make site", printed)
    return []
