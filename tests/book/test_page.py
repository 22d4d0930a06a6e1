"""A section as a reader's browser shows it: every step in four frameworks."""

import re
from pathlib import Path

import nbformat
import pytest

from d2l_support.build.frameworks import ALL_KEYS, FRAMEWORKS
from d2l_support.build.rules import Rule

SECTION = "reproducibility/seeds"
PAGE = f"chapters/{SECTION}.html"
STEPS = ("sequence", "train-once", "same-seed", "coverage", "inventory")
LABELS = [framework.label for framework in FRAMEWORKS.values()]


@pytest.fixture(scope="module")
def recorded() -> dict[tuple[str, str], nbformat.NotebookNode]:
    """The recorded cells of the section, by step and framework."""
    part, name = SECTION.split("/")
    folder = Path(__file__).parents[2] / "chapters" / part / "recorded"
    return {
        (cell.id, key): cell
        for key in ALL_KEYS
        for cell in nbformat.read(folder / f"{name}.{key}.ipynb", 4).cells
    }


def printed(cell) -> str:
    """What a recorded cell printed."""
    return "".join(output.text for output in cell.outputs)


def test_find_browser_without_one_says_what_to_install(find_browser, monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.delenv("CHROMIUM", raising=False)
    with pytest.raises(pytest.fail.Exception, match="Run: apt-get install chromium"):
        find_browser()


def test_find_browser_takes_the_one_that_is_named(find_browser, monkeypatch):
    monkeypatch.setenv("CHROMIUM", "/opt/my-chromium")
    assert find_browser() == "/opt/my-chromium"


def test_page_shows_each_step_as_one_tab_set(reader):
    page = reader.open(PAGE)
    tab_sets = page.locator(".framework-tabs:visible").all()
    assert [one.get_attribute("id") for one in tab_sets] == [f"step-{s}" for s in STEPS]
    for tab_set in tab_sets:
        labels = tab_set.locator("> label").all_inner_texts()
        assert labels == LABELS


@pytest.mark.parametrize("key", ALL_KEYS)
def test_page_shows_recorded_code_and_output(reader, recorded, key):
    page = reader.open(f"{PAGE}?framework={key}")
    for step in STEPS:
        cell = recorded[step, key]
        tab = page.locator(f"#step-{step} > .sd-tab-content:visible")
        assert tab.count() == 1
        assert tab.locator(".cell_input pre").inner_text().rstrip() == cell.source
        outputs = tab.locator(".cell_output pre").all_inner_texts()
        assert "".join(outputs).rstrip() == printed(cell).rstrip()


@pytest.mark.parametrize("key", ALL_KEYS)
def test_page_shows_rule_under_each_output(reader, recorded, key):
    page = reader.open(f"{PAGE}?framework={key}")
    for step in STEPS:
        cell = recorded[step, key]
        rule = Rule.from_metadata(cell.metadata["book"]["compare"])
        tab = page.locator(f"#step-{step} > .sd-tab-content:visible")
        rules = tab.locator(".output-rule:visible").all_inner_texts()
        assert rules == ([f"output: {rule}"] if cell.outputs else [])


def test_page_asks_no_foreign_host_and_logs_nothing(reader):
    for path in ("index.html", PAGE, "search.html?q=seed", "genindex.html"):
        reader.open(path).wait_for_load_state("networkidle")
    assert reader.foreign == []
    assert reader.noise == []


def test_guard_aborts_and_records_foreign_request(open_window):
    reader = open_window(bypass_csp=True)  # the page's own policy comes first
    page = reader.open(PAGE)
    failed = page.evaluate(
        "fetch('https://example.org/').then(() => 'answered', () => 'failed')"
    )
    assert failed == "failed"
    assert reader.foreign == ["https://example.org/"]


def test_built_book_holds_no_foreign_script_or_style(built_book):
    address = (
        r"""<(?:script|link|img|iframe)[^>]*\b(?:src|href)=["'](?:https?:)?//[^"']*"""
    )
    for path in built_book.rglob("*.html"):
        assert re.findall(address, path.read_text(encoding="utf-8")) == [], path.name
