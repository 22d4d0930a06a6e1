"""What a page loads: one style sheet, and the scripts that it needs.

Whatever an extension or the theme adds to a page stays on it, except what is
named here; a test holds the list of files that a page loads.
"""

import hashlib
from functools import lru_cache
from pathlib import Path

from myst_nb.sphinx_ext import add_global_html_resources
from sphinx.application import Sphinx

from d2l_support.atomic import write_atomically
from d2l_support.build.render.style_families import LARGE_STYLES, drop_families
from d2l_support.build.render.theme import THEME

EARLY = (
    "stored.js",
    "address.js",
    "scheme.js",
    "place.js",
    "framework.js",
    "depth.js",
    "reveal.js",
)
"""Our scripts that run before the page is painted, as one file."""

THEME_STYLES = ("basic.css", "styles/pydata-sphinx-theme.css")
LATE_STYLES = ("pygments.css",)
"""Written by the theme when all pages are: it stays a file of its own."""

UNUSED_STYLES = ("exercise.css",)
"""sphinx-exercise's sheet, copied when all pages are written; ours does that."""

UNUSED = ("design-tabs.js",)
"""sphinx-design's tabs; ``framework.js`` does what they do, and more."""

NEEDED_FOR = {
    "clipboard.min.js": 'class="highlight',
    "copybutton.js": 'class="highlight',
    "live.js": 'class="book-cell"',
}
"""Scripts, and what a page must hold to need them."""


def digest_page_parts() -> str:
    """What Sphinx holds against the last build: if it changed, all pages did."""
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.rglob("*.*")):
        if path.suffix != ".pyc":
            digest.update(path.read_bytes())
    return digest.hexdigest()


def choose_page_files(
    app: Sphinx, pagename: str, template: str, context: dict, doctree
) -> None:
    """Reduces a page's files (a late handler of ``html-page-context``)."""
    if app.config.html_theme != THEME:
        return
    add_global_html_resources(app, None)  # MyST-NB's sheet, before it is needed
    _join_styles(app, context)
    _choose_scripts(app, context)


def _join_styles(app: Sphinx, context: dict) -> None:
    static = Path(app.outdir) / "_static"
    sheets = sorted(context["css_files"], key=lambda sheet: sheet.priority)
    names = [_name(sheet) for sheet in sheets]
    joined = [name for name in names if name not in (*LATE_STYLES, *UNUSED_STYLES)]
    _write_joined(static / "book.css", (*THEME_STYLES, *joined))
    context["css_files"][:] = [one for one in sheets if _name(one) in LATE_STYLES]
    app.add_css_file("book.css", priority=100)


def _choose_scripts(app: Sphinx, context: dict) -> None:
    _write_joined(Path(app.outdir) / "_static" / "early.js", EARLY)
    body = context.get("body", "")
    context["script_files"][:] = [
        script
        for script in context["script_files"]
        if (script.filename or _is_data(script))
        and _name(script) not in (*EARLY, *UNUSED)
        and NEEDED_FOR.get(_name(script), "") in body
    ]
    for script in context["script_files"]:
        if script.filename:
            script.attributes.setdefault("defer", "defer")
    app.add_js_file("early.js", priority=0)


def _is_data(script) -> bool:
    """Whether it is not a script at all: the state of recorded widgets is not."""
    return "json" in script.attributes.get("type", "")


def _name(file) -> str:
    return str(file.filename).removeprefix("_static/")


def _write_joined(path: Path, names: tuple[str, ...]) -> None:
    """Writes files of one folder as one, where that is not what stands there."""
    parts = [path.parent / name for name in names]
    data = _join(tuple((part, part.stat().st_mtime_ns) for part in parts))
    if not path.exists() or path.read_bytes() != data:
        write_atomically(path, data)


@lru_cache(maxsize=8)
def _join(stamps: tuple[tuple[Path, int], ...]) -> bytes:
    texts = []
    for path, _ in stamps:
        text = path.read_text(encoding="utf-8")
        texts.append(drop_families(text) if path.name in LARGE_STYLES else text)
    return "\n".join(texts).encode()
