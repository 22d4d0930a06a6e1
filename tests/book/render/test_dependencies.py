"""What makes an incremental build read a section again."""

import pytest

from d2l_support.build.layout import Book, SectionName
from d2l_support.build.record import mark_of, read_record, seal_of, write_record
from d2l_support.build.survey.agreement import Agreement
from d2l_support.build.survey.ledger import MARK, Ledger, Observation, write_ledger

NAME = SectionName("part", "demo")
DOCNAME = f"chapters/{NAME}"


@pytest.fixture
def built_book(small_book):
    """A book with a plain page beside its section, built once."""
    built = small_book.build()
    assert sorted(built.read) == [DOCNAME, "index"]
    return small_book


def test_build_again_reads_nothing(built_book):
    assert built_book.build().read == []


def test_build_again_reads_nothing_where_a_framework_has_only_words(small_book):
    words = '+++ {"framework": "pytorch,tensorflow,jax", "id": "first"}\n\nNone.\n\n'
    code = "```{code-cell} python\n:framework: mxnet\n:id: first\n1\n```\n"
    small_book.write_section(words + code)
    small_book.record("mxnet")
    assert small_book.build().warnings == []
    assert small_book.build().read == []


def test_build_after_new_record_reads_section(built_book):
    built_book.record("jax")
    assert built_book.build().read == [DOCNAME]


def test_build_after_first_record_shows_it(small_book):
    path = small_book.root / "chapters/part/recorded/demo.jax.ipynb"
    path.unlink()
    assert small_book.build().output("first", "jax") is None
    small_book.record("jax")
    built = small_book.build()
    assert built.warnings == []
    assert built.output("first", "jax") == "jax printed first"


def test_build_after_record_is_gone_shows_no_output(built_book):
    (built_book.root / "chapters/part/recorded/demo.jax.ipynb").unlink()
    built = built_book.build()
    assert built.read == [DOCNAME]
    assert built.output("first", "jax") is None


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("requirements/jax.txt", "jax==2.0\n"),
        ("d2l_support/helper.py", "VALUE = 2\n"),
        ("d2l_support/new.py", "VALUE = 3\n"),
        ("d2l_support/folder/new.py", "VALUE = 4\n"),
    ],
)
def test_build_after_change_shows_no_output(built_book, name, text):
    built_book.write(name, text)
    built = built_book.build()
    assert built.read == [DOCNAME]
    assert built.output("first", "jax") is None
    assert "found a record made with other " in built.warnings[0]


def test_build_after_helper_is_gone_reads_section(built_book):
    (built_book.root / "d2l_support/helper.py").unlink()
    assert built_book.build().read == [DOCNAME]


def test_build_after_tooling_changed_reads_nothing(built_book):
    built_book.write("d2l_support/build/tool.py", "VALUE = 1\n")
    built_book.write("requirements/book.txt", "sphinx==7\n")
    assert built_book.build().read == []


def test_build_after_survey_shows_what_was_measured(built_book):
    book = Book(built_book.root)
    path = book.record(NAME, "jax")
    record = read_record(path, path, NAME, "jax")
    seen = Observation(mark_of(record)[:MARK], "2026-11-30", {})
    write_ledger(book, Ledger({(str(NAME), "jax", "one-core"): seen}))
    built = built_book.build()
    assert built.warnings == []
    [badge] = built.tab("first", "jax").select("details.output-rule")
    assert badge.summary.get_text() == "output: exact"
    lines = [item.get_text() for item in badge.select("li")]
    assert lines == ["The same text: one core.", "Measured 2026-11-30."]
    assert built_book.build().read == []


def test_build_with_a_contradicted_rule_warns(built_book):
    book = Book(built_book.root)
    path = book.record(NAME, "jax")
    record = read_record(path, path, NAME, "jax")
    mark = mark_of(record)[:MARK]
    cells = {"first": Agreement("text", allowed=False)}
    seen = Observation(mark, "2026-11-30", {}, cells)
    write_ledger(book, Ledger({(str(NAME), "jax", "one-core"): seen}))
    [warning] = built_book.build().warnings
    assert "cell 'first' (jax): found other text under 'one core'" in warning


def test_build_with_a_broken_ledger_warns(built_book):
    built_book.write("chapters/ledger.json", "{")
    [warning] = built_book.build().warnings
    assert "chapters/ledger.json: found no readable ledger" in warning


def test_build_shows_what_a_gpu_printed_where_it_differs(built_book):
    book = Book(built_book.root)
    path = book.record(NAME, "jax")
    record = read_record(path, path, NAME, "jax")
    record.cells[0].outputs[0].text = "the GPU printed <this>\n"
    record.metadata["book"]["environment"] = {"device": "Pretend GPU"}
    record.metadata["book"]["seal"] = seal_of(record)
    write_record(book.record(NAME, "jax", "gpu"), record)
    built = built_book.build()
    assert built.warnings == []
    [note] = built.tab("first", "jax").select("details.output-gpu")
    assert note.summary.get_text() == "on Pretend GPU: another output"
    assert note.pre.get_text() == "the GPU printed <this>"
    assert built.tab("second", "jax").select("details.output-gpu") == []
