"""What each directive of the book becomes where there is no Sphinx."""

import base64
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePosixPath

from d2l_support.build.export.targets import Targets

ADMONITIONS = ("hint", "important", "note", "seealso", "tip", "warning")

_ROW = re.compile(r"^\* -(?: (.*))?$")
_CELL = re.compile(r"^  -(?: (.*))?$")


@dataclass(frozen=True)
class Plain:
    """A directive whose words are plain Markdown already.

    Attributes:
        name: The directive.
        argument: What stands beside its name.
        options: The lines at its head, by name.
        content: What is inside.
        targets: What the book's prose refers to.
    """

    name: str
    argument: str
    options: dict[str, str]
    content: str
    targets: Targets


def split_options(content: str) -> tuple[dict[str, str], str, int]:
    """The options of a directive, its content, and the lines before that."""
    lines = content.splitlines()
    options: dict[str, str] = {}
    for line in lines:
        found = re.fullmatch(r":([\w-]+):\s*(.*)", line)
        if not found:
            break
        options[found[1]] = found[2].strip()
    rest = lines[len(options) :]
    empty = next((n for n, line in enumerate(rest) if line.strip()), len(rest))
    return options, "\n".join(rest[empty:]).rstrip(), len(options) + empty


def quote(title: str, text: str) -> str:
    """A block quote with a bold title."""
    lines = [f"**{title}**", "", *text.strip().splitlines()]
    return "\n".join(f"> {line}".rstrip() for line in lines)


def _write_admonition(plain: Plain) -> str:
    return quote(plain.argument or plain.name.capitalize(), plain.content)


def _write_exercise(plain: Plain) -> str:
    title = f"Exercise: {plain.argument}" if plain.argument else "Exercise"
    return quote(title, plain.content)


def _write_dropdown(plain: Plain) -> str:
    return fold(plain.argument or "Answer", plain.content)


def fold(title: str, text: str) -> str:
    """Text that opens at a click; Markdown inside needs the empty lines."""
    return f"<details><summary>{title}</summary>\n\n{text.strip()}\n\n</details>"


def _write_drawing(plain: Plain) -> str:
    """The still of a drawing inside the text.

    An SVG would stay invisible in Colab, in whatever form, and an attachment
    too; a PNG as a data address shows everywhere.
    """
    name = PurePosixPath(plain.argument).stem
    if name not in plain.targets.pictures:
        raise ValueError(
            f"found no still of the drawing {name!r}, expected one in figures/stills; "
            "run: python -m figures.stills"
        )
    data = base64.b64encode(plain.targets.pictures[name]).decode("ascii")
    words = re.sub(r"([\[\]\\])", r"\\\1", plain.options.get("alt", ""))
    picture = f"![{words}](data:image/png;base64,{data})"
    return f"{picture}\n\n{_write_caption(plain, plain.content)}"


def _write_caption(plain: Plain, words: str) -> str:
    numbered = plain.targets.numbered.get(plain.options.get("name", ""))
    return f"**{numbered.name}.** {words}" if numbered else words


def _write_table(plain: Plain) -> str:
    rows = _read_rows(plain.content)
    width = max(map(len, rows))
    if plain.options.get("header-rows", "0") != "1":
        rows.insert(0, [""] * width)
    rows.insert(1, ["---"] * width)
    lines = [f"| {' | '.join(row + [''] * (width - len(row)))} |" for row in rows]
    return "\n".join([_write_caption(plain, plain.argument), "", *lines])


def _read_rows(content: str) -> list[list[str]]:
    rows: list[list[str]] = []
    for line in content.splitlines():
        text = line.strip().replace("|", "\\|")
        if _ROW.match(line):
            rows.append([text.removeprefix("* -").strip()])
        elif rows and _CELL.match(line):
            rows[-1].append(text.removeprefix("-").strip())
        elif rows and text:
            rows[-1][-1] = f"{rows[-1][-1]} {text}".strip()
        elif text:
            raise ValueError(f"found {line!r} in a list-table, expected '* - ...'")
    if not rows:
        raise ValueError("found an empty list-table, expected rows")
    return rows


def _write_math(plain: Plain) -> str:
    return f"$$\n{plain.content}\n$$"


DIRECTIVES: dict[str, Callable[[Plain], str]] = {
    "admonition": _write_admonition,
    **dict.fromkeys(ADMONITIONS, _write_admonition),
    "drawing": _write_drawing,
    "dropdown": _write_dropdown,
    "exercise": _write_exercise,
    "list-table": _write_table,
    "math": _write_math,
}
"""By the name of the directive, the function that writes it as plain Markdown."""
