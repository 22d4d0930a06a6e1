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

BLOCKS = (
    ".step, .book-cell, .cell_input, .cell_output, .admonition, table, "
    'section > div[class*="highlight-"]'
)
"""What is not cut at the end of a page if it is short."""

SHORT = 16
"""Lines of code; a page holds about 65."""

LETTERS = 450
"""Letters of a paragraph that is not cut: about five lines. Chromium, asked for
at least two lines on either side, leaves a single one at times."""

COLUMNS, PARAGRAPH, ROW, PICTURE = 96, 3, 2, 20
"""Columns of a line of code, and how many such lines other things are high."""

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


def keep_short_whole(article: Tag) -> None:
    """Marks what is short enough to stand on one page; changes the page."""
    for block in article.select(BLOCKS):
        if count_lines(block) <= SHORT:
            _keep_whole(block)
    for words in article.select("p, li"):
        if len(words.get_text()) <= LETTERS and not words.find("pre"):
            _keep_whole(words)


def _keep_whole(block: Tag) -> None:
    block["class"] = [*block.get("class", ()), "short"]


def count_lines(block: Tag) -> int:
    """About how many lines of code a block is as high as."""
    lines = len(block.find_all("tr")) * ROW
    words = [p for p in block.find_all("p") if not p.find_parent("tr")]
    lines += len(words) * PARAGRAPH
    lines += len(block.find_all(["img", "svg"])) * PICTURE
    for code in block.find_all("pre"):
        for line in code.get_text().rstrip("\n").splitlines():
            lines += 1 + len(line) // COLUMNS
    return lines


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
