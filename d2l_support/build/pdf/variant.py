"""Keeps of a page what the reader of one framework sees."""

from bs4 import Tag

from d2l_support.build.frameworks import ALL_KEYS

MARKED = ".framework-prose, .page-fact, tr, td, th"
"""What carries ``for-<framework>`` for whose eyes it is."""


def choose_variants(article: Tag, framework: str) -> None:
    """Drops other frameworks' tabs, prose, facts, rows, columns; changes the page.

    On the cheat sheet all frameworks stay, and the chosen one is marked.

    Args:
        article: A page's.
        framework: The framework key.
    """
    for element in article.select(MARKED):
        if not element.decomposed and not _is_for(element, framework):
            element.decompose()
    for label in article.select(".framework-prose > .prose-label"):
        _keep_depth(label)
    for tabs in article.select(".framework-tabs"):
        _keep_tab(tabs, framework)
    for line in article.select(".cheat-line"):
        _mark_line(line, framework)
    for folded in article.select("details.solution"):
        if not folded.select_one(".sd-card-body").get_text(strip=True):
            folded.decompose()


def _is_for(element: Tag, framework: str) -> bool:
    marks = {f"for-{key}" for key in ALL_KEYS} & set(element.get("class", ()))
    return not marks or f"for-{framework}" in marks


def _mark_line(line: Tag, framework: str) -> None:
    """Marks the framework's line of the cheat sheet; others lead to no cell here."""
    if f"of-{framework}" in line["class"]:
        line["class"] = [*line["class"], "chosen"]
    else:
        for link in line.select(".cheat-label a"):
            link.unwrap()
    for heard in line.select(".cheat-of"):
        heard.decompose()


def _keep_depth(label: Tag) -> None:
    """Leaves of a label the depth: all that is printed is for one framework."""
    depth, comma, _ = label.get_text().partition(", ")
    if comma and label.find_parent(class_="depth-prose") is label.parent:
        label.string = depth
    else:
        label.decompose()


def _keep_tab(tabs: Tag, framework: str) -> None:
    """Leaves of a tab set the chosen tab's content, or nothing."""
    label = tabs.find("label", attrs={"data-sync-id": framework}, recursive=False)
    if label is None:
        tabs.decompose()
        return
    chosen = label.find_next_sibling(class_="sd-tab-content").extract()
    tabs.clear()
    tabs.extend(chosen.contents[:])
    depth = [name for name in tabs["class"] if name.startswith("depth")]
    tabs["class"] = ["step", *depth]
    for name in ("role", "aria-label"):
        tabs.attrs.pop(name, None)
