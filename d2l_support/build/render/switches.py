"""The choices in a page's header: only those that change something on it."""

from sphinx.application import Sphinx

from d2l_support.build.frameworks import FRAMEWORKS

DEPTHS = ("beginner", "developer", "researcher")
MARKS = {
    "framework": ("framework-tabs", "framework-prose", "cheat-line"),
    "depth": ("depth-prose",),
}
CHOICES = {
    "framework": {key: framework.label for key, framework in FRAMEWORKS.items()},
    "depth": {depth: depth.capitalize() for depth in DEPTHS},
}


def add_switches(
    app: Sphinx, pagename: str, template: str, context: dict, doctree
) -> None:
    """Lists a page's switches for its header (handler of ``html-page-context``)."""
    body = context.get("body", "")
    context["book_switches"] = [
        {"name": name, "legend": name.capitalize(), "choices": CHOICES[name]}
        for name, marks in MARKS.items()
        if any(mark in body for mark in marks)
    ]
