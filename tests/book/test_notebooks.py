"""Every notebook that the book exports is valid, plain and safe to hand out."""

import re

import nbformat
import pytest

from d2l_support.build.check import load_section
from d2l_support.build.exercises.shown import name_answered
from d2l_support.build.export.command import export_notebooks
from d2l_support.build.export.setup import FIRST
from d2l_support.build.frameworks import ALL_KEYS
from d2l_support.build.layout import Book

MYST = {
    "role": re.compile(r"\{[a-z:]+\}`"),
    "directive": re.compile(r"^[> ]*(?:`{3,}|:{3,})\s*\{", re.MULTILINE),
    "option": re.compile(r"^[> ]*:[a-z-]+:", re.MULTILINE),
    "break": re.compile(r"^\+\+\+", re.MULTILINE),
    "target": re.compile(r"^\([\w-]+\)=$", re.MULTILINE),
    "region": re.compile(r"### (?:BEGIN|END)"),
}
SPAN = re.compile(r"(?<!`)(`+)(?!`).+?(?<!`)\1(?!`)", re.DOTALL)
PICTURE = re.compile(r"!\[(?:\\.|[^\]\\])*\]\(([^)]*)\)")
PATHS = re.compile(r"\.envs|site-packages/d2l_support/build|/tmp/")


def find_myst(text):
    """What in a text only Sphinx understands."""
    # A code span leaves its tick: a role is what stands before one.
    spans = {"role": SPAN.sub("`", text)}
    return [kind for kind, mark in MYST.items() if mark.search(spans.get(kind, text))]


@pytest.fixture(scope="module")
def notebooks(tmp_path_factory, checkout):
    """Every exported notebook, by framework and section."""
    folder = tmp_path_factory.mktemp("notebooks")
    book = Book(checkout)
    assert export_notebooks(book, book.sections(), [*ALL_KEYS], folder) == []
    return {
        (path.parent.name, path.stem): nbformat.read(path, as_version=4)
        for path in sorted(folder.glob("*/*.ipynb"))
    }


def test_every_section_has_a_notebook_in_every_framework(notebooks, checkout):
    sections = [name.name for name in Book(checkout).sections()]
    assert notebooks.keys() == {(key, name) for key in ALL_KEYS for name in sections}


def test_every_notebook_is_valid_with_ids_of_its_own(notebooks):
    for name, notebook in notebooks.items():
        nbformat.validate(notebook)
        ids = [cell.id for cell in notebook.cells]
        assert len(set(ids)) == len(ids), name
        assert notebook.metadata.kernelspec.name == "python3"


def test_no_words_of_a_notebook_need_sphinx(notebooks):
    for name, notebook in notebooks.items():
        for cell in notebook.cells:
            if cell.cell_type != "markdown":
                continue
            assert find_myst(cell.source) == [], (name, cell.id)


def test_what_shows_in_the_search_for_myst():
    for kind, text in {
        "role": "see {doc}`seeds`",
        "directive": "> ```{note} x\n> y\n> ```",
        "option": ":label: x",
        "break": "+++",
        "target": "(x)=",
        "region": "### BEGIN SOLUTION",
    }.items():
        assert find_myst(text) == [kind]
    assert find_myst("`{doc}` and `{`, or ``{doc}`a` `` is code") == []


def test_every_picture_is_inside_its_notebook(notebooks):
    addresses = [
        address
        for notebook in notebooks.values()
        for cell in notebook.cells
        if cell.cell_type == "markdown"
        for address in PICTURE.findall(cell.source)
    ]
    assert addresses
    assert {address[:22] for address in addresses} == {"data:image/png;base64,"}


def test_every_notebook_looks_before_its_first_code(notebooks):
    opening = FIRST.splitlines()[0]
    for name, notebook in notebooks.items():
        code = [cell for cell in notebook.cells if cell.cell_type == "code"]
        assert code[0].source.startswith(opening), name
        assert notebook.cells[0].source.startswith("# "), name


def test_every_recorded_cell_shows_its_output(notebooks, checkout):
    book = Book(checkout)
    for name in book.sections():
        section = load_section(book, name)
        answered = name_answered(section)
        for key in ALL_KEYS:
            record = book.record(name, key)
            if not record.exists():
                continue
            shown = {cell.id: cell for cell in notebooks[key, name.name].cells}
            for cell in nbformat.read(record, as_version=4).cells:
                if cell.id in answered:
                    assert shown[cell.id].outputs == [], (name, key, cell.id)
                else:
                    assert len(shown[cell.id].outputs) == len(cell.outputs)


def test_no_notebook_tells_where_it_was_made(notebooks):
    for name, notebook in notebooks.items():
        code = "".join(cell.source for cell in notebook.cells[:3])
        assert not PATHS.search(code), name
