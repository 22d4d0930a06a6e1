"""Takes out of Jupyter Book's page what this book does not use."""

from pathlib import Path

from sphinx.application import Sphinx
from sphinx.config import Config

THEME = "sphinx_book_theme"
"""The theme that our templates belong to; another one keeps its own."""

TEMPLATES = Path(__file__).parent / "templates"
ICON = Path(__file__).parent / "static" / "favicon.svg"

UNUSED = ("sphinx_thebe", "sphinx_togglebutton")
"""Jupyter Book always loads them. The first fetches a script from another host
and knows one kernel per page; this book has four. The second makes buttons of
certain admonitions; the book folds with ``dropdown``, which needs no script."""

OPTIONS = {
    "article_header_end": ["page-header.html"],
    "back_to_top_button": False,
    "primary_sidebar_end": [],
}
"""Of the theme: our own header; no button that needs Bootstrap; no place for
advertisements."""


def drop_unused_listeners(app: Sphinx, config: Config) -> None:
    """Disconnects these extensions' handlers (itself one of ``config-inited``)."""
    for listeners in app.events.listeners.values():
        for listener in list(listeners):
            if listener.handler.__module__.partition(".")[0] in UNUSED:
                app.disconnect(listener.id)
    words = ("thebe", "toggle")
    for files in (app.registry.css_files, app.registry.js_files):
        files[:] = [entry for entry in files if not any(w in str(entry) for w in words)]


def use_own_templates(app: Sphinx, config: Config) -> None:
    """Puts our templates before the theme's (a handler of ``config-inited``)."""
    if config.html_theme != THEME:
        return
    config.templates_path.insert(0, str(TEMPLATES))
    config.html_theme_options = {**config.html_theme_options, **OPTIONS}
    config.html_favicon = config.html_favicon or str(ICON)
