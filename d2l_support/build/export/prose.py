"""The prose of a section as plain Markdown, for any Jupyter and for Colab.

Roles become links or words, directives quotes, tables, pictures or HTML's
``<details>``. What this module does not know is a problem with its place.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from markdown_it.token import Token

from d2l_support.build.blocks import parse_blocks
from d2l_support.build.export.citations import split_keys
from d2l_support.build.export.directives import DIRECTIVES, Plain, quote, split_options
from d2l_support.build.export.targets import Targets
from d2l_support.build.problems import ContentError, Problem
from d2l_support.build.section import Cell

DEPTH_TITLES = {"beginner": "In plain words", "researcher": "For researchers"}
VERBATIM = ("code_block", "math_block", "amsmath")

_SPAN = re.compile(
    r"(?P<role>\{(?P<name>[a-zA-Z][\w:-]*)\})?"
    r"(?P<ticks>(?<!`)`+)(?!`)(?P<text>.+?)(?<!`)(?P=ticks)(?!`)",
    re.DOTALL,
)
"""A code span, or a role with its text."""

_TITLED = re.compile(r"(?P<words>.+?)\s*<(?P<target>[^<>]+)>", re.DOTALL)


def plain_prose(cell: Cell, path: Path, targets: Targets, framework: str = "") -> str:
    """The prose of a cell; what is for beginners or researchers in a quote.

    Args:
        cell: A markdown cell of a section.
        path: The section's source, relative to the book.
        targets: What the book's prose refers to.
        framework: The choice with which linked pages open.

    Raises:
        ContentError: It has a role or directive that cannot be made plain.
    """
    text = plain_markdown(cell.source, path, targets, framework, cell.text_line)
    title = DEPTH_TITLES.get(cell.depth or "")
    return quote(title, text) if title else text


def plain_markdown(
    text: str, path: Path, targets: Targets, framework: str = "", line: int = 1
) -> str:
    """MyST as plain Markdown.

    Args:
        text: Markdown with the book's roles and directives.
        path: The section's source, relative to the book.
        targets: What the book's prose refers to.
        framework: The choice with which linked pages open.
        line: The line of the source at which the text begins.

    Raises:
        ContentError: It has roles or directives that are not known here, or
            that point nowhere; all are listed.
    """
    writer = _Writer(path, targets, framework)
    plain = writer.write(text, line)
    if writer.problems:
        raise ContentError(writer.problems)
    return plain


class _Writer:
    """Writes prose anew, and collects what it cannot write."""

    def __init__(self, path: Path, targets: Targets, framework: str):
        self.path, self.targets, self.framework = path, targets, framework
        self.page = path.with_suffix("").as_posix()
        self.problems: list[Problem] = []

    def write(self, text: str, line: int) -> str:
        lines, pieces, done = text.splitlines(), [], 0
        for token in _list_fences(text):
            start, end = token.map
            pieces.append(self._write_roles(lines[done:start], line + done))
            if token.info.startswith("{"):
                pieces.append(self._write_directive(token, lines[start], line + start))
            else:
                pieces.append("\n".join(lines[start:end]))
            done = end
        pieces.append(self._write_roles(lines[done:], line + done))
        return "\n".join(piece for piece in pieces if piece is not None)

    def _write_directive(self, token: Token, opening: str, line: int) -> str:
        name, _, argument = token.info.strip().partition("}")
        name = name.removeprefix("{")
        if name not in DIRECTIVES:
            known = ", ".join(sorted(DIRECTIVES))
            self._refuse(f"found directive {name!r}, expected one of {known}", line)
            return ""
        options, content, skipped = split_options(token.content)
        start = line + 1 + skipped
        plain = Plain(
            name,
            self.write(argument.strip(), line),
            options,
            content if name == "math" else self.write(content, start),
            self.targets,
        )
        try:
            written = DIRECTIVES[name](plain)
        except ValueError as error:
            self._refuse(f"{error}", line)
            return ""
        margin = opening[: len(opening) - len(opening.lstrip(" >"))]
        return "\n".join(f"{margin}{row}".rstrip() for row in written.splitlines())

    def _write_roles(self, lines: list[str], line: int) -> str | None:
        if not lines:
            return None
        text = "\n".join(lines)

        def write(found: re.Match) -> str:
            if not found["role"]:
                return found[0]
            place = line + text.count("\n", 0, found.start())
            return self._write_role(found["name"], found["text"], place)

        return _SPAN.sub(write, text)

    def _write_role(self, name: str, text: str, line: int) -> str:
        writers = {
            "doc": self._write_page,
            "numref": self._write_number,
            "cite": self._write_citation,
            "term": lambda text: text,
        }
        try:
            if name not in writers:
                known = ", ".join(sorted(writers))
                raise ValueError(f"found role {name!r}, expected one of {known}")
            return writers[name](text)
        except ValueError as error:
            self._refuse(str(error), line)
            return text

    def _write_page(self, text: str) -> str:
        titled = _TITLED.fullmatch(text)
        target = titled["target"] if titled else text
        page = _resolve(self.page, target)
        if page not in self.targets.titles:
            raise ValueError(f"found a link to {target!r}, expected a page of the book")
        words = titled["words"] if titled else self.targets.titles[page]
        if not self.targets.address:
            return words if titled else f"*{words}*"
        return self.targets.link(page, words, self.framework)

    def _write_number(self, text: str) -> str:
        if text not in self.targets.numbered:
            raise ValueError(f"found no figure or table {text!r}, expected one")
        numbered = self.targets.numbered[text]
        if numbered.page == self.page:
            return numbered.name
        return self.targets.link(numbered.page, numbered.name, self.framework, text)

    def _write_citation(self, text: str) -> str:
        keys = split_keys(text)
        if missing := [key for key in keys if key not in self.targets.sources]:
            raise ValueError(f"found no source {missing[0]!r} in the bibliography")
        return f"({'; '.join(self.targets.sources[key].short for key in keys)})"

    def _refuse(self, message: str, line: int) -> None:
        self.problems.append(Problem("export", message, self.path, line))


def _list_fences(text: str) -> Iterator[Token]:
    """The blocks of a text that are no running words, outermost only."""
    for token in parse_blocks(text):
        if token.type in ("fence", "colon_fence", *VERBATIM):
            yield token


def _resolve(page: str, target: str) -> str:
    """The page that a relative or absolute target means."""
    if target.startswith("/"):
        return target.removeprefix("/")
    parts = page.split("/")[:-1]
    for part in target.removesuffix(".md").split("/"):
        parts = parts[:-1] if part == ".." else [*parts, part]
    return "/".join(parts)
