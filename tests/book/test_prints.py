"""A book that was printed offers on every page the PDF of the chosen framework."""

from types import SimpleNamespace

import pytest

from d2l_support.build.frameworks import ALL_KEYS, FRAMEWORKS
from d2l_support.build.render import prints
from d2l_support.build.render.prints import FOLDER, PRINTED, copy_prints, list_prints
from d2l_support.build.render.theme import THEME


@pytest.fixture
def make_app(tmp_path):
    """A function that makes a build, with or without PDFs."""

    def make(offered: bool):
        config = SimpleNamespace(book_pdfs=offered, html_theme=THEME)
        outdir = tmp_path / "html"
        outdir.mkdir(exist_ok=True)
        return SimpleNamespace(srcdir=tmp_path, outdir=outdir, config=config)

    return make


@pytest.fixture
def printed(tmp_path):
    """The PDFs where ``make pdf`` leaves them."""
    folder = tmp_path / PRINTED
    folder.mkdir(parents=True)
    for key in ALL_KEYS:
        (folder / f"{key}.pdf").write_bytes(key.encode())
        (folder / f"{key}-solutions.pdf").write_bytes(b"solved")
    return folder


@pytest.fixture
def read_header(render_header):
    """A function that gives the links of a page's header."""

    def read(app):
        context = {}
        list_prints(app, "index", "page.html", context, None)
        return render_header(**context, pathto=lambda name, _: f"../{name}")

    return read


def test_header_offers_a_pdf_for_each_framework(make_app, read_header):
    links = read_header(make_app(True))
    assert [link["href"] for link in links] == [
        f"../{FOLDER}/{key}.pdf" for key in ALL_KEYS
    ]
    for link, (key, framework) in zip(links, FRAMEWORKS.items(), strict=True):
        assert f"for-{key}" in link["class"]
        assert link["aria-label"] == f"The book as a PDF ({framework.label})"


def test_header_of_a_book_that_was_not_printed_offers_none(make_app, read_header):
    assert read_header(make_app(False)) == []


def test_copy_prints_puts_them_into_the_book_without_solutions(make_app, printed):
    app = make_app(True)
    copy_prints(app)
    found = {path.name: path.read_text() for path in (app.outdir / FOLDER).iterdir()}
    assert found == {f"{key}.pdf": key for key in ALL_KEYS}


def test_copy_prints_leaves_no_old_one(make_app, printed):
    copy_prints(make_app(True))
    app = make_app(False)
    copy_prints(app)
    assert not (app.outdir / FOLDER).exists()


def test_copy_prints_without_a_pdf_says_what_to_run(make_app, printed, monkeypatch):
    said = []
    # Sphinx writes its warnings in its own way once it has run in this process.
    monkeypatch.setattr(
        prints.LOGGER, "warning", lambda text, *of: said.append(text % of)
    )
    (printed / "jax.pdf").unlink()
    copy_prints(make_app(True))
    assert said == ["_build/pdf/jax.pdf: found no PDF, expected it. Run: make site"]
