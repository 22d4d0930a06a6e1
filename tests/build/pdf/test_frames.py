"""On paper every step of a stepper stands side by side."""

import json

import pytest
from bs4 import BeautifulSoup

from d2l_support.build.pdf.frames import unroll_steppers
from d2l_support.build.widgets import REFERENCE, VIEW

TITLE = "<b>Who draws</b>"


def words(value: str):
    return {"model_name": "HTMLModel", "state": {"value": value}}


def box(model: str, children: list[str], **state):
    children = [REFERENCE + child for child in children]
    return {"model_name": model, "state": {"children": children, **state}}


@pytest.fixture
def make_page():
    """A function that makes a page with a stepper, and the states of its widgets."""

    def make(count=3, width=300):
        names = [f"page-{n}" for n in range(count)]
        frame = '<svg width="{}"></svg><p>Step {}.</p>'
        states = {
            "root": box("VBoxModel", ["title", "stack"]),
            "title": words(TITLE),
            "stack": box("StackModel", names, selected_index=0),
            **{
                name: words(frame.format(width, number))
                for number, name in enumerate(names, 1)
            },
        }
        view = json.dumps({"model_id": "root"})
        still = f"<div>{TITLE}</div><div>{frame.format(width, 1)}</div>"
        text = (
            '<article><div class="cell_output"><div class="output text_html">'
            f'<div class="widget-still">{still}</div>'
            f'<script type="{VIEW}">{view}</script></div>'
            '<div class="output text_html"><details class="steps-words">'
            "<summary>the steps in words</summary></details></div></div></article>"
        )
        return BeautifulSoup(text, "html.parser").article, states

    return make


def test_unroll_steppers_puts_every_step_side_by_side(make_page):
    article, states = make_page()
    unroll_steppers(article, states)
    assert not article.select(".widget-still, .steps-words")
    frames = article.select(".frames > .frame")
    assert [frame.p.get_text() for frame in frames] == ["Step 1.", "Step 2.", "Step 3."]
    assert all(frame.svg for frame in frames)
    assert article.select_one(".steps > .frames-title").get_text() == "Who draws"


@pytest.mark.parametrize(("width", "columns"), [(200, 4), (300, 3), (490, 2), (900, 1)])
def test_unroll_steppers_puts_as_many_in_a_row_as_can_be_read(
    make_page, width, columns
):
    article, states = make_page(width=width)
    unroll_steppers(article, states)
    assert article.select_one(".frames")["class"][-1] == f"of-{columns}"


def test_unroll_steppers_leaves_a_widget_without_steps(make_page):
    article, states = make_page(count=1)
    before = str(article)
    unroll_steppers(article, states)
    assert str(article) == before
