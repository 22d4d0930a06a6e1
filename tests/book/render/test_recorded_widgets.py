"""Recorded widgets work in a page with no kernel, from a server or a file."""

import json
import shutil
from pathlib import Path

import nbformat
import pytest
from nbformat import v4

from d2l_support.build.layout import Book
from d2l_support.build.web.bundle import bundle_folder, make_bundle

ROOT = Path(__file__).parents[3]
VIEW = "application/vnd.jupyter.widget-view+json"
STATE = "application/vnd.jupyter.widget-state+json"
EVIL = "<b>bold</b><img src=missing onerror='window.scripted = true'>"


def model(name: str, module: str = "controls", **state) -> dict:
    """A recorded model, as ipywidgets writes it."""
    version = "1.2.0" if module == "base" else "1.0.0"
    version = "2.0.0" if module == "controls" else version
    return {
        "model_name": name,
        "model_module": f"@jupyter-widgets/{module}",
        "model_module_version": version,
        "state": state,
    }


MODELS = {
    "layout": model("LayoutModel", "base"),
    "style": model("SliderStyleModel"),
    "slider": model(
        "IntSliderModel",
        layout="IPY_MODEL_layout",
        style="IPY_MODEL_style",
        description="step",
        value=1,
        max=5,
    ),
    "copy": model("IntTextModel", layout="IPY_MODEL_layout", value=1),
    "link": model(
        "LinkModel",
        source=["IPY_MODEL_slider", "value"],
        target=["IPY_MODEL_copy", "value"],
    ),
    "html": model("HTMLModel", layout="IPY_MODEL_layout", value=EVIL),
    "output": model(
        "OutputModel",
        "output",
        layout="IPY_MODEL_layout",
        outputs=[v4.new_output("stream", text="printed before")],
    ),
}


@pytest.fixture
def widget_page(small_book) -> Path:
    """A built page of which each cell shows one widget, far below its top."""
    shown = ("slider", "copy", "html", "output", "lost")
    cells = [v4.new_markdown_cell("# Widgets\n\n" + "far\n\n" * 200)]
    for name in shown:
        data = {VIEW: {"model_id": name, "version_major": 2, "version_minor": 0}}
        output = v4.new_output("display_data", data=data)
        cells.append(v4.new_code_cell(name, outputs=[output]))
    state = {"version_major": 2, "version_minor": 0, "state": MODELS}
    metadata = nbformat.from_dict({"widgets": {STATE: state}})
    notebook = v4.new_notebook(cells=cells, metadata=metadata)
    small_book.write("widgets.ipynb", json.dumps(notebook))
    shutil.copytree(
        ROOT / "web", small_book.root / "web", ignore=lambda *_: ["node_modules"]
    )
    bundle = make_bundle(Book(ROOT))
    shutil.copytree(bundle, bundle_folder(Book(small_book.root)))
    config = (small_book.root / "conf.py").read_text()
    small_book.write("conf.py", config.replace('["_build"', '["_build", "web"'))
    return small_book.build().out / "widgets.html"


@pytest.fixture
def page(widget_page, open_window):
    """The page, opened from its file, with its widgets drawn."""
    window = open_window(home=f"file://{widget_page.parent}")
    page = window.open(widget_page.name)
    page.locator("div.cell").first.scroll_into_view_if_needed()
    page.locator("[data-widget=failed]").wait_for()
    assert page.locator("[data-widget=shown]").count() == 4
    assert window.foreign == []
    return page


def test_widgets_load_once_they_are_near(widget_page, open_window):
    page = open_window(home=f"file://{widget_page.parent}").open(widget_page.name)
    assert page.locator("script[src*=bundled]").count() == 0
    page.locator("div.cell").first.scroll_into_view_if_needed()
    page.locator("[data-widget=shown]").first.wait_for()
    assert page.locator("script[src$='bundled/widgets.js']").count() == 1


def test_linked_widgets_move_by_keyboard(page):
    handle = page.get_by_role("slider")
    handle.focus()
    handle.press("ArrowRight")
    handle.press("ArrowRight")
    assert page.locator("input[type=number]").input_value() == "3"


def test_html_widget_formats_but_does_not_script(page):
    assert page.locator(".widget-html-content b").inner_text() == "bold"
    assert page.locator(".widget-html-content img").get_attribute("onerror") is None
    assert page.evaluate("window.scripted") is None


def test_output_widget_shows_what_was_recorded(page):
    assert page.locator(".widget-output").inner_text().strip() == "printed before"


def test_widget_that_was_not_recorded_says_so(page):
    text = page.locator("[data-widget=failed]").inner_text()
    assert text == "This widget was not recorded whole; run the cell to see it."


def test_page_with_widgets_names_no_foreign_host(widget_page):
    text = widget_page.read_text(encoding="utf-8")
    assert "_static/widgets.js" in text
    assert "cdnjs" not in text
    assert "unpkg" not in text
