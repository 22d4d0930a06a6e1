"""How the page looks: without a script, in the dark, on a telephone."""

import pytest

from d2l_support.build.frameworks import ALL_KEYS, FRAMEWORKS

PAGE = "chapters/reproducibility/seeds.html"
PHONE = {"width": 360, "height": 740}

# The colours of each text and of what lies behind it: a box of the drawing
# that holds its middle, or else the first background around the drawing.
CONTRASTS = """() => {
  const parse = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const luminance = (colour) => {
    const [r, g, b] = parse(colour).map((value) => value / 255)
      .map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (text) => {
    const { x, y, width, height } = text.getBBox();
    const [left, top] = [x + width / 2, y + height / 2];
    const box = [...text.ownerSVGElement.querySelectorAll("rect")].find((rect) => {
      const area = rect.getBBox();
      return area.x < left && left < area.x + area.width
        && area.y < top && top < area.y + area.height;
    });
    if (box) return getComputedStyle(box).fill;
    let element = text.ownerSVGElement;
    while (element) {
      const colour = getComputedStyle(element).backgroundColor;
      if ((parse(colour)[3] ?? 1) > 0) return colour;
      element = element.parentElement;
    }
    return "rgb(255, 255, 255)";
  };
  return [...document.querySelectorAll("figure.drawn text")].map((text) => {
    const pair = [getComputedStyle(text).fill, behind(text)].map(luminance);
    const [dark, light] = pair.sort((a, b) => a - b);
    return [text.textContent, (light + 0.05) / (dark + 0.05)];
  });
}"""


def test_page_without_script_shows_all_prose_with_labels(open_window):
    page = open_window(java_script_enabled=False).open(PAGE)
    for key in ALL_KEYS:
        blocks = page.locator(f".framework-prose.for-{key}").all()
        assert blocks
        for block in blocks:
            assert block.is_visible()
            label = block.locator("> .prose-label")
            assert FRAMEWORKS[key].label in label.inner_text()


@pytest.mark.parametrize("key", ALL_KEYS)
def test_page_without_script_switches_tabs(open_window, key):
    page = open_window(java_script_enabled=False).open(PAGE)
    for step in ("sequence", "inventory"):
        tab_set = page.locator(f"#step-{step}")
        tab_set.locator(f"> label[data-sync-id={key}]").click()
        visible = tab_set.locator("> .sd-tab-content:visible")
        assert visible.count() == 1
        chosen = tab_set.locator(f"> label[data-sync-id={key}] + .sd-tab-content")
        assert chosen.is_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_page_without_script_keeps_lines_and_fills(open_window, scheme):
    window = open_window(java_script_enabled=False, color_scheme=scheme)
    page = window.open(PAGE)
    style = "(e, name) => getComputedStyle(e)[name]"
    tab_set = page.locator("#step-sequence")
    assert tab_set.evaluate(style, "borderTopWidth") == "1px"
    code = tab_set.locator(".cell_input:visible")
    assert code.evaluate(style, "backgroundColor") == "rgb(243, 244, 245)"


@pytest.mark.parametrize("script", [True, False])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_drawing_has_words_and_contrast(open_window, scheme, script):
    window = open_window(color_scheme=scheme, java_script_enabled=script)
    page = window.open(PAGE)
    drawing = page.locator("figure.drawn svg")
    assert drawing.get_attribute("role") == "img"
    assert len(drawing.get_attribute("aria-label")) > 100
    contrasts = page.evaluate(CONTRASTS)
    assert len(contrasts) == drawing.locator("text").count() > 10
    assert [pair for pair in contrasts if pair[1] < 4.5] == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_page_follows_colour_scheme(open_window, scheme):
    page = open_window(color_scheme=scheme).open(PAGE)
    background = "getComputedStyle(document.body).backgroundColor.match(/\\d+/g)[0]"
    is_dark = int(page.evaluate(background)) < 128
    assert is_dark is (scheme == "dark")
    code = page.locator("#step-sequence .cell_input:visible")
    red = code.evaluate("e => getComputedStyle(e).backgroundColor.match(/\\d+/g)[0]")
    assert (int(red) < 128) is is_dark


def test_dark_button_turns_drawing_dark(open_window):
    page = open_window(color_scheme="light").open(PAGE)
    box = page.locator("figure.drawn rect").first
    fill = "e => Number(getComputedStyle(e).fill.match(/\\d+/g)[0])"
    assert box.evaluate(fill) > 128
    page.evaluate("document.documentElement.dataset.theme = 'dark'")
    assert box.evaluate(fill) < 128


@pytest.mark.parametrize("path", ["index.html", PAGE])
def test_phone_scrolls_no_page_sideways(open_window, path):
    page = open_window(viewport=PHONE).open(path)
    widths = "[document.documentElement.scrollWidth, document.body.scrollWidth]"
    assert page.evaluate(widths) == [360, 360]
    page.evaluate("window.scrollTo(200, 0)")
    assert page.evaluate("window.scrollX") == 0


def test_phone_shows_all_four_tabs(open_window):
    page = open_window(viewport=PHONE).open(PAGE)
    boxes = [
        label.bounding_box() for label in page.locator("#step-sequence > label").all()
    ]
    assert len({box["y"] for box in boxes}) == 1
    assert max(box["x"] + box["width"] for box in boxes) <= 360


def test_phone_keeps_table_inside(open_window):
    page = open_window(viewport=PHONE).open(PAGE)
    for code in page.locator("table code").all():
        box = code.bounding_box()
        assert box["x"] + box["width"] <= 360
    cells = page.locator("table td, table th").all()
    assert max(c.bounding_box()["x"] + c.bounding_box()["width"] for c in cells) <= 360


def test_phone_keeps_drawing_readable(open_window):
    page = open_window(viewport=PHONE).open(PAGE)
    frame = page.locator("figure.drawn .drawing-frame")
    assert frame.evaluate("e => getComputedStyle(e).overflowX") == "auto"
    heights = [text.bounding_box()["height"] for text in frame.locator("text").all()]
    assert min(heights) >= 10


def test_code_fits_the_column_of_a_wide_page(reader):
    page = reader.open(PAGE)
    for pre in page.locator(".framework-tabs pre:visible").all():
        assert pre.evaluate("e => e.scrollWidth <= e.clientWidth")
