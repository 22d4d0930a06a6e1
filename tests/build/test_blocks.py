"""Blocks are found inside directives too, where those hold Markdown."""

import pytest

from d2l_support.build.blocks import find_breaks, is_cell, walk_blocks

CELL = "```{code-cell} python\n:id: a\nx = 1\n```"


def cells_in(text):
    return [line for token, line in walk_blocks(text) if is_cell(token)]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (CELL, 0),
        (f"Words.\n\n````{{note}}\n{CELL}\n````", 3),
        (f"````{{note}}\n:class: tip\n\nWords.\n\n{CELL}\n````", 5),
        (f"````{{note}}\n---\nclass: tip\n---\n{CELL}\n````", 4),
        (f":::{{note}}\n{CELL}\n:::", 1),
        (f"::::{{note}}\n:::{{tip}}\n\n{CELL}\n:::\n::::", 3),
        (f"`````{{note}}\n````{{tip}}\n\n{CELL}\n````\n`````", 3),
        (f"::: plain\n{CELL}\n:::", 1),
        ("- item\n\n  ```{code-cell} python\n  x = 1\n  ```", 2),
        ("1. a\n   - b\n\n     ```{code-cell} python\n     x\n     ```", 3),
        ("> ```{code-cell} python\n> x = 1\n> ```", 0),
        (":::{code-cell} python\nx = 1\n:::", 0),
        ("``` {code-cell} python\nx = 1\n```", 0),
        ("```{raw-cell}\nx\n```", 0),
    ],
)
def test_walk_blocks_finds_a_cell_at_any_depth(text, line):
    assert cells_in(text) == [line]


@pytest.mark.parametrize(
    "text",
    [
        f"````\n{CELL}\n````",
        f"````markdown\n{CELL}\n````",
        f"~~~\n{CELL}\n~~~",
        f"````{{code-block}} markdown\n{CELL}\n````",
        f":::{{code}} markdown\n{CELL}\n:::",
        f"`````{{note}}\n````markdown\n{CELL}\n````\n`````",
        "    ```{code-cell} python\n    x = 1\n    ```",
        f"<!--\n{CELL}\n-->",
        "A `{code-cell}` is code.",
    ],
)
def test_walk_blocks_takes_what_is_merely_shown_for_no_cell(text):
    assert cells_in(text) == []


def test_find_breaks_gives_the_blocks_that_begin_a_cell():
    text = f'+++\n\n- a\n  +++\n\n{CELL}\n\n+++ {{"framework": "jax"}}\n'
    kinds = {line: token.type for line, token in find_breaks(text).items()}
    assert kinds == {1: "myst_block_break", 6: "fence", 11: "myst_block_break"}
