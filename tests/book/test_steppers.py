"""Each stepper of the book moves with no kernel, and can be read without a script."""

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page

from d2l_support.build.compare import compare_outputs
from d2l_support.build.diff import rule_of
from d2l_support.build.layout import Book, SectionName
from d2l_support.build.record import load_record
from d2l_support.build.widgets import STATE

ROOT = Path(__file__).parents[2]
STEPPERS = {
    "reproducibility/generators": "stream-steps",
    "reproducibility/loader-workers": "seed-steps",
    "reproducibility/deterministic-arithmetic": "order-steps",
    "inspection/hooks-kinds": "hook-steps",
    "inspection/nan-finder": "nan-steps",
    "custom-layers/ste-range": "stair-steps",
}
FRAMEWORKS = ("pytorch", "tensorflow", "jax", "mxnet")


def list_captions(step: Locator) -> list[str]:
    """The steps in words, as the page lists them for the framework shown."""
    items = step.locator(".sd-tab-content:visible .steps-words li")
    return items.evaluate_all("items => items.map(item => item.textContent)")


def open_step(window, section: str, step: str, framework: str) -> tuple[Page, Locator]:
    """The page of a section with a stepper drawn."""
    page = window.open(f"chapters/{section}.html?framework={framework}")
    place = page.locator(f"#step-{step}")
    assert page.locator("script[src*=bundled]").count() == 0
    place.scroll_into_view_if_needed()
    place.locator("[data-widget=shown]:visible .noUi-handle").wait_for()
    return page, place


def read_stage(place: Locator) -> tuple[str, str]:
    """The picture that is shown, and its caption without the step's number."""
    stage = place.locator(".steps-stage:visible")
    caption = stage.locator("p").text_content()
    return stage.locator("svg").inner_html(), caption.partition(". ")[2]


def walk_steps(page: Page, place: Locator, captions: list[str]) -> list[str]:
    """The pictures on the way to the last step, by the arrow keys of the slider."""
    handle = place.locator(".noUi-handle:visible")
    handle.focus()
    pictures = []
    for number, caption in enumerate(captions, start=1):
        text = f"Step {number} of {len(captions)}."
        place.locator(f".steps-stage:visible >> text={text}").wait_for()
        picture, shown = read_stage(place)
        assert shown == caption
        pictures.append(picture)
        page.keyboard.press("ArrowRight")
    return pictures


@pytest.mark.parametrize("section", STEPPERS)
def test_stepper_moves_by_keyboard_without_a_kernel(reader, section):
    page, place = open_step(reader, section, STEPPERS[section], "pytorch")
    captions = list_captions(place)
    assert 2 <= len(captions) <= 12
    pictures = walk_steps(page, place, captions)
    assert len(set(pictures)) == len(captions)
    handle = place.locator(".noUi-handle:visible")
    assert (
        handle.get_attribute("aria-valuetext") == f"{len(captions)} of {len(captions)}"
    )
    assert (
        handle.get_attribute("aria-label")
        in place.locator("summary").all_text_contents()[0]
    )
    assert reader.foreign == []
    assert reader.noise == []


@pytest.mark.parametrize("section", STEPPERS)
def test_stepper_moves_in_a_page_opened_from_its_file(open_window, built_book, section):
    window = open_window(home=f"file://{built_book}")
    page, place = open_step(window, section, STEPPERS[section], "jax")
    captions = list_captions(place)
    assert len(set(walk_steps(page, place, captions))) == len(captions)
    assert window.foreign == []


def test_stepper_moves_by_its_buttons(reader):
    section = "inspection/nan-finder"
    _, place = open_step(reader, section, STEPPERS[section], "mxnet")
    captions = list_captions(place)
    button = place.get_by_role("button", name="4", exact=True)
    button.focus()
    button.press("Enter")
    place.locator(f".steps-stage:visible >> text=Step 4 of {len(captions)}.").wait_for()
    assert read_stage(place)[1] == captions[3]
    handle = place.locator(".noUi-handle:visible")
    assert handle.get_attribute("aria-valuetext") == f"4 of {len(captions)}"


@pytest.mark.parametrize("section", STEPPERS)
def test_stepper_can_be_read_without_a_script(open_window, section):
    window = open_window(java_script_enabled=False)
    page = window.open(f"chapters/{section}.html")
    place = page.locator(f"#step-{STEPPERS[section]}")
    words = place.locator("details.steps-words").first
    assert words.locator("summary").is_visible()
    words.locator("summary").click()
    assert words.locator("li").first.is_visible()
    assert place.locator(".widget-still svg").first.is_visible()
    first = place.locator(".widget-still p").first.text_content()
    assert first.partition(". ")[2] == words.locator("li").first.text_content()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_stepper_has_the_colours_of_the_page(open_window, theme):
    window = open_window(color_scheme=theme)
    section = "reproducibility/generators"
    page, place = open_step(window, section, STEPPERS[section], "pytorch")
    colours = page.evaluate(
        """([svg, body, tab]) => [
          getComputedStyle(svg.querySelector("text")).fill,
          getComputedStyle(body).color,
          getComputedStyle(tab).backgroundColor]""",
        [
            place.locator(".steps-stage:visible svg").element_handle(),
            page.locator("body").element_handle(),
            place.locator(".output.text_html:visible").first.element_handle(),
        ],
    )
    assert colours[0] == colours[1]
    assert colours[2] == "rgba(0, 0, 0, 0)"


def test_stepper_is_small_and_prints_its_words(reader):
    page = reader.open("chapters/inspection/nan-finder.html?framework=pytorch")
    page.emulate_media(media="print")
    words = page.locator("#step-nan-steps .steps-words:visible li").first
    assert words.evaluate("item => item.getBoundingClientRect().height") > 0


def test_pages_embed_the_states_that_they_show_and_others_none(built_book):
    pattern = re.compile(
        rf'<script type="{re.escape(STATE)}">(.*?)</script>', re.DOTALL
    )
    for path in sorted(built_book.glob("chapters/*/*.html")):
        name = path.relative_to(built_book / "chapters").with_suffix("").as_posix()
        text = path.read_text(encoding="utf-8")
        found = pattern.findall(text)
        assert len(found) == (1 if name in STEPPERS else 0), name
        assert ("_static/widgets.js" in text) == (name in STEPPERS), name
        for states in found:
            models = json.loads(states)["state"]
            shown = {key.rpartition("-")[0] for key in models}
            step = STEPPERS[name]
            assert shown <= {f"{key}-{step}" for key in FRAMEWORKS}


def list_records() -> list[tuple[str, str]]:
    """Each stepper's section with the frameworks that have one."""
    book = Book(ROOT)
    return [
        (section, framework)
        for section in STEPPERS
        for framework in FRAMEWORKS
        if book.record(SectionName(*section.split("/")), framework).is_file()
    ]


@pytest.mark.parametrize(("section", "framework"), list_records())
def test_changing_any_caption_of_a_recorded_stepper_is_noticed(section, framework):
    record = load_record(Book(ROOT), SectionName(*section.split("/")), framework)
    cells = [cell for cell in record.cells if cell.id == STEPPERS[section]]
    for cell in cells:
        (stepper, _) = cell.outputs
        pages = [
            entry["state"]
            for entry in stepper.data[STATE].values()
            if entry["model_name"] == "HTMLModel"
            if "<p>" in entry["state"]["value"]
        ]
        assert len(pages) >= 2
        for page in pages:
            recorded = json.loads(json.dumps(cell.outputs))
            kept, page["value"] = page["value"], page["value"].replace("<p>", "<p>not ")
            outputs = [type(cell)(output) for output in recorded]
            difference = compare_outputs(outputs, cell.outputs, rule_of(cell))
            page["value"] = kept
            assert difference is not None
    assert cells or (section, framework) == (
        "reproducibility/loader-workers",
        "tensorflow",
    )
