"""Names and links of pages that have become one document."""

from pathlib import Path

import pytest
from bs4 import BeautifulSoup

from d2l_support.build.pdf.links import (
    link_sources,
    name_place,
    name_places,
    point_images,
    point_links,
    unlink_lost,
)

PAGE = "chapters/part/seeds"
PAGES = {"index", PAGE, "chapters/part/other"}


def parse(body: str):
    """An article."""
    return BeautifulSoup(f"<article>{body}</article>", "html.parser").article


def test_name_places_makes_names_of_pages_differ():
    article = parse(
        '<svg aria-labelledby="t d"><title id="t">T</title><marker id="m"></marker>'
        '<path marker-end="url(#m)"></path></svg>'
    )
    name_places(article, PAGE)
    own = name_place(PAGE, "m")
    assert own == "chapters-part-seeds--m"
    assert article.marker["id"] == own
    assert article.path["marker-end"] == f"url(#{own})"
    assert article.svg["aria-labelledby"].split()[0] == article.title["id"]


@pytest.mark.parametrize(
    ("address", "place"),
    [
        ("#here", "#chapters-part-seeds--here"),
        ("other.html", "#chapters-part-other"),
        ("other.html#there", "#chapters-part-other--there"),
        ("../../index.html?framework=jax#step-a", "#index--step-a"),
        ("https://example.org/a.html#b", "https://example.org/a.html#b"),
        ("mailto:somebody@example.org", "mailto:somebody@example.org"),
    ],
)
def test_point_links_points_into_the_document(address, place):
    article = parse(f'<a href="{address}">words</a>')
    point_links(article, PAGE, PAGES)
    assert article.a["href"] == place


def test_point_links_to_a_page_that_is_not_printed_leaves_words():
    article = parse('<a href="../../genindex.html">words</a>')
    point_links(article, PAGE, PAGES)
    assert not article.a
    assert article.get_text() == "words"


def test_unlink_lost_leads_to_the_page_of_a_lost_place():
    article = parse(
        '<h1 id="index">t</h1><a href="#index--gone">a</a><a href="#no--x">b</a>'
    )
    assert unlink_lost(article) == ["no--x"]
    assert article.a["href"] == "#index"


def test_point_images_points_to_the_built_book(tmp_path: Path):
    article = parse('<img src="../../_images/a.png"><img src="data:image/png;base64,">')
    point_images(article, PAGE, tmp_path)
    first, second = article.find_all("img")
    assert first["src"] == (tmp_path / "_images/a.png").as_uri()
    assert second["src"].startswith("data:")


def test_link_sources_makes_links_of_addresses():
    article = parse(
        '<div class="citation"><p>A & B. arXiv:1607.06450, 2016.</p>'
        "<p>Docs. https://example.org/a?b=1&c=2, 2026. https://example.org/d.</p></div>"
        "<p>arXiv:1607.06450</p>"
    )
    before = article.get_text()
    link_sources(article)
    assert [link["href"] for link in article.find_all("a")] == [
        "https://arxiv.org/abs/1607.06450",
        "https://example.org/a?b=1&c=2",
        "https://example.org/d",
    ]
    assert article.get_text() == before
