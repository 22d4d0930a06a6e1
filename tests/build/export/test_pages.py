"""A build writes the notebooks of its pages anew where they rest on a change."""

from types import SimpleNamespace

import pytest

from d2l_support.build.frameworks import ALL_KEYS
from d2l_support.build.layout import SectionName
from d2l_support.build.render import notebooks
from d2l_support.build.render.theme import THEME

DOCNAME = "chapters/part/section"
OTHERS = "something else"


@pytest.fixture
def app(exportable, tmp_path):
    """As much of Sphinx as the handler looks at; nothing was read again."""
    (tmp_path / "doctrees").mkdir()
    app = SimpleNamespace(
        srcdir=exportable.root,
        outdir=tmp_path / "html",
        doctreedir=tmp_path / "doctrees",
        config=SimpleNamespace(html_theme=THEME),
        env=SimpleNamespace(found_docs={"index", DOCNAME}),
    )
    assert notebooks.write_notebooks(app) == []
    return app


def written(app):
    return app.outdir / "notebooks" / "jax" / "section.ipynb"


def is_written_anew(app):
    """Whether a build puts the notebook in the place of another text."""
    written(app).write_text(OTHERS)
    notebooks.write_notebooks(app)
    return written(app).read_text() != OTHERS


def test_first_build_writes_every_framework_with_the_wheel(app):
    for framework in ALL_KEYS:
        folder = app.outdir / "notebooks" / framework
        assert sorted(path.suffix for path in folder.iterdir()) == [".ipynb", ".whl"]


def test_build_without_change_writes_nothing(app):
    assert not is_written_anew(app)


def test_page_that_was_read_again_is_written_anew(app):
    app.book_read = {DOCNAME}
    assert is_written_anew(app)


def test_notebook_that_is_missing_is_written_anew(app):
    (app.outdir / "notebooks" / "mxnet" / "section.ipynb").unlink()
    assert is_written_anew(app)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("index.md", "# Another title\n"),
        ("_config.yml", "html:\n  baseurl: https://book.test\n"),
        ("references.bib", "@misc{a, title={T}, howpublished={H}, year={1}}\n"),
    ],
)
def test_change_of_what_prose_points_at_writes_every_notebook_anew(
    app, exportable, name, text
):
    (exportable.root / name).write_text(text)
    assert is_written_anew(app)


def test_words_that_cannot_be_made_plain_are_a_warning_at_their_line(
    app, exportable, monkeypatch
):
    warned = []
    monkeypatch.setattr(
        notebooks.LOGGER,
        "warning",
        lambda text, *values, location: warned.append((text % values, location)),
    )
    path = exportable.source(SectionName("part", "section"))
    text = path.read_text("utf-8") + "\n+++\n\n```{figure} a\n```\n"
    path.write_text(text, "utf-8")
    app.book_read = {DOCNAME}
    notebooks.write_notebooks(app)
    ((message, location),) = warned
    assert location == (DOCNAME, len(text.splitlines()) - 1)
    assert message.startswith("found directive 'figure'")
    assert message.endswith("[book.export]")


def test_another_theme_has_no_notebooks(app):
    app.config.html_theme = "basic"
    app.book_read = {DOCNAME}
    assert not is_written_anew(app)
