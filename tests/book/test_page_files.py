"""What a page loads before its reader runs anything, and what that weighs."""

import gzip
import re
from pathlib import Path

import pytest

from d2l_support.build.render.style_families import FAMILY, drop_families

PAGE = "chapters/reproducibility/seeds.html"
KB = 1000
MOST_BYTES = 600 * KB
MOST_REQUESTS = 25

# A new name here is a decision: what does the page need it for?
ALL_PAGES = {
    "_static/book.css": "the theme's styles, the extensions' and ours",
    "_static/doctools.js": "Sphinx: the search needs it",
    "_static/documentation_options.js": "Sphinx: the same",
    "_static/early.js": "the reader's choices, before the page is painted",
    "_static/favicon.svg": "the mark in the browser's tab",
    "_static/found.js": "opens what a search found",
    "_static/pygments.css": "the colours of code",
    "_static/scripts/pydata-sphinx-theme.js": "the theme: scheme, drawers, search",
    "_static/scripts/sphinx-book-theme.js": "the theme: the sidebar",
    "_static/sphinx_highlight.js": "Sphinx: marks what a search found",
    "_static/switch.js": "the choices in the header",
}
CODE = {
    "_static/clipboard.min.js": "the button that copies code",
    "_static/copybutton.js": "the same",
    "_static/live.js": "looks whether a live server is behind the page",
}
EXPECTED = {
    "index.html": set(ALL_PAGES),
    PAGE: {*ALL_PAGES, *CODE},
    "measured.html": {*ALL_PAGES, "_static/measured.js"},
    "cheat-sheet.html": {*ALL_PAGES, *CODE} - {"_static/live.js"},
    "bibliography.html": set(ALL_PAGES),
    "search.html": {
        *ALL_PAGES,
        "_static/language_data.js",
        "_static/search-page.js",
        "_static/searchtools.js",
        "searchindex.js",
    },
}


def load(open_window, home: str, name: str) -> dict[str, int]:
    """The files that a page asks for, each with its packed bytes."""
    reader = open_window(home=home)
    answers = []
    reader.context.on("requestfinished", lambda request: answers.append(request))
    reader.open(name).wait_for_load_state("networkidle")
    sizes = {}
    for request in answers:
        if request.url.startswith(home):
            path = request.url.removeprefix(f"{home}/").partition("?")[0]
            size = request.sizes()
            sizes[path] = size["responseBodySize"] + size["responseHeadersSize"]
    return sizes


@pytest.mark.parametrize("name", EXPECTED)
def test_page_loads_these_files_and_no_other(open_window, packed_book, name):
    found = set(load(open_window, packed_book, name)) - {name}
    # Chromium fetches a mark for the tab only where it has one to show.
    assert found | {"_static/favicon.svg"} == EXPECTED[name]


def test_every_section_is_light(open_window, packed_book, built_book):
    pages = sorted(built_book.glob("chapters/*/*.html"), key=weigh)
    for path in (*pages[-3:], built_book / PAGE):
        name = path.relative_to(built_book).as_posix()
        sizes = load(open_window, packed_book, name)
        total = sum(sizes.values())
        print(f"\n{name}: {total / KB:.0f} KB in {len(sizes)} requests")
        assert len(sizes) <= MOST_REQUESTS
        assert total <= MOST_BYTES


def weigh(path: Path) -> int:
    """A page's packed bytes with those of its pictures."""
    text = path.read_text(encoding="utf-8")
    pictures = {
        (path.parent / name) for name in re.findall(r'<img[^>]* src="(\S+?)"', text)
    }
    return len(gzip.compress(text.encode())) + sum(
        one.stat().st_size for one in pictures
    )


def test_no_page_uses_a_family_that_is_dropped(built_book):
    for path in built_book.rglob("*.html"):
        if "_static" in path.parts:
            continue
        text = path.read_text(encoding="utf-8")
        classes = {
            name
            for value in re.findall(r'class="([^"]*)"', text)
            for name in value.split()
        }
        dropped = {name for name in classes if FAMILY.fullmatch(f".{name}")}
        assert dropped == set(), path.name


def test_every_icon_of_a_page_is_drawn(built_book):
    styles = (built_book / "_static" / "icons.css").read_text(encoding="utf-8")
    drawn = set(re.findall(r"^\.(fa-[\w-]+) \{", styles, re.MULTILINE))
    for path in built_book.rglob("*.html"):
        if "_static" in path.parts:
            continue
        used = set(re.findall(r"\bfa-[\w-]+", path.read_text(encoding="utf-8")))
        assert used - drawn <= {"fa-lg"}, path.name


@pytest.mark.parametrize(
    ("css", "left"),
    [
        (".carousel{color:red}.kept{color:red}", ".kept{color:red}"),
        (".carousel-item,.modal .kept{color:red}", ""),
        (".carousel,.kept{color:red}", ".carousel,.kept{color:red}"),
        (".kept:not(.carousel){color:red}", ".kept:not(.carousel){color:red}"),
        (".cardinal{color:red}", ".cardinal{color:red}"),
        ("@media print{.card{color:red}p{color:red}}", "@media print{p{color:red}}"),
        (".fa-bars:before{content:''}", ""),
        (".menu .fa-bars{color:red}", ".menu .fa-bars{color:red}"),
        (
            '@font-face{font-family:"Font Awesome 6 Free";src:url(a)}p{color:red}',
            "p{color:red}",
        ),
    ],
)
def test_drop_families_takes_only_what_needs_them(css, left):
    assert drop_families(css) == left
