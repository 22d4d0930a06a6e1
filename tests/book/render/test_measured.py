"""The directive that shows the ledger as tables."""

from types import SimpleNamespace

from d2l_support.build.frameworks import ALL_KEYS
from d2l_support.build.layout import Book, SectionName
from d2l_support.build.record import mark_of, read_record
from d2l_support.build.render.titles import order_sections
from d2l_support.build.survey.agreement import Agreement
from d2l_support.build.survey.ledger import MARK, Ledger, Observation, write_ledger

NAME = SectionName("part", "demo")
DOCNAME = f"chapters/{NAME}"
INDEX = """\
# Small book

```{toctree}
chapters/part/demo
```

```{measured-reproducibility}
```
"""


def build_measured(small_book):
    """The page of a book in which a cell of JAX once printed other text."""
    book = Book(small_book.root)
    path = book.record(NAME, "jax")
    mark = mark_of(read_record(path, path, NAME, "jax"))[:MARK]
    seen = Observation(mark, "2026-11-30", {}, {"first": Agreement("text")})
    write_ledger(book, Ledger({(str(NAME), "jax", "one-core"): seen}))
    small_book.write("index.md", INDEX)
    built = small_book.build()
    assert built.warnings == []
    return built.page("index")


def test_tables_name_sections_by_their_titles(small_book):
    sections, cells, *_ = build_measured(small_book).select("table")
    assert sections.tbody.th.get_text(strip=True) == "Demo"
    assert cells.tbody.th.get_text().strip() == "Demo, first (JAX)"
    links = [link["href"] for link in cells.tbody.th.select("a")]
    page = f"{DOCNAME}.html"
    assert links == [page, f"{page}?framework=jax#step-first"]


def test_columns_say_which_frameworks_have_the_setting(small_book):
    cells = build_measured(small_book).select_one("table.measured-cells")
    heads = {head.get_text(): head.get("class") for head in cells.thead.select("th")}
    assert "for-jax" in heads["JAX 0.12"]
    assert "for-mxnet" not in heads["JAX 0.12"]
    assert "for-jax" not in heads["without oneDNN"]
    assert not any(f"for-{key}" in heads["one core"] for key in ALL_KEYS)


def test_order_sections_follows_the_contents():
    names = [SectionName("part", name) for name in ("a", "b")]
    listed = ("index", "chapters/part/b", "chapters/part/a")
    env = SimpleNamespace(external_site_map=dict.fromkeys(listed))
    assert order_sections(env, names) == names[::-1]
    assert order_sections(SimpleNamespace(), names) == names
