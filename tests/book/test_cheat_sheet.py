"""The cheat sheet of the real book."""

import re
from pathlib import Path

import pytest

from d2l_support.build.cheat_sheet import GAP
from d2l_support.build.cheat_sheet_source import read_sheet
from d2l_support.build.frameworks import ALL_KEYS
from d2l_support.build.layout import Book, SectionName
from d2l_support.build.record import load_record

ROOT = Path(__file__).parents[2]
PAGE = "cheat-sheet.html"
PARTS = ("reproducibility", "inspection", "custom-layers")
PHONE = {"width": 400, "height": 900}
EDGES = """() => [...document.querySelectorAll("#task-compile-a-layer .cheat-line")]
  .map((line) => getComputedStyle(line).borderLeftColor)"""
CUT = """() => [...document.querySelectorAll(".cheat-line, .cheat-line pre")]
  .filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.innerText)"""


def read_tasks():
    """The tasks of this checkout."""
    return read_sheet(Book(ROOT))


def test_the_page_shows_every_task_in_the_order_of_the_book(reader):
    page = reader.open(PAGE)
    names = [task.name for task in read_tasks()]
    shown = page.locator(".cheat-name").evaluate_all(
        "names => names.map((name) => name.firstChild.textContent.trim())"
    )
    # The page's quotes are round.
    assert [name.replace("\u2019", "'") for name in shown] == names
    toc = (ROOT / "_toc.yml").read_text(encoding="utf-8")
    order = re.findall(r"chapters/(\S+)", toc)
    places = [order.index(task.section) for task in read_tasks()]
    parts = [task.part for task in read_tasks()]
    assert sorted(set(parts), key=parts.index) == list(PARTS)
    assert len(places) >= 15


@pytest.mark.parametrize("framework", ALL_KEYS)
def test_every_line_stands_in_a_record(framework):
    """Holds the sheet against what ran, by the lines alone."""
    book = Book(ROOT)
    for task in read_tasks():
        [excerpt] = [one for one in task.excerpts if one.framework == framework]
        section = SectionName(*excerpt.section.split("/"))
        record = load_record(book, section, framework)
        cells = {cell.id: cell.source.splitlines() for cell in record.cells}
        ran = {line.strip() for line in cells.get(excerpt.step, [])}
        quoted = {line.strip() for line in excerpt.text.splitlines()}
        assert quoted - ran <= {GAP, ""}, task.name


def test_every_link_leads_to_a_step_in_its_framework(reader):
    page = reader.open(PAGE)
    links = page.locator(".cheat-label a").evaluate_all("all => all.map((a) => a.href)")
    assert len(links) == 4 * len(read_tasks())
    texts = {}
    for link in links:
        path, framework, step = re.fullmatch(
            r"\S+/(chapters/\S+)\?framework=(\w+)#(step-\S+)", link
        ).groups()
        if path not in texts:
            texts[path] = reader.context.request.get(f"{reader.home}/{path}").text()
        assert f'id="{step}"' in texts[path], link
        assert framework in ALL_KEYS


def test_a_link_shows_its_cell(reader):
    page = reader.open(f"{PAGE}?framework=jax")
    page.locator("#task-edit-an-activation .of-mxnet a").click()
    page.wait_for_url("**/hooks-kinds.html?framework=mxnet#step-replace")
    assert page.locator("#step-replace").get_by_text("def erase").is_visible()


def test_all_frameworks_are_shown_and_the_chosen_one_is_marked(reader):
    page = reader.open(f"{PAGE}?framework=jax")
    for key in ("jax", "mxnet"):
        if key == "mxnet":
            page.locator("#switch-framework label", has_text="MXNet").click()
        colours = dict(zip(ALL_KEYS, page.evaluate(EDGES), strict=True))
        others = {colour for name, colour in colours.items() if name != key}
        assert others == {"rgba(0, 0, 0, 0)"}
        assert colours[key] not in others
        lines = page.locator(".cheat-line")
        assert lines.count() == 4 * len(read_tasks())
        assert all(line.is_visible() for line in lines.all())


@pytest.mark.parametrize("size", [{"width": 1300, "height": 900}, PHONE])
def test_no_line_is_cut_off(open_window, size):
    page = open_window(viewport=size).open(PAGE)
    assert page.evaluate(CUT) == []
    width = page.evaluate("document.documentElement.scrollWidth")
    assert width == size["width"]


def test_paper_shows_all_frameworks_and_breaks_no_task(reader):
    page = reader.open(f"{PAGE}?framework=jax")
    page.emulate_media(media="print")
    assert all(line.is_visible() for line in page.locator(".cheat-line").all())
    breaks = page.locator(".cheat-task").evaluate_all(
        "all => all.map((one) => getComputedStyle(one).breakInside)"
    )
    assert set(breaks) == {"avoid-page"}
