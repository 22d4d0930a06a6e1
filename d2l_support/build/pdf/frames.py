"""Unrolls what moves on a page: on paper all its steps stand side by side."""

import json

from bs4 import BeautifulSoup, Tag

from d2l_support.build.stills import list_frames
from d2l_support.build.widgets import VIEW, States

WORDS = ".steps-words"

NARROW = 300
"""Pixels of CSS; pictures that are no wider stand three in a row."""


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
        title["class"] = ["frames-title"]
        still.append(title)
        still.extend(_draw(frame) for frame in frames)
        narrow = all(int(svg["width"]) <= NARROW for svg in still.find_all("svg"))
        still["class"] = ["frames", "narrow"] if narrow else ["frames"]
        for words in still.find_parent(class_="cell_output").select(WORDS):
            (words.find_parent(class_="output") or words).decompose()


def _draw(markup: str) -> Tag:
    frame = BeautifulSoup(f'<div class="frame">{markup}</div>', "html.parser").div
    return frame.extract()
