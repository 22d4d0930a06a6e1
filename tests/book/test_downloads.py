"""Each section's page leads to its notebook, in the framework that is chosen."""

from pathlib import Path
from types import SimpleNamespace

import nbformat
import pytest

from d2l_support.build.frameworks import ALL_KEYS, FRAMEWORKS
from d2l_support.build.render.notebooks import list_notebooks

ROOT = Path(__file__).parents[2]
PAGE = "chapters/reproducibility/seeds.html"


def list_for(pagename: str, colab: str) -> list[dict]:
    app = SimpleNamespace(srcdir=ROOT, config=SimpleNamespace(book_colab=colab))
    context = {}
    list_notebooks(app, pagename, "page.html", context, None)
    return context["book_notebooks"]


@pytest.mark.parametrize("framework", ALL_KEYS)
def test_page_downloads_the_notebook_of_the_chosen_framework(
    reader, built_book, framework
):
    page = reader.open(f"{PAGE}?framework={framework}")
    link = page.locator(".book-notebook:visible")
    assert link.count() == 1
    label = FRAMEWORKS[framework].label
    assert link.get_attribute("aria-label") == f"Download as a notebook ({label})"
    with page.expect_download() as waiting:
        link.click()
    assert waiting.value.suggested_filename == f"seeds-{framework}.ipynb"
    held = Path(waiting.value.path()).read_bytes()
    path = built_book / "notebooks" / framework / "seeds.ipynb"
    assert held == path.read_bytes()
    nbformat.validate(nbformat.read(path, as_version=4))


def test_link_follows_the_switch(reader):
    page = reader.open(f"{PAGE}?framework=jax")
    page.locator("#switch-framework").get_by_text("MXNet").click()
    links = page.locator(".book-notebook:visible")
    assert [link.get_attribute("download") for link in links.all()] == [
        "seeds-mxnet.ipynb"
    ]


def test_page_without_script_offers_every_notebook_by_name(open_window):
    page = open_window(java_script_enabled=False).open(PAGE)
    links = page.locator(".book-notebook:visible")
    labels = [framework.label for framework in FRAMEWORKS.values()]
    assert [link.inner_text() for link in links.all()] == labels


@pytest.mark.parametrize("name", ["index.html", "measured.html", "search.html"])
def test_page_that_is_no_section_offers_none(reader, name):
    assert reader.open(name).locator(".book-notebook").count() == 0


def test_book_has_every_notebook_with_the_wheel_beside(built_book):
    pages = {path.stem for path in built_book.glob("chapters/*/*.html")}
    for framework in ALL_KEYS:
        folder = built_book / "notebooks" / framework
        assert {path.stem for path in folder.glob("*.ipynb")} == pages
        assert len(list(folder.glob("d2l_support-*.whl"))) == 1
    assert len(list((built_book / "notebooks").glob("*.whl"))) == 1


def test_list_notebooks_without_repository_offers_no_colab():
    notebooks = list_for("chapters/reproducibility/seeds", "")
    assert [notebook["colab"] for notebook in notebooks] == [""] * 4


def test_list_notebooks_with_repository_opens_its_files_in_colab():
    first, *_ = list_for("chapters/reproducibility/seeds", "us/book/blob/main/out/")
    assert first["colab"] == (
        "https://colab.research.google.com/github/us/book/blob/main/out"
        "/pytorch/seeds.ipynb"
    )


@pytest.mark.parametrize(
    "name", ["index", "chapters/reproducibility/gone", "chapters/seeds", "a/b/seeds"]
)
def test_list_notebooks_of_another_page_is_empty(name):
    assert list_for(name, "") == []


@pytest.mark.parametrize(("colab", "count"), [("", 0), ("us/book/blob/main/out", 4)])
def test_header_offers_colab_where_a_repository_is_named(render_header, colab, count):
    notebooks = list_for("chapters/reproducibility/seeds", colab)
    links = render_header(book_notebooks=notebooks, pathto=lambda name, _: name)
    opened = [link for link in links if link["aria-label"].startswith("Open in Colab")]
    assert [link["href"] for link in opened] == [
        notebook["colab"] for notebook in notebooks if notebook["colab"]
    ]
    assert len(opened) == count
    assert len(links) - count == 4
