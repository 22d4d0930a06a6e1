"""Makes of a page what can stand on paper: nothing to press, nothing folded."""

from bs4 import Tag

SCREEN = (
    ".headerlink, .book-live, .toctree-wrapper, .sd-summary-state-marker, "
    "script, input, button, details.output-rule > ul"
)
"""What works on a screen alone. What was measured of a cell's rule is in the
tables at the end of the book."""

PROMPTS = ("aria-controls", "tabindex", "for", "name")
"""Attributes of what can be pressed or focused."""

LEVELS = {1: {"h1": "h2", "h2": "h4", "h3": "h5", "h4": "h6"}}
"""A page's headings in the book's: parts are first, chapters second."""
LEVELS[2] = LEVELS[1] | {"h1": "h3"}


def put_on_paper(article: Tag) -> None:
    """Drops what needs a screen and opens what is folded; changes the page."""
    for element in article.select(SCREEN):
        element.decompose()
    for details in article.find_all("details"):
        _open(details)
    for element in article.find_all(True):
        for name in PROMPTS:
            element.attrs.pop(name, None)


def lower_headings(article: Tag, level: int) -> None:
    """Gives the headings of a page their place in the whole book.

    Args:
        article: A page's; it is changed.
        level: The page's, 1 or 2.
    """
    for heading in article.find_all(list(LEVELS[level])):
        heading.name = LEVELS[level][heading.name]


def _open(details: Tag) -> None:
    """Turns what can be folded into a box with its summary as the title."""
    details.name = "div"
    details.attrs.pop("open", None)
    details["class"] = [*details.get("class", ()), "opened"]
    if summary := details.find("summary", recursive=False):
        summary.name = "p"
        summary["class"] = [*summary.get("class", ()), "opened-title"]
