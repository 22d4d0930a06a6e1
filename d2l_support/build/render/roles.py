"""Says in the page's HTML what its parts are, where Sphinx leaves it open.

A screen reader announces a table's cell with its headers, a tab with the name
of its group, and a list with its entries.
"""

import re

from sphinx.application import Sphinx

TAG = re.compile("<[^>]*>")
TOGGLE = re.compile(
    r"(?P<before><a [^>]*>(?P<title>(?:(?!</a>).)*)</a>\s*<details[^>]*>)\s*<summary>",
    re.DOTALL,
)

MENDED = (
    (re.compile('<th class="head'), '<th scope="col" class="head'),
    (re.compile('<th class="stub'), '<th scope="row" class="stub'),
    (
        re.compile('<div class="sd-tab-set framework-tabs[^"]*"'),
        r'\g<0> role="group" aria-label="Framework"',
    ),
    # The entries of a bibliography: the role that docutils gives is deprecated,
    # and a list may not hold it.
    (re.compile(' role="doc-biblioentry"'), ' role="listitem"'),
)


def name_roles(
    app: Sphinx, pagename: str, template: str, context: dict, doctree
) -> None:
    """Mends a page's text and contents (a late handler of ``html-page-context``)."""
    if "body" in context:
        context["body"] = mend_roles(context["body"])
    if make_tree := context.get("generate_toctree_html"):
        context["generate_toctree_html"] = lambda *args, **options: name_toggles(
            str(make_tree(*args, **options))
        )


def name_toggles(html: str) -> str:
    """The table of contents with a name for what opens a chapter's pages."""

    def name(found: re.Match) -> str:
        title = TAG.sub("", found["title"]).strip()
        return f'{found["before"]}<summary aria-label="Pages of {title}">'

    return TOGGLE.sub(name, html)


def mend_roles(html: str) -> str:
    """The HTML with scopes, group names and roles that hold."""
    for pattern, replacement in MENDED:
        html = pattern.sub(replacement, html)
    return html
