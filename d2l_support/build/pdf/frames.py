"""Unrolls what moves on a page: on paper all its steps stand side by side."""

import json

from bs4 import BeautifulSoup, Tag

from d2l_support.build.pdf.browser import WIDTH
from d2l_support.build.stills import list_frames
from d2l_support.build.widgets import VIEW, States

WORDS = ".steps-words"

SCALE = 0.72
"""About how large a picture is printed beside what it measures on the screen."""


MOST_COLUMNS = 4


def unroll_steppers(article: Tag, states: States) -> None:
    """Puts every step in place of the first one; changes the page.

    The list of the steps in words goes: each picture carries its own words.

    Args:
        article: A page's, its scripts still in it.
        states: The states of the page's widgets.
    """
    for script in article.find_all("script", type=VIEW):
        frames = list_frames(json.loads(script.string)["model_id"], states)
        still = script.find_previous_sibling(class_="widget-still")
        if still is None or len(frames) < 2:
            continue
        title, *_ = still.find_all("div", recursive=False)
        still.clear()
        title["class"], still["class"] = ["frames-title"], ["steps"]
        grid = _draw(frames)
        still.extend([title, grid])
        widest = max(int(svg["width"]) for svg in grid.find_all("svg"))
        columns = min(MOST_COLUMNS, round(WIDTH / (SCALE * widest)))
        grid["class"] = ["frames", f"of-{columns}"]
        for words in still.find_parent(class_="cell_output").select(WORDS):
            (words.find_parent(class_="output") or words).decompose()


def _draw(frames: list[str]) -> Tag:
    inside = "".join(f'<div class="frame">{frame}</div>' for frame in frames)
    return BeautifulSoup(f"<div>{inside}</div>", "html.parser").div.extract()
