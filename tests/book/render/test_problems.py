"""Every problem in a section becomes one warning, at its place."""

import re

import pytest

CODE = "```{{code-cell}} python\n:framework: {}\n:id: {}\n1\n```\n\n"
WORDS = '+++ {{"framework": "{}", "id": "{}"}}\n\nNone here.\n\n'
STEP = "".join(CODE.format(key, "first") for key in ("pytorch", "tensorflow", "jax"))

SOURCES = {
    "unknown option": (
        "```{code-cell} python\n:id: first\n:oops: 1\n1\n```\n",
        8,
        "cell 'first': found option oops, expected ",
    ),
    "no id": (
        "\n```{code-cell} python\n1\n```\n",
        9,
        "found a code cell without :id:",
    ),
    "unknown framework": (
        '+++ {"framework": "theano"}\n\nWords.\n',
        8,
        "found framework 'theano', expected one of ",
    ),
    "broken marks": (
        'Words.\n\n+++ {"framework"\n\nWords.\n',
        10,
        "found a mark that cannot be read",
    ),
    "variants apart": (
        STEP + "+++\n\nWords between.\n\n" + CODE.format("mxnet", "first"),
        30,
        "cell 'first': found other cells between its variants, expected them together.",
    ),
    "no variant": (
        STEP,
        8,
        "cell 'first' (mxnet): found no MXNet variant, expected a code cell or a word "
        'on why there is none, after +++ {"framework": "mxnet", "id": "first"}.',
    ),
    "second variant": (
        STEP + CODE.format("mxnet", "first") + CODE.format("jax", "first"),
        32,
        "cell 'first' (jax): found the id a second time (first on line 20), ",
    ),
    "heading in prose": (
        '+++ {"framework": "jax"}\n\nWords.\n\n## Heading\n',
        12,
        "(jax): found a heading inside a variant, expected it outside: ",
    ),
    "heading in a tab": (
        STEP + '+++ {"framework": "mxnet", "id": "first"}\n\n### Heading\n',
        28,
        "cell 'first' (mxnet): found a heading inside a variant, ",
    ),
    "code cell in a list": (
        "- ```{code-cell} python\n  :id: first\n  1\n  ```\n",
        8,
        "cell 'first': found a code cell inside ",
    ),
    "code cell in a directive": (
        "::::{note}\nWords.\n\n```{code-cell} python\n:id: first\n1\n```\n::::\n",
        11,
        "cell 'first': found a code cell inside ",
    ),
}


@pytest.mark.parametrize(("body", "line", "message"), SOURCES.values(), ids=SOURCES)
def test_problem_in_source_becomes_warning(small_book, body, line, message):
    small_book.write_section(body)
    place = f"{small_book.root}/chapters/part/demo.md:{line}: WARNING: "
    warnings = small_book.build().warnings
    [warning] = [text for text in warnings if text.startswith(place + message)]
    assert re.search(r" \[book\.[a-z-]+\]$", warning)


def test_section_without_file_format_becomes_warning(small_book):
    small_book.write("chapters/part/demo.md", "# Demo\n\nWords.\n")
    [warning] = small_book.build().warnings
    assert warning.startswith(f"{small_book.root}/chapters/part/demo.md:1: WARNING: ")
    assert "expected `file_format: mystnb`" in warning
    assert warning.endswith(" [book.malformed]")


def test_problems_of_one_section_are_all_named(small_book):
    small_book.write_section(STEP + '+++ {"framework": "jax"}\n\n## Heading\n')
    warnings = small_book.build().warnings
    codes = [text.rpartition(" ")[2] for text in warnings]
    assert {"[book.missing]", "[book.heading]"} <= set(codes)


def test_words_instead_of_code_are_no_problem(small_book):
    small_book.write_section(STEP + WORDS.format("mxnet", "first"))
    small_book.record("pytorch", "tensorflow", "jax")
    assert small_book.build().warnings == []


def test_large_output_becomes_warning(small_book, monkeypatch):
    monkeypatch.setattr("d2l_support.build.record.LARGEST_OUTPUT", 100)
    warnings = [line for line in small_book.build().warnings if "(jax)" in line]
    assert len(warnings) == 2
    place = "chapters/part/recorded/demo.jax.ipynb: cell 'first' (jax): found "
    assert place in warnings[0]
    assert "bytes of output, expected at most 100: print less or" in warnings[0]
    assert warnings[0].endswith(" [book.size]")


def test_truncated_record_becomes_warning(small_book):
    path = small_book.root / "chapters/part/recorded/demo.jax.ipynb"
    path.write_text(path.read_text(encoding="utf-8")[:-40], encoding="utf-8")
    built = small_book.build()
    [warning] = built.warnings
    assert "demo.jax.ipynb: (jax): found no readable record (" in warning
    assert warning.endswith(
        "Run: d2l-support record --force --framework jax demo [book.record]"
    )
    assert built.output("first", "jax") is None
