"""What one framework's reader sees of a page."""

import pytest
from bs4 import BeautifulSoup

from d2l_support.build.frameworks import ALL_KEYS, FRAMEWORKS
from d2l_support.build.pdf.variant import choose_variants

TABS = "".join(
    f'<input type="radio"><label data-sync-id="{key}">{framework.label}</label>'
    f'<div class="sd-tab-content"><pre>import {key}</pre></div>'
    for key, framework in FRAMEWORKS.items()
)


def choose(body: str, framework: str):
    """An article of which one framework's variants were kept."""
    article = BeautifulSoup(f"<article>{body}</article>", "html.parser").article
    choose_variants(article, framework)
    return article


@pytest.mark.parametrize("framework", ALL_KEYS)
def test_choose_variants_keeps_one_tab(framework):
    article = choose(f'<div class="framework-tabs" id="step-a">{TABS}</div>', framework)
    assert article.get_text() == f"import {framework}"
    assert article.div["id"] == "step-a"
    assert not article.find_all(["input", "label"])


def test_choose_variants_without_the_framework_drops_the_step():
    tabs = TABS.replace('data-sync-id="jax"', "")
    assert not choose(f'<div class="framework-tabs">{tabs}</div>', "jax").div


def test_choose_variants_keeps_the_depth_of_a_step():
    tabs = f'<div class="framework-tabs depth-prose depth-researcher">{TABS}</div>'
    assert choose(tabs, "jax").div["class"] == [
        "step",
        "depth-prose",
        "depth-researcher",
    ]


@pytest.mark.parametrize("kind", ["framework-prose", "page-fact"])
def test_choose_variants_keeps_prose_that_is_for_the_framework(kind):
    body = (
        f'<div class="{kind} for-jax for-mxnet">both</div>'
        f'<div class="{kind} for-pytorch">other</div><div>all</div>'
    )
    assert choose(body, "jax").get_text() == "bothall"


def test_choose_variants_drops_other_rows_alone():
    row = "<table><tr><td>head</td></tr>"
    row += '<tr class="for-jax"><td>own</td></tr>'
    row += '<tr class="for-mxnet"><td>other</td></tr></table>'
    assert choose(row, "jax").get_text() == "headown"


def test_choose_variants_drops_other_columns_alone():
    row = '<table><tr><th>run</th><th class="for-jax">next</th></tr>'
    row += '<tr><td>same</td><td class="for-jax">text</td></tr></table>'
    assert choose(row, "jax").get_text() == "runnextsametext"
    assert choose(row, "mxnet").get_text() == "runsame"


def test_choose_variants_leaves_of_a_label_the_depth():
    body = '<div class="framework-prose {}"><p class="prose-label">{}</p>text</div>'
    assert choose(body.format("for-jax", "JAX"), "jax").get_text() == "text"
    deep = body.format("depth-prose for-jax", "Researcher, JAX")
    assert choose(deep, "jax").get_text() == "Researchertext"


def test_choose_variants_drops_a_solution_that_has_nothing_for_it():
    tab = TABS.replace("import jax", "")
    body = (
        '<details class="solution"><summary>Solution</summary>'
        f'<div class="sd-card-body"><div class="framework-tabs">{tab}</div></div>'
        "</details>"
    )
    assert not choose(body, "jax").details
    assert choose(body, "mxnet").details


def test_choose_variants_marks_the_line_of_the_cheat_sheet():
    lines = "".join(
        f'<div class="cheat-line of-{key}"><p class="cheat-label">'
        f'<a href="#{key}">{key}<span class="cheat-of">: seed</span></a></p></div>'
        for key in ("jax", "mxnet")
    )
    article = choose(lines, "jax")
    assert article.get_text() == "jaxmxnet"
    assert [link["href"] for link in article.select("a")] == ["#jax"]
    assert article.select_one(".of-jax")["class"][-1] == "chosen"
