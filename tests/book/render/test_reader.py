"""What a page shows of its records, and what it says of the rest."""

import pytest

from d2l_support.build.frameworks import ALL_KEYS

SECTION = "chapters/part/demo.md"
FIRST_LINE = {"pytorch": 9, "tensorflow": 15, "jax": 21, "mxnet": 27}


def change(book, name: str, old: str, new: str) -> None:
    """Replaces a text in a file of the book, where it stands once."""
    before = (book.root / name).read_text(encoding="utf-8")
    assert before.count(old) == 1
    book.write(name, before.replace(old, new))


def test_read_page_shows_every_recorded_output(small_book):
    built = small_book.build()
    assert built.warnings == []
    for key in ALL_KEYS:
        for step in ("first", "second"):
            assert built.output(step, key) == f"{key} printed {step}"


def test_read_page_shows_code_beside_its_output(small_book):
    code = small_book.build().tab("second", "mxnet").select_one(".cell_input")
    assert code.get_text().strip() == "say('mxnet second')"


def test_read_page_shows_no_output_of_stale_cell(small_book):
    change(small_book, SECTION, "'jax first'", "'jax changed'")
    built = small_book.build()
    assert built.output("first", "jax") is None
    assert "jax changed" in built.tab("first", "jax").get_text()


def test_read_page_shows_no_output_after_stale_cell(small_book):
    change(small_book, SECTION, "'jax first'", "'jax changed'")
    assert small_book.build().output("second", "jax") is None


def test_read_page_shows_outputs_before_stale_cell(small_book):
    change(small_book, SECTION, "'jax second'", "'jax changed'")
    built = small_book.build()
    assert built.output("first", "jax") == "jax printed first"
    assert built.output("second", "jax") is None


def test_read_page_shows_other_frameworks_beside_stale_cell(small_book):
    change(small_book, SECTION, "'jax first'", "'jax changed'")
    built = small_book.build()
    for key in ("pytorch", "tensorflow", "mxnet"):
        assert built.output("first", key) == f"{key} printed first"
        assert built.output("second", key) == f"{key} printed second"


@pytest.mark.parametrize("key", ALL_KEYS)
def test_read_page_warns_of_stale_cell(small_book, key):
    change(small_book, SECTION, f"'{key} first'", "'changed'")
    assert small_book.build().warnings == [
        f"{small_book.root}/{SECTION}:{FIRST_LINE[key]}: WARNING: "
        f"cell 'first' ({key}): found code that differs from what was recorded, "
        f"expected the same. Run: d2l-support record --framework {key} demo "
        "[book.stale]"
    ]


def test_read_page_of_stale_cell_fails_strict_build(small_book):
    change(small_book, SECTION, "'jax first'", "'jax changed'")
    done = small_book.build_strictly()
    assert done.returncode == 1
    assert f"{SECTION}:21: " in done.stderr
    assert "cell 'first' (jax): found code that differs" in done.stderr


@pytest.mark.parametrize("what", ["requirements", "helpers"])
def test_read_page_shows_nothing_of_record_made_with_other(small_book, what):
    if what == "requirements":
        small_book.write("requirements/jax.txt", "jax==2.0\n")
    else:
        small_book.write("d2l_support/jax.py", "VALUE = 2\n")
    built = small_book.build()
    assert [built.output(step, "jax") for step in ("first", "second")] == [None, None]
    assert built.output("first", "mxnet") == "mxnet printed first"
    [warning] = built.warnings
    assert warning.startswith(f"{small_book.root}/{SECTION}: WARNING: ")
    assert (
        f"chapters/part/recorded/demo.jax.ipynb: (jax): found a record made with other "
        f"{what}, expected the current. Run: d2l-support record --framework jax demo"
    ) in warning


def test_read_page_without_record_warns(small_book):
    (small_book.root / "chapters/part/recorded/demo.mxnet.ipynb").unlink()
    built = small_book.build()
    assert built.output("first", "mxnet") is None
    [warning] = built.warnings
    assert "demo.mxnet.ipynb: (mxnet): found no record, expected one" in warning


def test_read_page_shows_nothing_of_edited_record(small_book):
    record = "chapters/part/recorded/demo.jax.ipynb"
    change(small_book, record, "jax printed first", "jax invented first")
    built = small_book.build()
    assert built.output("first", "jax") is None
    assert built.output("second", "jax") is None
    [warning] = built.warnings
    assert f"{record}: (jax): found a record with seal" in warning
    assert "(it was edited by hand)" in warning


def test_read_page_leaves_plain_page_alone(small_book):
    small_book.write("chapters/part/index.md", "# Part\n\n```{note}\nWords.\n```\n")
    change(
        small_book,
        "index.md",
        "chapters/part/demo",
        "chapters/part/index\nchapters/part/demo",
    )
    built = small_book.build()
    assert built.warnings == []
    page = built.page("chapters/part/index")
    assert page.select_one(".note").get_text().split() == ["Note", "Words."]
    assert page.select(".framework-tabs, .framework-prose") == []


def test_read_page_warns_of_plain_page_that_cannot_be_read(small_book):
    text = "---\nfile_format: mystnb\n---\n\n# Part\n\n+++ {broken\n\nWords.\n"
    small_book.write("index.md", text)
    built = small_book.build()
    [warning] = [line for line in built.warnings if "[book.malformed]" in line]
    assert warning.startswith(f"{small_book.root}/index.md:7: WARNING: ")


def test_read_page_names_lines_of_plain_page(small_book):
    text = "---\ntitle: Plain\n---\n\n\n# Plain\n\n{ref}`nowhere`\n"
    small_book.write("index.md", f"{text}\n```{{toctree}}\nchapters/part/demo\n```\n")
    [warning] = small_book.build().warnings
    assert warning.startswith(f"{small_book.root}/index.md:8: WARNING: undefined label")


def test_read_page_with_broken_helper_says_which(small_book):
    small_book.write("d2l_support/helper.py", "def\n")
    done = small_book.build_strictly()
    assert done.returncode == 2
    assert "d2l_support/helper.py:1: found no valid Python" in done.stderr
    assert "Extension error (d2l_support.build.render)" in done.stderr
