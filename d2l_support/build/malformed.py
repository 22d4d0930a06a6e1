"""Says where and why a text cannot be read as a MyST notebook.

MyST-NB's reader stops at the first fault, often without a line, and reads
some texts otherwise than they look. Nothing in here raises.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import yaml
from markdown_it.token import Token
from nbformat import ValidationError

from d2l_support.build.blocks import find_breaks, is_cell, parse_blocks

MARK = '+++ {"framework": "jax"}'


class Fault(NamedTuple):
    """What is wrong in a line of a text.

    Attributes:
        line: The line, from 1.
        message: "found ..., expected ...".
        block: The cell or mark it is in, where it is in one.
    """

    line: int
    message: str
    block: Token | None = None


def find_faults(text: str) -> list[Fault]:
    """What is wrong with a section's characters and front matter."""
    return [*_find_characters(text), *_find_front_matter(text.lstrip("\ufeff"))]


def _find_characters(text: str) -> Iterator[Fault]:
    for number, line in enumerate(text.split("\n"), start=1):
        for character in dict.fromkeys(line.removesuffix("\r")):
            if character == "\ufeff" or _is_control(character):
                name = unicodedata.name(character, "a control character")
                yield Fault(
                    number,
                    f"found the invisible character U+{ord(character):04X} "
                    f"({name.lower()}), expected none: readers differ on it",
                )


def _is_control(character: str) -> bool:
    return character != "\t" and unicodedata.category(character) in ("Cc", "Zl", "Zp")


def _find_front_matter(text: str) -> Iterator[Fault]:
    tokens = parse_blocks(text)
    if not tokens or tokens[0].type != "front_matter":
        unclosed = "front matter without an end"
        found = unclosed if text.startswith("---") else "no front matter"
        yield Fault(
            1,
            f"found {found}, expected `file_format: mystnb` between --- lines "
            "at the top: without it Jupyter sees no notebook",
        )
        return
    metadata = _load_yaml(tokens[0].content)
    if isinstance(metadata, Fault):
        yield metadata
        return
    if not isinstance(metadata, dict):
        message = f"found front matter {metadata!r}, expected `name: value` lines"
        yield Fault(1, message)
    elif metadata.get("file_format") != "mystnb":
        found = metadata.get("file_format", "none")
        yield Fault(
            1,
            f"found file_format {found!r} in the front matter, expected 'mystnb': "
            "without it Jupyter sees no notebook",
        )


def _load_yaml(content: str) -> Any:
    """What front matter says, or why it is no YAML."""
    try:
        return yaml.safe_load(content)
    except (yaml.YAMLError, ValueError) as error:
        mark = getattr(error, "problem_mark", None)
        reason = getattr(error, "problem", None) or error
        message = f"found front matter that is no YAML ({reason}), expected YAML"
        return Fault(mark.line + 2 if mark else 1, message)


def locate_fault(text: str, read: Callable[[str], Any], error: Exception) -> Fault:
    """Where and why a reader stops.

    Args:
        text: A text that the reader refuses.
        read: The reader.
        error: What it raised for the whole text.
    """
    lines = text.splitlines()
    tokens = parse_blocks(text)
    opening = tokens[0] if tokens and tokens[0].type == "front_matter" else None
    if not _stops(read, lines[: opening.map[1] if opening else 0]):
        for line, token in find_breaks(text, set()).items():
            if stopped := _stops(read, lines[: token.map[1]]):
                return Fault(line, _explain_block(token, stopped), token)
    if opening and isinstance(fault := _load_yaml(opening.content), Fault):
        return fault
    message = f"found front matter that cannot be read ({_reason(error)})"
    return Fault(_locate_key(lines, error), f"{message}, expected a notebook's")


def _stops(read: Callable[[str], Any], lines: list[str]) -> Exception | None:
    """Why a reader stops within these lines, or None if it does not."""
    try:
        # The words make the reader take up a mark that ends the lines.
        read("\n".join([*lines, "", "words"]))
    except Exception as error:
        return error
    return None


def _explain_block(token: Token, error: Exception) -> str:
    reason = _reason(error)
    if is_cell(token):
        return (
            f"found options that cannot be read ({reason}), "
            "expected `:name: value` lines with values in YAML"
        )
    return f"found a mark that cannot be read ({reason}), expected JSON, such as {MARK}"


def _reason(error: Exception) -> str:
    if isinstance(error, ValidationError):
        key = error.relative_path[-1] if error.relative_path else "metadata"
        return f"{key}: {error.message}"
    text = re.sub(r"\s+", " ", str(error))
    text = re.sub(r"^.* could not be read: |^.* cell \d+ at line \d+ ", "", text)
    text = re.sub(r": line 1 (column \d+) \(char \d+\)$", r" in \1", text)
    text = re.sub(r"^ParseWarnings\(msg='(.*?)', lineno=.*", r"\1", text)
    return re.sub(r" /\S+$", "", text)


def _locate_key(lines: list[str], error: Exception) -> int:
    """The line of the key that a schema refuses, or the first."""
    path = error.relative_path if isinstance(error, ValidationError) else ()
    key = path[-1] if path else None
    return next((n for n, line in enumerate(lines, 1) if line.startswith(f"{key}:")), 1)


def find_misplaced(text: str, marked: list[int]) -> list[Fault]:
    """Cells that end or lie elsewhere than they look, marks that mark nothing.

    Args:
        text: A text that the reader reads.
        marked: Lines of the marks that the reader found with their cells.
    """
    on_page, lines = find_breaks(text), text.splitlines()
    return [
        Fault(line, message, token)
        for line, token in find_breaks(text, set()).items()
        if (message := _why_misplaced(token, line in on_page, line in marked, lines))
    ]


def _why_misplaced(
    token: Token, on_page: bool, marked: bool, lines: list[str]
) -> str | None:
    if not on_page:
        what = "code cell" if is_cell(token) else "+++ line"
        return f"found a {what} inside a directive, expected it outside"
    if is_cell(token) and not _ends(token, lines):
        return f"found a cell without an end, expected {token.markup} after its code"
    if token.type == "myst_block_break" and token.content and not marked:
        return (
            "found a mark with no words after it, expected prose "
            "(a code cell carries its marks in its own options)"
        )
    return None


def _ends(token: Token, lines: list[str]) -> bool:
    """Whether a cell's fence is closed before another cell begins."""
    first, last = token.map[0], token.map[1] - 1
    closed = last > first and lines[last].strip().startswith(token.markup)
    swallowed = f"\n{token.markup}{{code-cell}}" in f"\n{token.content}"
    return closed and not swallowed
