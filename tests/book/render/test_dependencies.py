"""What makes an incremental build read a section again."""

import pytest

DOCNAME = "chapters/part/demo"


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
