"""What `d2l-support check` finds in a section's source."""

import re
from pathlib import Path
from textwrap import indent

import pytest

from d2l_support.build.check import check_book, check_section, load_section
from d2l_support.build.layout import SectionName
from d2l_support.build.problems import ContentError
from d2l_support.build.source import read_section

NAME = SectionName("part", "section")
PATH = Path("chapters/part/section.md")
HEAD = "---\nfile_format: mystnb\n---\n\n# Title\n\n"
CELL = "```{code-cell} python\n:id: hidden\nx = 1\n```\n"


def code(step, mark=None):
    mark = f":framework: {mark}\n" if mark else ""
    return f"```{{code-cell}} python\n{mark}:id: {step}\nx = 1\n```\n\n"


def words(step, mark):
    return f'+++ {{"framework": "{mark}", "id": "{step}"}}\n\nThere is none.\n\n'


def prose(mark, text):
    return f'+++ {{"framework": "{mark}"}}\n\n{text}\n'


def problems_of(body):
    return [str(found) for found in check_section(read_section(HEAD + body, PATH))]


def line_of(body, text):
    """The number of the last line that is this text."""
    lines = (HEAD + body).split("\n")
    return len(lines) - lines[::-1].index(text)


@pytest.mark.parametrize(
    "body",
    [
        "",
        "Words.\n",
        code("a"),
        code("a", "pytorch, jax") + code("a", "[tensorflow, mxnet]"),
        code("a", "pytorch, tensorflow, jax") + words("a", "mxnet"),
        words("a", "jax, mxnet") + code("a", "pytorch, tensorflow"),
        words("a", "jax") + code("a"),
        words("a", "jax") + words("a", "jax") + code("a"),
    ],
)
def test_check_section_finds_nothing_in_a_whole_one(body):
    assert problems_of(body) == []


def test_check_section_with_a_framework_that_a_step_lacks():
    body = code("a") + code("b", "pytorch, tensorflow") + words("b", "jax")
    assert problems_of(body) == [
        f"{PATH}:12: cell 'b' (mxnet): found no MXNet variant, expected a code cell "
        "or a word on why there is none, after "
        '+++ {"framework": "mxnet", "id": "b"}.'
    ]


def test_check_section_takes_the_mark_that_it_proposes():
    body = code("b", "pytorch, tensorflow, jax")
    (found,) = problems_of(body)
    mark = found[found.index("+++") : -1]
    assert problems_of(f"{body}{mark}\n\nMXNet has no such thing.\n") == []


def test_check_section_lists_every_missing_variant():
    found = problems_of(code("a", "jax"))
    assert [text.partition(": found")[0] for text in found] == [
        f"{PATH}:7: cell 'a' (pytorch)",
        f"{PATH}:7: cell 'a' (tensorflow)",
        f"{PATH}:7: cell 'a' (mxnet)",
    ]


@pytest.mark.parametrize(
    ("body", "place", "first"),
    [
        (code("a") + code("a", "jax"), "12: cell 'a' (jax)", 7),
        (
            code("a", "jax, pytorch") + code("a", "jax, mxnet, tensorflow"),
            "13: cell 'a' (jax)",
            7,
        ),
        (
            code("a", "jax") + code("a", "pytorch, tensorflow, mxnet, jax"),
            "13: cell 'a' (jax)",
            7,
        ),
    ],
)
def test_check_section_with_an_id_twice_in_one_framework(body, place, first):
    assert problems_of(body) == [
        f"{PATH}:{place}: found the id a second time (first on line {first}), "
        "expected one code cell per id and framework."
    ]


@pytest.mark.parametrize(
    "between", [code("b"), prose("jax", "JAX."), "Words.\n\n", words("b", "jax")]
)
def test_check_section_with_variants_that_do_not_stand_together(between):
    body = code("a", "jax") + between + code("a", "pytorch, tensorflow, mxnet")
    order = [text for text in problems_of(body) if "between" in text]
    line = line_of(body, ":framework: pytorch, tensorflow, mxnet") - 1
    assert order == [
        f"{PATH}:{line}: cell 'a': found other cells between its variants, "
        "expected them together."
    ]


@pytest.mark.parametrize(
    ("text", "heading"),
    [
        ("# Head", "# Head"),
        ("Words.\n\n\n### Head", "### Head"),
        ("Words.\n\nHead\n===", "Head"),
        ("Head\n---", "Head"),
        ("```{note}\n:class: tip\n\n# Head\n```", "# Head"),
        ("```{note}\nHead\n===\n```", "Head"),
        (":::{note}\nWords.\n\n# Head\n:::", "# Head"),
        ("::: plain\n\n# Head\n:::", "# Head"),
        ("````{note}\n```{tip}\n\nHead\n---\n```\n````", "Head"),
        ("- a\n\n  # Head", "  # Head"),
        ("> # Head", "> # Head"),
    ],
)
@pytest.mark.parametrize("empty", ["", "\n", "\n\n\n"])
def test_check_section_with_a_heading_in_a_variant(text, heading, empty):
    body = f'+++ {{"framework": "jax, mxnet"}}\n{empty}{text}\n'
    assert problems_of(body) == [
        f"{PATH}:{line_of(body, heading)}: (jax, mxnet): "
        "found a heading inside a variant, expected it outside: "
        "the page's outline is the same in every framework."
    ]


def test_check_section_with_a_heading_in_words_names_the_step():
    body = code("a") + '+++ {"framework": "jax", "id": "a"}\n\n## Head\n'
    (found,) = problems_of(body)
    assert found.startswith(f"{PATH}:14: cell 'a' (jax): found a heading")


@pytest.mark.parametrize(
    "body",
    [
        "## Head\n\nHead\n---\n",
        prose("jax", "Words.\n\n---\n\nWords."),
        prose("jax", "```python\n# a comment\n```"),
        prose("jax", "````{code-block} python\n# a comment\n````"),
        prose("jax", "    # a comment"),
        code("a", "jax").replace("x = 1", "# a comment") + code("a", "pytorch"),
    ],
)
def test_check_section_with_a_heading_elsewhere_or_none(body):
    assert [text for text in problems_of(body) if "heading" in text] == []


HIDDEN = (
    "found a code cell inside a directive or list, or with another fence, where it "
    "would be dropped silently, expected ```{code-cell} at the left margin."
)


@pytest.mark.parametrize(
    "text",
    [
        f"````{{note}}\n{CELL}````",
        f"````{{note}}\n:class: tip\n\nWords.\n\n{CELL}````",
        f"`````{{note}}\n\n````{{tip}}\n{CELL}````\n`````",
        f"````{{list-table}}\n* - a\n\n{indent(CELL, '    ')}````",
        f"- a\n\n{indent(CELL, '  ')}",
        f"1. a\n   - b\n\n{indent(CELL, '     ')}",
        indent(CELL, "> "),
        ":::{code-cell} python\n:id: hidden\nx = 1\n:::",
        "``` {code-cell} python\n:id: hidden\nx = 1\n```",
    ],
)
@pytest.mark.parametrize(
    ("before", "framework"),
    [
        ("", ""),
        ("Words.\n\n\n", ""),
        ('+++ {"framework": "jax"}\n', " (jax)"),
        ('+++ {"framework": "jax"}\n\n\nJAX.\n\n', " (jax)"),
    ],
)
def test_check_section_with_a_hidden_code_cell(text, before, framework):
    body = f"{before}{text}\n"
    lines = (HEAD + body).split("\n")
    (line,) = [n for n, row in enumerate(lines, 1) if "{code-cell} python" in row]
    assert problems_of(body) == [f"{PATH}:{line}: cell 'hidden'{framework}: {HIDDEN}"]


def test_check_section_with_a_cell_hidden_in_a_colon_fence():
    with pytest.raises(ContentError) as raised:
        problems_of(f":::{{note}}\nWords.\n\n{CELL}:::\n")
    assert str(raised.value) == (
        f"{PATH}:10: cell 'hidden': "
        "found a code cell inside a directive, expected it outside."
    )


@pytest.mark.parametrize(
    "text",
    [
        f"````\n{CELL}````",
        f"````markdown\n{CELL}````",
        f"````{{code-block}} markdown\n{CELL}````",
        f"`````{{note}}\n````markdown\n{CELL}````\n`````",
        f"- a\n\n{indent(CELL, '      ')}",
    ],
)
def test_check_section_with_a_fence_that_shows_a_code_cell(text):
    assert problems_of(f"{text}\n") == []


def test_check_section_lists_problems_in_the_order_of_the_page():
    late = prose("jax", "# Head") + "+++\n\n"
    body = code("a", "jax") + late + code("b", "jax, pytorch, mxnet")
    places = [text.partition(": found")[0] for text in problems_of(body)]
    assert places == [
        f"{PATH}:7: cell 'a' (pytorch)",
        f"{PATH}:7: cell 'a' (tensorflow)",
        f"{PATH}:7: cell 'a' (mxnet)",
        f"{PATH}:15: (jax)",
        f"{PATH}:18: cell 'b' (tensorflow)",
    ]


def test_load_section_that_is_no_utf8_says_where(tiny_book):
    text = HEAD.encode() + "Größe\n".encode("latin-1")
    tiny_book.source(NAME).write_bytes(text)
    with pytest.raises(ContentError) as raised:
        load_section(tiny_book, NAME)
    assert str(raised.value) == f"{PATH}:7: found the byte 0xf6, expected UTF-8."


def test_load_section_reads_crlf(tiny_book):
    before = load_section(tiny_book, NAME)
    source = tiny_book.source(NAME)
    source.write_bytes(source.read_bytes().replace(b"\n", b"\r\n"))
    assert load_section(tiny_book, NAME) == before


def test_check_book_finds_nothing_in_a_recorded_book(recorded_book):
    assert check_book(recorded_book, [NAME], ["pytorch", "jax", "mxnet"]) == []


def test_check_book_goes_on_after_a_section_that_cannot_be_read(recorded_book):
    other = SectionName("part", "another")
    recorded_book.source(other).write_text("# Title\n", encoding="utf-8")
    recorded_book.record(NAME, "jax").unlink()
    found = check_book(recorded_book, recorded_book.sections(), ["jax", "mxnet"])
    assert [(str(problem.path), problem.code) for problem in found] == [
        ("chapters/part/another.md", "malformed"),
        ("chapters/part/recorded/section.jax.ipynb", "stale"),
    ]


def test_check_book_finds_an_output_over_the_limit(recorded_book, monkeypatch):
    monkeypatch.setattr("d2l_support.build.record.LARGEST_OUTPUT", 300)
    found = [str(problem) for problem in check_book(recorded_book, [NAME], ["jax"])]
    assert [re.sub(r"\d+ bytes", "N bytes", text) for text in found] == [
        f"chapters/part/recorded/section.jax.ipynb: cell '{cell}' (jax): "
        "found N bytes of output, expected at most 300: "
        "print less or draw a smaller picture."
        for cell in ("shared", "double", "half")
    ]
