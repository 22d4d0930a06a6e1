"""Finds Markdown's blocks in a text, as the rendered page sees them."""

import re
from collections.abc import Iterator

from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from myst_parser.config.main import MdParserConfig
from myst_parser.parsers.mdit import create_md_parser

EXTENSIONS = {"colon_fence", "dollarmath", "amsmath", "deflist", "fieldlist"}
"""What the book's configuration adds to MyST; MyST-NB's reader knows none."""

VERBATIM = {
    "code",
    "code-block",
    "eval-rst",
    "literalinclude",
    "math",
    "parsed-literal",
    "raw",
    "sourcecode",
}
"""Directives that show their content as it stands."""

CELLS = ("{code-cell}", "{raw-cell}")


def parse_blocks(text: str, extensions: set[str] = EXTENSIONS) -> list[Token]:
    """The block tokens of a text; what a directive holds is not looked into."""
    config = MdParserConfig(enable_extensions=extensions, disable_syntax=["inline"])
    tokens = create_md_parser(config, RendererHTML).parse(text)
    return [token for token in tokens if token.map is not None]


def walk_blocks(text: str, offset: int = 0) -> Iterator[tuple[Token, int]]:
    """Every block token with its line from 0, those inside directives included."""
    for token in parse_blocks(text):
        line = token.map[0] + offset
        yield token, line
        if _holds_markdown(token):
            yield from walk_blocks(token.content, line + 1)


def _holds_markdown(token: Token) -> bool:
    name = token.info.strip().partition(" ")[0]
    if not name.startswith("{"):
        return token.type == "colon_fence"
    named = name.removeprefix("{").removesuffix("}")
    return not is_cell(token) and named not in VERBATIM


def is_cell(token: Token) -> bool:
    """Whether a block is a code cell or raw cell, at whatever depth."""
    return token.info.strip().startswith(CELLS)


def find_breaks(text: str, extensions: set[str] = EXTENSIONS) -> dict[int, Token]:
    """The blocks that begin a cell at the left margin, by line from 1.

    Without ``extensions`` these are the ones at which MyST-NB's reader cuts.
    """
    return {
        token.map[0] + 1: token
        for token in parse_blocks(text, extensions)
        if token.level == 0
        and (
            token.type == "myst_block_break"
            or (token.type == "fence" and token.info.startswith(CELLS))
        )
    }


def name_block(block: Token | None) -> dict[str, str | None]:
    """The id and framework that a cell or mark names, readable or not."""
    text = block.content if block else ""
    return {
        "cell": _find_value(text, "id"),
        "framework": _find_value(text, "framework"),
    }


def _find_value(text: str, option: str) -> str | None:
    pattern = rf'^:?{option}:[ \t]*(\S.*)$|"{option}":\s*"([^"]*)"'
    value = re.search(pattern, text, re.MULTILINE)
    return (value[1] or value[2]).strip("[] ") if value else None
