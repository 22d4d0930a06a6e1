"""The choice of a framework: made once, followed everywhere."""

import pytest

from d2l_support.build.frameworks import ALL_KEYS, FRAMEWORKS

PAGE = "chapters/reproducibility/seeds.html"

FORBID_STORAGE = """
for (const name of ["getItem", "setItem"]) {
  const allowed = Storage.prototype[name];
  Storage.prototype[name] = function (key, ...rest) {
    if (key.startsWith("sphinx-design")) throw new Error("forbidden");
    return allowed.call(this, key, ...rest);
  };
}
"""
"""Forbids the choice alone: the theme's own scripts need theirs."""


SHOWN = """() => {
  const all = (selector) => [...document.querySelectorAll(selector)];
  const seen = (selector) => all(selector).filter((e) => e.checkVisibility());
  const unique = (values) => [...new Set(values)];
  const framework = (label) => label.dataset.syncId;
  return {
    tabs: unique(all(".framework-tabs > input:checked + label").map(framework)),
    panels: unique(seen(".framework-tabs > .sd-tab-content")
      .map((panel) => framework(panel.previousElementSibling))),
    prose: unique(seen(".prose-label").map((label) => label.textContent)),
  };
}"""
"""The frameworks of the chosen tabs, and of the panels and prose in sight."""


def assert_follows(page, key: str) -> None:
    """Holds every tab set and all prose of a page against one framework."""
    label = FRAMEWORKS[key].label
    assert page.evaluate(SHOWN) == {"tabs": [key], "panels": [key], "prose": [label]}


def choose(page, key: str, step: str = "train-once") -> None:
    """Clicks a framework's tab."""
    page.locator(f"#step-{step} > label[data-sync-id={key}]").click()


def address_choice(page) -> str | None:
    """The framework in a page's address."""
    return page.evaluate("new URL(location.href).searchParams.get('framework')")


def test_first_visit_shows_first_framework(reader):
    page = reader.open(PAGE)
    assert_follows(page, "pytorch")
    assert address_choice(page) is None


@pytest.mark.parametrize("key", ALL_KEYS)
def test_click_switches_whole_page(reader, key):
    page = reader.open(PAGE)
    choose(page, "jax" if key == "pytorch" else "pytorch", "sequence")
    choose(page, key)
    assert_follows(page, key)


def test_click_keeps_the_tab_under_the_pointer(reader):
    page = reader.open(PAGE)
    choose(page, "mxnet", "inventory")
    assert page.locator("#step-inventory > label[data-sync-id=mxnet]").is_visible()
    assert_follows(page, "mxnet")


def test_arrow_keys_switch_whole_page(reader):
    page = reader.open(PAGE)
    page.locator("#step-coverage > input").first.focus()
    for key in ("tensorflow", "jax", "mxnet", "pytorch"):
        page.keyboard.press("ArrowRight")
        assert_follows(page, key)
        assert address_choice(page) == key
    page.keyboard.press("ArrowLeft")
    assert_follows(page, "mxnet")


def test_tabs_are_reached_by_tab_key_and_show_focus(reader):
    page = reader.open(PAGE)
    page.locator("#step-sequence .cell_input pre:visible").focus()
    page.locator("#step-sequence > input:checked").focus()
    page.keyboard.press("ArrowRight")
    outline = page.locator("#step-sequence > input:checked + label").evaluate(
        "label => getComputedStyle(label).outlineStyle"
    )
    assert outline == "solid"


def test_address_follows_click(reader):
    page = reader.open(f"{PAGE}?x=1#summary")
    choose(page, "tensorflow")
    assert page.url.endswith(f"{PAGE}?x=1&framework=tensorflow#summary")
    choose(page, "jax")
    assert page.url.endswith(f"{PAGE}?x=1&framework=jax#summary")


def test_choice_survives_reload(reader):
    page = reader.open(PAGE)
    choose(page, "jax")
    page.reload()
    assert_follows(page, "jax")


def test_choice_survives_on_another_page(reader):
    page = reader.open(PAGE)
    choose(page, "jax")
    reader.open("index.html", page)
    page.get_by_role("link", name="Seeds and Randomness").first.click()
    page.wait_for_url(f"**/{PAGE}")
    assert_follows(page, "jax")


def test_choice_reaches_new_page_of_same_reader(reader):
    choose(reader.open(PAGE), "mxnet")
    assert_follows(reader.open(PAGE), "mxnet")


def test_choice_does_not_reach_another_reader(open_window):
    choose(open_window().open(PAGE), "mxnet")
    assert_follows(open_window().open(PAGE), "pytorch")


def test_address_wins_over_memory_and_is_remembered(reader):
    choose(reader.open(PAGE), "mxnet")
    assert_follows(reader.open(f"{PAGE}?framework=jax"), "jax")
    assert_follows(reader.open(PAGE), "jax")


def test_address_of_page_without_tabs_is_remembered(reader):
    reader.open("index.html?framework=tensorflow")
    assert_follows(reader.open(PAGE), "tensorflow")


@pytest.mark.parametrize("asked", ["cobol", "", "JAX", "__proto__"])
def test_unknown_framework_in_address_is_removed(reader, asked):
    choose(reader.open(PAGE), "jax")
    page = reader.open(f"{PAGE}?framework={asked}&x=1")
    assert_follows(page, "jax")
    assert page.url.endswith(f"{PAGE}?x=1")
    assert_follows(reader.open(PAGE), "jax")


def test_unknown_framework_in_memory_is_ignored(reader):
    page = reader.open(PAGE)
    page.evaluate("localStorage.setItem('sphinx-design-tab-id-framework', 'cobol')")
    page.reload()
    assert_follows(page, "pytorch")


def test_going_back_follows_the_last_choice(reader):
    page = reader.open(PAGE)
    choose(page, "jax")
    reader.open(f"{PAGE}?page=2", page)
    choose(page, "mxnet")
    page.go_back()
    page.wait_for_url("**framework=mxnet")
    assert_follows(page, "mxnet")


def test_choice_works_where_storage_is_forbidden(reader):
    reader.context.add_init_script(FORBID_STORAGE)
    page = reader.open(f"{PAGE}?framework=mxnet")
    assert_follows(page, "mxnet")
    choose(page, "jax")
    assert_follows(page, "jax")
    assert reader.noise == []


def test_choice_is_made_while_page_loads(reader, built_book):
    text = (built_book / PAGE).read_text(encoding="utf-8")
    end = '<section id="summary">'
    body = text.replace(end, f'<script src="stall.js"></script>{end}')
    stalled = []
    reader.context.route(
        "**/seeds.html*",
        lambda route: route.fulfill(body=body, content_type="text/html"),
    )
    reader.context.route("**/stall.js", lambda route: stalled.append(route))
    page = reader.context.new_page()
    page.goto(f"{reader.home}/{PAGE}?framework=jax", wait_until="commit")
    page.wait_for_selector("#what-a-seed-does-not-fix")
    assert page.evaluate("document.readyState") == "loading"
    assert_follows(page, "jax")
    stalled[0].fulfill(body="")
    page.wait_for_load_state()
    assert_follows(page, "jax")


def test_address_into_hidden_variant_opens_it(reader):
    choose(reader.open(PAGE), "jax")
    page = reader.open(f"{PAGE}#sd-tab-item-3-content")
    assert_follows(page, "mxnet")
    assert page.url.endswith("?framework=mxnet#sd-tab-item-3-content")


@pytest.mark.parametrize(
    "place", [".framework-prose.for-mxnet p", "#step-coverage pre"]
)
def test_link_into_hidden_variant_opens_it(reader, place):
    page = reader.open(PAGE)
    page.evaluate(
        "place => { [...document.querySelectorAll(place)].at(-1).id = 'inside' }", place
    )
    page.evaluate("location.hash = '#inside'")
    page.wait_for_selector("html[data-framework=mxnet]")
    assert_follows(page, "mxnet")
    assert page.locator("#inside").is_visible()


def test_link_to_shared_place_keeps_choice(reader):
    choose(reader.open(PAGE), "jax")
    page = reader.open(f"{PAGE}#summary")
    assert_follows(page, "jax")


def test_book_opened_from_file_works(open_window, built_book):
    reader = open_window(home=built_book.as_uri())
    page = reader.open(PAGE)
    choose(page, "jax")
    assert_follows(page, "jax")
    assert page.url == f"{built_book.as_uri()}/{PAGE}?framework=jax"
    reader.open("index.html", page)
    page.get_by_role("link", name="Seeds and Randomness").first.click()
    page.wait_for_url(f"**/{PAGE}")
    assert_follows(page, "jax")
    assert (reader.noise, reader.foreign) == ([], [])
