"""Tables in plain text and in HTML."""

from html.parser import HTMLParser

import pytest

from d2l_support.tables import Table, Tabular, cut, render_html, render_text

TABLE = Table(
    title="Two rows",
    header=("name", "count"),
    rows=(("short", "1"), ("a longer name", "1,000")),
    lead=("First.", "Second."),
    notes=("A note.",),
    align="<>",
)


class Collector(HTMLParser):
    """Collects tags and texts, and checks that tags are closed in order."""

    def __init__(self, source):
        super().__init__()
        self.tags, self.texts, self.open = [], [], []
        self.feed(source)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)


def test_render_text_aligns_columns():
    assert render_text(TABLE).splitlines() == [
        "Two rows",
        "",
        "First.",
        "Second.",
        "",
        "name           count",
        "-------------  -----",
        "short              1",
        "a longer name  1,000",
        "",
        "A note.",
    ]


def test_render_text_without_rows_has_no_header():
    table = Table("Nothing", ("name",), (), lead=("All is well.",))
    assert render_text(table) == "Nothing\n\nAll is well."


@pytest.mark.parametrize("columns", [2, 5, 9])
def test_render_text_is_never_wider_than_the_page(columns):
    wide = tuple("n" * 60 for _ in range(columns))
    table = Table("T", wide, (wide,), lead=("word " * 40,), notes=("word " * 40,))
    assert max(map(len, render_text(table).splitlines())) <= 78


def test_first_column_gives_way_before_the_others():
    table = Table("T", ("n", "v"), (("n" * 90, "v" * 30),))
    assert "v" * 30 in render_text(table)


@pytest.mark.parametrize(
    ("keep", "cut_name"), [("start", "encod..."), ("end", "...r.attn")]
)
def test_cut_keeps_one_end(keep, cut_name):
    assert cut("encoder.attn", len(cut_name), keep) == cut_name


def test_render_html_is_a_plain_table():
    shown = Collector(render_html(TABLE))
    assert shown.open == []
    tags = [tag for tag, _ in shown.tags]
    assert tags.count("caption") == tags.count("table") == 1
    assert {"script", "style"}.isdisjoint(tags)
    assert [a["scope"] for t, a in shown.tags if t == "th"] == ["col"] * 2 + ["row"] * 2
    assert all(set(attrs) <= {"scope"} for _, attrs in shown.tags)
    assert shown.texts[:3] == ["First.", "Second.", "Two rows"]


def test_render_html_without_rows_keeps_the_title():
    table = Table("Nothing", ("name",), (), lead=("All is well.",))
    assert render_html(table) == "<p>Nothing</p><p>All is well.</p>"


def test_render_html_escapes():
    table = Table("<t>", ("<h>",), (("<r>",),), lead=("<l>",), notes=("<n>",))
    shown = render_html(table)
    for letter in "thrln":
        assert f"&lt;{letter}&gt;" in shown


def test_tabular_shows_its_table_everywhere():
    class Shown(Tabular):
        def _table(self):
            return TABLE

    assert str(Shown()) == repr(Shown()) == render_text(TABLE)
    assert Shown()._repr_html_() == render_html(TABLE)
