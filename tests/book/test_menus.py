"""The theme's menus work without the scripts that the book leaves out."""

import pytest

PAGE = "chapters/reproducibility/seeds.html"
PHONE = {"width": 390, "height": 844}


@pytest.fixture(params=["served", "file"])
def home(request, open_window, built_book):
    """Opens windows of readers: on a server, and from a file."""

    def open_one(**options):
        if request.param == "file":
            options["home"] = built_book.as_uri()
        return open_window(**options)

    return open_one


def test_button_goes_from_system_to_the_other_scheme_and_keeps_it(home):
    reader = home(color_scheme="light")
    page = reader.open(PAGE)
    theme = "document.documentElement.dataset.theme"
    assert page.evaluate(theme) == "light"
    page.get_by_role("button", name="Color mode").click()
    assert page.evaluate(theme) == "dark"
    assert reader.open("index.html", page).evaluate(theme) == "dark"
    assert reader.noise == []


@pytest.mark.parametrize(
    ("button", "dialog", "inside"),
    [
        (".primary-toggle", "#pst-primary-sidebar-modal", "Private Streams"),
        (".secondary-toggle", "#pst-secondary-sidebar-modal", "Summary"),
    ],
)
def test_phone_opens_and_closes_its_drawers(home, button, dialog, inside):
    reader = home(viewport=PHONE)
    page = reader.open(PAGE)
    drawer = page.locator(dialog)
    assert not drawer.is_visible()
    page.locator(button).click()
    assert drawer.get_by_role("link", name=inside, exact=True).is_visible()
    page.keyboard.press("Escape")
    assert not drawer.is_visible()
    page.locator(button).click()
    drawer.get_by_role("link", name=inside, exact=True).click()
    page.wait_for_url("**#summary" if inside == "Summary" else "**/generators.html*")
    assert reader.noise == []


def test_wide_page_folds_its_sidebar(home):
    page = home().open(PAGE)
    sidebar = page.locator("#pst-primary-sidebar")
    assert sidebar.is_visible()
    page.locator(".primary-toggle").click()
    sidebar.wait_for(state="hidden")
    page.locator(".primary-toggle").click()
    sidebar.wait_for(state="visible")


def test_sidebar_unfolds_a_chapter(home):
    page = home().open(PAGE)
    chapter = page.locator("#pst-primary-sidebar li:has(> a[href*='hooks.html'])")
    section = chapter.get_by_role("link", name="Spread", exact=False).first
    assert not section.is_visible()
    chapter.locator("> details > summary .toctree-toggle").first.click()
    assert section.is_visible()


@pytest.mark.parametrize("way", ["button", "keys"])
def test_search_field_opens_over_the_page(home, way):
    page = home().open(PAGE)
    field = page.locator("#pst-search-dialog input")
    if way == "keys":
        page.keyboard.press("Control+k")
    else:
        page.locator(".search-button-field").click()
    assert field.is_visible()
    assert field.evaluate("e => e === document.activeElement")
    page.keyboard.press("Escape")
    assert not field.is_visible()


def test_copy_button_copies_the_code(open_window):
    reader = open_window(permissions=["clipboard-read", "clipboard-write"])
    page = reader.open(PAGE)
    block = page.locator("#step-sequence .cell_input:visible")
    block.hover()
    block.locator("button.copybtn").click()
    page.wait_for_selector("button.copybtn.success")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.strip() == block.locator("pre").inner_text().strip()


def test_skip_link_is_first_and_leads_to_the_text(reader):
    page = reader.open(PAGE)
    page.keyboard.press("Tab")
    link = page.locator(":focus")
    assert link.inner_text() == "Skip to main content"
    assert link.is_visible()
    page.keyboard.press("Enter")
    assert page.url.endswith("#main-content")
