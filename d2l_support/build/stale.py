"""Finds which recorded outputs no longer belong to the code beside them."""

from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

from nbformat import NotebookNode

from d2l_support.build.compare import default_rule
from d2l_support.build.layout import Book, SectionName
from d2l_support.build.problems import ContentError, Problem
from d2l_support.build.record import (
    find_faulty_outputs,
    load_record,
    made_with,
    mark_of,
)
from d2l_support.build.section import Cell, Section


@dataclass(frozen=True)
class Attached:
    """What a page may show of one framework's record.

    Attributes:
        cells: The recorded cells that still hold, by step.
        problems: Why the others do not.
        mark: The record's, from ``mark_of``; empty where there is no whole record.
    """

    cells: dict[str, NotebookNode]
    problems: tuple[Problem, ...] = ()
    mark: str = ""


def find_stale(
    book: Book, name: SectionName, section: Section, framework: str
) -> list[Problem]:
    """Why some outputs of a framework's record do not hold; empty if all do."""
    return list(attach_record(book, name, section, framework).problems)


def attach_record(
    book: Book, name: SectionName, section: Section, framework: str
) -> Attached:
    """The recorded cells of a framework that belong to a section's code.

    A cell's outputs depend on the cells before it: from the first stale cell
    on, none is attached. A record of another environment attaches nothing.
    """
    path = book.record(name, framework)
    shown = book.relative(path)
    command = f"d2l-support record --framework {framework} {name.name}"
    where = {"framework": framework, "run": command}
    if not section.code_cells(framework):
        return Attached({}, _find_orphan(path, shown, framework))
    try:
        record = load_record(book, name, framework)
    except FileNotFoundError:
        message = "found no record, expected one"
        return Attached({}, (Problem("stale", message, shown, **where),))
    except ContentError as error:
        return Attached({}, error.problems)
    mark = mark_of(record)
    for what, digest in made_with(book, framework, section).items():
        if record.metadata["book"].get(what) != digest:
            message = f"found a record made with other {what}, expected the current"
            return Attached({}, (Problem("stale", message, shown, **where),), mark)
    cells, problems = _match_cells(section, framework, record)
    problems = [problem.at(path=section.path, **where) for problem in problems]
    return Attached(cells, (*problems, *find_faulty_outputs(record, shown)), mark)


def _find_orphan(path: Path, shown: Path, framework: str) -> tuple[Problem, ...]:
    if not path.exists():
        return ()
    message = "found a record, expected none: the section has no code for it"
    where = {"framework": framework, "run": f"git rm {shown}"}
    return (Problem("stale", message, shown, **where),)


def _match_cells(
    section: Section, framework: str, record: NotebookNode
) -> tuple[dict[str, NotebookNode], list[Problem]]:
    wanted = section.code_cells(framework)
    recorded = {cell.id: cell for cell in record.cells}
    problems = []
    matched: dict[str, NotebookNode] = {}
    for cell in wanted:
        node = recorded.get(cell.step)
        if reason := _why_stale(cell, node):
            problems.append(Problem("stale", reason, line=cell.line, cell=cell.step))
        elif not problems:
            matched[cell.step] = node
    if problems:
        return matched, problems
    return _match_order(wanted, recorded)


def _match_order(
    wanted: list[Cell], recorded: dict[str, NotebookNode]
) -> tuple[dict[str, NotebookNode], list[Problem]]:
    """The recorded cells up to the first that stands in another place."""
    matched: dict[str, NotebookNode] = {}
    for cell, step in zip_longest(wanted, recorded):
        if cell is None:
            message = f"found cell {step!r} at the record's end, expected none there"
            return matched, [Problem("stale", message)]
        if cell.step != step:
            message = f"found cell {step!r} in its place in the record, expected it"
            return matched, [Problem("stale", message, line=cell.line, cell=cell.step)]
        matched[step] = recorded[step]
    return matched, []


def _why_stale(cell: Cell, node: NotebookNode | None) -> str | None:
    if node is None:
        return "found no recorded output for this cell, expected one"
    if node.source != cell.source:
        return "found code that differs from what was recorded, expected the same"
    if bool(node.metadata.get("tags")) != cell.may_raise:
        return "found another raises-exception tag in the record, expected the cell's"
    rule = (cell.rule or default_rule(node.outputs)).to_metadata()
    if node.metadata["book"]["compare"] != rule:
        return "found another comparison rule in the record, expected the cell's"
    return None
