"""Takes out of Jupyter Book's page what this book does not use."""

from sphinx.application import Sphinx
from sphinx.config import Config

UNUSED = "sphinx_thebe"
"""Jupyter Book always loads it. It fetches a script from another host and
knows one kernel per page; this book has four."""


def drop_unused_listeners(app: Sphinx, config: Config) -> None:
    """Disconnects the extension's handlers (itself one of ``config-inited``)."""
    for listeners in app.events.listeners.values():
        for listener in list(listeners):
            if listener.handler.__module__ == UNUSED:
                app.disconnect(listener.id)
    for files in (app.registry.css_files, app.registry.js_files):
        files[:] = [entry for entry in files if "thebe" not in str(entry[0])]
