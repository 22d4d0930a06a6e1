"""Whether everybody can use the page: axe on every page, names, keys, order."""

import json
from pathlib import Path

import pytest

from d2l_support.build.frameworks import ALL_KEYS

PAGE = "chapters/reproducibility/seeds.html"
PHONE = {"width": 390, "height": 844}

# What axe looks at is what a reader sees. What costs it time and is the same
# everywhere is taken out: the hidden variants, the book's table of contents, and
# of the coloured words of code all but one of each kind. One test looks at
# whole pages.
PREPARE = """(whole) => {
  if (whole) return;
  const hidden = document.querySelectorAll(
    ".framework-tabs > .sd-tab-content, .framework-prose, .depth-prose"
  );
  for (const one of hidden) if (!one.checkVisibility()) one.replaceChildren();
  document.querySelector("#pst-primary-sidebar .bd-links")?.remove();
  const kinds = new Set();
  for (const word of document.querySelectorAll(".highlight span[class]")) {
    if (kinds.has(word.className)) word.replaceWith(word.textContent);
    else kinds.add(word.className);
  }
}"""
RUN = """async (rules) => {
  const options = { resultTypes: ["violations"] };
  if (rules) options.runOnly = { type: "rule", values: rules };
  const { violations } = await axe.run(document, options);
  return violations.map(({ impact, id, nodes }) => ({
    impact, id, nodes: nodes.map(({ html, failureSummary }) =>
      `${html.slice(0, 160)}: ${failureSummary}`),
  }));
}"""


@pytest.fixture(scope="module")
def axe(page_tools: Path) -> str:
    """The script of axe-core."""
    return (page_tools / "axe-core" / "axe.min.js").read_text(encoding="utf-8")


def list_pages(book: Path) -> list[str]:
    """The pages of a built book."""
    pages = (path.relative_to(book).as_posix() for path in book.rglob("*.html"))
    return sorted(name for name in pages if not name.startswith("_static"))


def find_serious(page, rules: list[str] | None = None) -> list[dict]:
    """What axe finds on a page that is serious or critical."""
    found = page.evaluate(RUN, rules)
    return [one for one in found if one["impact"] in ("serious", "critical")]


def look_at(page, axe: str, whole: bool) -> dict[str, list[dict]]:
    """What axe finds on a page in light, and of its colours in dark."""
    page.evaluate(PREPARE, whole)
    page.evaluate(axe)
    found = {"light": find_serious(page)}
    page.evaluate("document.documentElement.dataset.theme = 'dark'")
    return found | {"dark": find_serious(page, ["color-contrast"])}


@pytest.mark.parametrize("part", range(4))
def test_axe_finds_nothing_serious_on_any_page(open_window, axe, built_book, part):
    reader = open_window(color_scheme="light", reduced_motion="reduce")
    page = reader.context.new_page()
    faults = {}
    for number, name in enumerate(list_pages(built_book)[part::4]):
        key = ALL_KEYS[(number + part) % 4]
        depth = ("researcher", "beginner")[number % 8 == 7]
        reader.open(f"{name}?framework={key}&depth={depth}", page)
        found = look_at(page, axe, whole=False)
        faults |= {(name, scheme): some for scheme, some in found.items() if some}
    assert not faults, json.dumps({str(k): v for k, v in faults.items()}, indent=1)


@pytest.mark.parametrize(
    "name", ["index.html", "search.html?q=seed", "cheat-sheet.html", PAGE]
)
@pytest.mark.parametrize("size", [{"width": 1300, "height": 900}, PHONE])
def test_axe_finds_nothing_serious_on_whole_pages(open_window, axe, name, size):
    reader = open_window(viewport=size, color_scheme="light", reduced_motion="reduce")
    found = look_at(reader.open(name), axe, whole=True)
    assert found == {"light": [], "dark": []}


def test_axe_finds_what_is_planted(reader, axe):
    page = reader.open(PAGE)
    page.evaluate(
        "document.querySelector('article h1').insertAdjacentHTML('afterend',"
        "'<p style=\"color: #aaa; background: #fff\">Pale.</p><img src=x>')"
    )
    found = look_at(page, axe, whole=False)
    assert {one["id"] for one in found["light"]} == {"color-contrast", "image-alt"}
