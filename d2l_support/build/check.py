"""Finds what is wrong in a section and its records; starts no kernel."""

from collections.abc import Iterator

from d2l_support.build.blocks import is_cell, name_block, walk_blocks
from d2l_support.build.cheat_sheet import find_faults
from d2l_support.build.cheat_sheet_source import read_sheet
from d2l_support.build.exercises.faults import find_exercise_faults
from d2l_support.build.exercises.options import MUTANT
from d2l_support.build.frameworks import ALL_KEYS, FRAMEWORKS
from d2l_support.build.layout import Book, SectionName
from d2l_support.build.problems import ContentError, Problem
from d2l_support.build.section import Cell, Section
from d2l_support.build.source import read_section
from d2l_support.build.stale import attach_record
from d2l_support.build.survey.contradiction import find_contradictions
from d2l_support.build.survey.ledger import read_ledger


def check_book(
    book: Book, sections: list[SectionName], frameworks: list[str]
) -> list[Problem]:
    """Every problem in these sections and their records."""
    problems: list[Problem] = []
    readable: dict[str, Section] = {}
    ledger = read_ledger(book)
    for name in sections:
        try:
            section = load_section(book, name)
        except ContentError as error:
            problems += error.problems
            continue
        readable[str(name)] = section
        problems += check_section(section)
        for framework in frameworks:
            attached = attach_record(book, name, section, framework)
            observations = ledger.find(str(name), framework, attached.mark)
            problems += attached.problems
            problems += find_contradictions(observations, section, framework)
    return [*problems, *_check_sheet(book, readable, frameworks)]


def _check_sheet(
    book: Book, sections: dict[str, Section], frameworks: list[str]
) -> list[Problem]:
    """What the cheat sheet quotes of these sections and no longer stands there."""
    try:
        tasks = read_sheet(book)
    except ContentError as error:
        return list(error.problems)
    known = {str(name) for name in book.sections()}
    faults = find_faults(tasks, sections, known)
    return [problem for excerpt, problem in faults if excerpt.framework in frameworks]


def load_section(book: Book, name: SectionName) -> Section:
    """The section in a checkout's source file.

    Raises:
        ContentError: It is no UTF-8, or its marks cannot be understood.
    """
    path = book.source(name)
    shown = book.relative(path)
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        message = f"found the byte {error.object[error.start]:#04x}, expected UTF-8"
        raise ContentError([Problem("malformed", message, shown, line)]) from error
    return read_section(text, shown)


def check_section(section: Section) -> list[Problem]:
    """Every problem in a section's source."""
    found = [
        *_check_steps(section),
        *(problem for cell in section.cells for problem in _check_prose(cell)),
        *find_exercise_faults(section),
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
        # Planted answers may differ from framework to framework.
        needed = () if all(cell.grade == MUTANT for cell in cells) else ALL_KEYS
        for key in needed:
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
    for token, line in walk_blocks(cell.source, cell.text_line):
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
        if is_cell(token):
            where |= {key: name for key, name in name_block(token).items() if name}
            yield Problem(
                "hidden-cell",
                "found a code cell inside a directive or list, or with another "
                "fence, where it would be dropped silently, expected "
                "```{code-cell} at the left margin",
                **where,
            )
