"""Puts the bundle of ``web/`` into the built book, under ``bundled/``.

Not under ``_static``: Jupyter Book loads every file of that folder on every
page, and these are for the pages that use them, when they do.
"""

import shutil
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.util import logging

from d2l_support.build.layout import Book
from d2l_support.build.web.bundle import bundle_folder

LOGGER = logging.getLogger(__name__)
FOLDER = "bundled"


def load_widgets_locally(app: Sphinx, config: Config) -> None:
    """Gives pages with recorded widgets our script (``config-inited``).

    MyST-NB's own choice are two scripts from other hosts.
    """
    config.nb_ipywidgets_js = {"widgets.js": {"defer": "defer"}}


def check_bundle(app: Sphinx) -> None:
    """Warns where the bundle is not made (``builder-inited``: -W still counts)."""
    bundle = _find_bundle(app)
    if bundle and not bundle.is_dir():
        LOGGER.warning(
            "web: found no bundle of these sources, expected one. "
            "Run: d2l-support bundle [book.bundle]"
        )


def copy_bundle(app: Sphinx, exception: Exception | None) -> None:
    """Copies the bundle where pages find it (``build-finished``)."""
    bundle = _find_bundle(app)
    if exception or not (bundle and bundle.is_dir()):
        return
    target = Path(app.outdir) / FOLDER
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(bundle, target)


def _find_bundle(app: Sphinx) -> Path | None:
    """The bundle's folder, where this build wants one."""
    book = Book(Path(app.srcdir))
    wanted = app.builder.format == "html" and (book.root / "web").is_dir()
    return bundle_folder(book) if wanted else None
