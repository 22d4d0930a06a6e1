"""Finds what is wrong in a section and its records; starts no kernel."""

from collections.abc import Iterator

from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from myst_parser.config.main import MdParserConfig
from myst_parser.parsers.mdit import create_md_parser

from d2l_support.build.frameworks import ALL_KEYS, FRAMEWORKS
from d2l_support.build.layout import Book, SectionName
from d2l_support.build.problems import ContentError, Problem
from d2l_support.build.section import Cell, Section
from d2l_support.build.source import read_section
from d2l_support.build.stale import find_stale

EXTENSIONS = {"colon_fence", "dollarmath", "amsmath", "deflist", "fieldlist"}


def check_book(
    book: Book, sections: list[SectionName], frameworks: list[str]
) -> list[Problem]:
    """Every problem in these sections and their records."""
    problems: list[Problem] = []
    for name in sections:
        try:
            section = load_section(book, name)
        except ContentError as error:
            problems += error.problems
            continue
        problems += check_section(section)
        for framework in frameworks:
            problems += find_stale(book, name, section, framework)
    return problems


def load_section(book: Book, name: SectionName) -> Section:
    """The section in a checkout's source file.

    Raises:
        ContentError: Its marks cannot be understood.
    """
    path = book.source(name)
    return read_section(path.read_text(encoding="utf-8"), book.relative(path))


def check_section(section: Section) -> list[Problem]:
    """Every problem in a section's source."""
    found = [
        *_check_steps(section),
        *(problem for cell in section.cells for problem in _check_prose(cell)),
    ]
    placed = [problem.at(path=section.path) for problem in found]
    return sorted(placed, key=lambda problem: problem.line or 0)


def _check_steps(section: Section) -> Iterator[Problem]:
    order = [cell.step for cell in section.cells]
    for step, cells in section.steps():
        first = order.index(step)
        if order[first : first + len(cells)] != [step] * len(cells):
            yield Problem(
                "order",
                "found other cells between its variants, expected them together",
                line=cells[-1].line,
                cell=step,
            )
        yield from _check_duplicates(step, cells)
        spoken = {key for cell in cells for key in cell.frameworks}
        for key in ALL_KEYS:
            if key not in spoken:
                mark = f'+++ {{"framework": "{key}", "id": "{step}"}}'
                yield Problem(
                    "missing",
                    f"found no {FRAMEWORKS[key].label} variant, expected a code cell "
                    f"or a word on why there is none, after {mark}",
                    line=cells[0].line,
                    cell=step,
                    framework=key,
                )


def _check_duplicates(step: str, cells: list[Cell]) -> Iterator[Problem]:
    taken: dict[str, int] = {}
    for cell in cells:
        for key in cell.frameworks if cell.kind == "code" else ():
            if key in taken:
                yield Problem(
                    "duplicate",
                    f"found the id a second time (first on line {taken[key]}), "
                    "expected one code cell per id and framework",
                    line=cell.line,
                    cell=step,
                    framework=key,
                )
            taken.setdefault(key, cell.line)


def _check_prose(cell: Cell) -> Iterator[Problem]:
    if cell.kind != "markdown":
        return
    for token in _parse_blocks(cell.source):
        line = cell.line + token.map[0] + (1 if cell.is_variant else 0)
        where = {"line": line, "cell": cell.step}
        if cell.is_variant:
            where["framework"] = ", ".join(cell.frameworks)
        if token.type == "heading_open" and cell.is_variant:
            yield Problem(
                "heading",
                "found a heading inside a variant, expected it outside: "
                "the page's outline is the same in every framework",
                **where,
            )
        if token.type == "fence" and token.info.startswith("{code-cell}"):
            yield Problem(
                "hidden-cell",
                "found a code cell inside a directive or list, where it would be "
                "dropped silently, expected it at the left margin",
                **where,
            )


def _parse_blocks(text: str, offset: int = 0) -> Iterator[Token]:
    """Block tokens of a text, those inside directives included."""
    parser = create_md_parser(
        MdParserConfig(enable_extensions=EXTENSIONS, disable_syntax=["inline"]),
        RendererHTML,
    )
    for token in parser.parse(text):
        if token.map is None:
            continue
        token.map = [line + offset for line in token.map]
        yield token
        is_directive = token.info.startswith("{") and "code-cell" not in token.info
        if token.type in ("fence", "colon_fence") and is_directive:
            yield from _parse_blocks(token.content, token.map[0] + 1)
