"""Prose becomes plain Markdown; what cannot is a problem with its place."""

from dataclasses import replace
from pathlib import Path

import pytest

from d2l_support.build.export.citations import Source
from d2l_support.build.export.prose import plain_markdown, plain_prose
from d2l_support.build.export.targets import Numbered, Targets
from d2l_support.build.problems import ContentError
from d2l_support.build.section import Cell

HERE = Path("chapters/part/section.md")
TARGETS = Targets(
    titles={"chapters/part/other": "The Other", "index": "The Book"},
    numbered={
        "fig-a": Numbered("Figure 3", "chapters/part/section"),
        "tab-b": Numbered("Table 2", "chapters/part/other"),
    },
    sources={"a": Source("Ada, 1843", "..."), "b": Source("Babbage, 1864", "...")},
    pictures={"a": b"png"},
)
PUBLISHED = replace(TARGETS, address="https://book.test")
OTHER = "https://book.test/chapters/part/other.html"


def plain(text, targets=TARGETS, framework=""):
    return plain_markdown(text, HERE, targets, framework)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("See {doc}`other`.", "See *The Other*."),
        ("See {doc}`../../index`.", "See *The Book*."),
        ("See {doc}`/index`.", "See *The Book*."),
        ("See {doc}`that page <other>`.", "See that page."),
        ("{numref}`fig-a` and {numref}`tab-b`", "Figure 3 and Table 2"),
        ("So {cite}`a`.", "So (Ada, 1843)."),
        ("So {cite}`a, b`.", "So (Ada, 1843; Babbage, 1864)."),
        ("a {term}`stream`", "a stream"),
        (
            "code `{doc}` and ``{cite}`a` `` stay",
            "code `{doc}` and ``{cite}`a` `` stay",
        ),
        ("`f(x)` {doc}`other` `g`", "`f(x)` *The Other* `g`"),
        ("```python\n{doc}`other`\n```", "```python\n{doc}`other`\n```"),
        ("$x_{a}$ and\n\n$$\ny\n$$", "$x_{a}$ and\n\n$$\ny\n$$"),
    ],
)
def test_plain_markdown_without_address_writes_roles_as_words(text, expected):
    assert plain(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{doc}`other`", f"[The Other]({OTHER}?framework=jax)"),
        ("{doc}`it <other>`", f"[it]({OTHER}?framework=jax)"),
        ("{numref}`tab-b`", f"[Table 2]({OTHER}?framework=jax#tab-b)"),
        ("{numref}`fig-a`", "Figure 3"),
    ],
)
def test_plain_markdown_with_address_links_to_the_framework(text, expected):
    assert plain(text, PUBLISHED, "jax") == expected


def test_dropdown_in_a_list_folds_at_the_lists_margin():
    text = "1. Why?\n\n   ```{dropdown} Answer\n   See {doc}`other`.\n   ```\n\n2. So?"
    assert plain(text) == (
        "1. Why?\n\n   <details><summary>Answer</summary>\n\n"
        "   See *The Other*.\n\n   </details>\n\n2. So?"
    )


def test_drawing_becomes_picture_inside_the_text():
    text = (
        "```{drawing} ../../figures/a.svg\n:alt: A [box].\n:name: fig-a\n\n"
        "Its words.\n```"
    )
    assert plain(text) == (
        "![A \\[box\\].](data:image/png;base64,cG5n)\n\n**Figure 3.** Its words."
    )


def test_exercise_becomes_quote():
    text = "```{exercise}\n:label: a\n\nWrite `f`.\n\nSee {doc}`other`.\n```"
    assert plain(text) == "> **Exercise**\n>\n> Write `f`.\n>\n> See *The Other*."


def test_admonition_becomes_quote_with_its_title():
    assert plain("```{admonition} Mind\nthe gap\n```") == "> **Mind**\n>\n> the gap"
    assert plain(":::{note}\n:class: tip\n\nWords.\n:::") == "> **Note**\n>\n> Words."


def test_list_table_becomes_table_with_number():
    text = (
        ":::{list-table} What {doc}`other` does.\n:name: tab-b\n:header-rows: 1\n"
        ":widths: 1 2\n\n* -\n  - `f`\n* - a | b\n  - long\n    words\n:::"
    )
    assert plain(text) == (
        "**Table 2.** What *The Other* does.\n\n"
        "|  | `f` |\n| --- | --- |\n| a \\| b | long words |"
    )


def test_list_table_without_header_gets_an_empty_one():
    text = "```{list-table} T.\n\n* - a\n  - b\n```"
    assert plain(text).splitlines()[2:] == ["|  |  |", "| --- | --- |", "| a | b |"]


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("a\n\n```{figure} x\n```", 3, "found directive 'figure', expected one of"),
        ("a\n{ref}`x`", 2, "found role 'ref', expected one of cite, doc, numref"),
        ("a\n\n{doc}`gone`", 3, "found a link to 'gone', expected a page"),
        ("{cite}`c`", 1, "found no source 'c'"),
        ("{numref}`fig-z`", 1, "found no figure or table 'fig-z'"),
        ("```{drawing} z.svg\n:alt: z\n```", 1, "found no still of the drawing 'z'"),
        ("```{list-table} T\n\nwords\n```", 1, "found 'words' in a list-table"),
        ("```{note}\n:class: x\n\na\n{ref}`x`\n```", 5, "found role 'ref'"),
    ],
)
def test_plain_markdown_refuses_with_place(text, line, message):
    with pytest.raises(ContentError) as caught:
        plain_markdown(text, HERE, TARGETS, line=10)
    (problem,) = caught.value.problems
    assert (problem.path, problem.line) == (HERE, line + 9)
    assert problem.message.startswith(message)


def test_plain_markdown_lists_every_problem():
    with pytest.raises(ContentError) as caught:
        plain("{ref}`x` {cite}`c`\n\n```{figure} x\n```")
    assert len(caught.value.problems) == 3


@pytest.mark.parametrize(
    ("depth", "title"),
    [("beginner", "In plain words"), ("researcher", "For researchers")],
)
def test_plain_prose_quotes_what_is_for_some(depth, title):
    cell = Cell("markdown", "One.\n\n- two", 1, options={"depth": depth})
    assert plain_prose(cell, HERE, TARGETS) == f"> **{title}**\n>\n> One.\n>\n> - two"


def test_plain_prose_of_all_is_as_it_stands():
    assert plain_prose(Cell("markdown", "# One", 1), HERE, TARGETS) == "# One"
