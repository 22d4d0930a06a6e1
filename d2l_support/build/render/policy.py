"""The content security policy that every page carries in itself.

A page opened from a file has no header, so the policy stands in the page. It
holds for whatever a record brought along too: an output cannot run a script.

``style-src`` allows styles in the page: docutils writes the widths of table
columns, drawings and widgets their colours, and the editor of live cells its
style sheet, each as such a style. Scripts are files of the book, always.
"""

from sphinx.application import Sphinx

POLICY = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self' 'unsafe-inline'",
    "img-src": "'self' data: blob:",
    "font-src": "'self' data:",
    "media-src": "'self' data:",
    "connect-src": "'self'",
    "form-action": "'self'",
    "base-uri": "'none'",
}


def add_policy(
    app: Sphinx, pagename: str, template: str, context: dict, doctree
) -> None:
    """Gives the page's template the policy (handler of ``html-page-context``)."""
    policy = "; ".join(f"{name} {sources}" for name, sources in POLICY.items())
    context["content_security_policy"] = policy
