"""The choice of a depth, and the switches in the page's header."""

import re

import pytest

PAGE = "chapters/reproducibility/seeds.html"
OTHER = "chapters/reproducibility/generators.html"
DEPTHS = ("beginner", "developer", "researcher")

SHOWN = """() => {
  const seen = (selector) =>
    [...document.querySelectorAll(selector)].some((e) => e.checkVisibility());
  return {
    beginner: seen(".depth-beginner"),
    researcher: seen(".depth-researcher"),
    code: seen(".framework-tabs:not(.depth-researcher) pre"),
    drawing: seen("figure.drawn svg"),
    chosen: document.querySelector("#switch-depth input:checked").value,
  };
}"""

EXPECTED = {
    "beginner": {"beginner": True, "researcher": False, "code": False},
    "developer": {"beginner": False, "researcher": False, "code": True},
    "researcher": {"beginner": False, "researcher": True, "code": True},
}


def switch_to(page, name: str, choice: str) -> None:
    """Clicks a choice in the page's header."""
    group = page.get_by_role("group", name=name)
    group.get_by_text(re.compile(f"^{choice}$", re.IGNORECASE)).click()


def assert_shows(page, depth: str) -> None:
    """Holds what a page shows, and its switch, against a depth."""
    expected = {**EXPECTED[depth], "drawing": True, "chosen": depth}
    assert page.evaluate(SHOWN) == expected


def test_first_visit_shows_the_developers_text(reader):
    assert_shows(reader.open(PAGE), "developer")


@pytest.mark.parametrize("depth", DEPTHS)
def test_switch_shows_a_depth_and_remembers_it(reader, depth):
    page = reader.open(PAGE)
    switch_to(page, "Depth", depth)
    assert_shows(page, depth)
    assert_shows(reader.open(OTHER, page), depth)


@pytest.mark.parametrize("depth", DEPTHS)
def test_address_opens_a_depth(reader, depth):
    assert_shows(reader.open(f"{PAGE}?depth={depth}"), depth)


def test_unknown_depth_in_the_address_changes_nothing(reader):
    page = reader.open(f"{PAGE}?depth=beginner")
    assert_shows(reader.open(f"{PAGE}?depth=expert", page), "beginner")


def test_headings_without_beginner_text_are_hidden_from_beginners(reader):
    page = reader.open(f"{PAGE}?depth=beginner")
    empty = "section:not(:has(.depth-beginner)) > h2"
    assert page.locator("section > h2:visible").count() > 3
    assert page.locator(f"{empty}:visible").count() == 0


def test_link_into_another_depth_opens_it(reader):
    page = reader.open(f"{PAGE}?depth=beginner")
    page.evaluate("location.hash = 'step-train-once'")
    page.wait_for_function("document.documentElement.dataset.depth == 'developer'")
    assert page.locator("#step-train-once").is_visible()
    page.evaluate("location.hash = 'step-algorithm'")
    page.wait_for_function("document.documentElement.dataset.depth == 'researcher'")
    assert page.locator("#step-algorithm").is_visible()


def test_opened_depth_is_not_remembered(reader):
    page = reader.open(f"{PAGE}?depth=developer")
    page.evaluate("location.hash = 'step-algorithm'")
    page.wait_for_function("document.documentElement.dataset.depth == 'researcher'")
    assert_shows(reader.open(OTHER, page), "developer")


@pytest.mark.parametrize("key", ["tensorflow", "jax", "mxnet", "pytorch"])
def test_framework_switch_follows_and_leads_the_tabs(reader, key):
    page = reader.open(PAGE)
    switch_to(page, "Framework", "mxnet" if key == "pytorch" else "pytorch")
    switch_to(page, "Framework", key)
    assert page.evaluate("document.documentElement.dataset.framework") == key
    assert page.locator(
        f"#step-sequence > label[data-sync-id={key}] + div"
    ).is_visible()
    page.locator("#step-coverage > label[data-sync-id=tensorflow]").click()
    chosen = page.locator("#switch-framework input:checked")
    assert chosen.get_attribute("value") == "tensorflow"


def test_page_without_script_shows_every_depth_with_its_label(open_window):
    page = open_window(java_script_enabled=False).open(PAGE)
    for depth in ("beginner", "researcher"):
        labels = page.locator(f".depth-{depth} > .prose-label").all()
        assert labels
        for label in labels:
            assert label.is_visible()
            assert depth.capitalize() in label.inner_text()


@pytest.mark.parametrize("page", ["index.html", "bibliography.html"])
def test_page_without_beginner_text_shows_its_main_text(reader, page):
    paragraphs = "article.bd-article p:visible, article.bd-article li:visible"
    shown = reader.open(f"{page}?depth=beginner").locator(paragraphs)
    assert shown.count() == reader.open(page).locator(paragraphs).count() > 0
