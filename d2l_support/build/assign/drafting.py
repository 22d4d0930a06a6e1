"""Drafts assignments: what would be in a course if it were made from the book now."""

from d2l_support.build.assign.choice import Assignment
from d2l_support.build.assign.notebook import build_notebook, uses_helpers
from d2l_support.build.assign.requirements import write_requirements
from d2l_support.build.assign.writing import Draft
from d2l_support.build.export.prose import plain_prose
from d2l_support.build.export.targets import Targets, read_targets
from d2l_support.build.export.wheel import build_wheel
from d2l_support.build.layout import Book
from d2l_support.build.section import Cell


def draft_assignments(book: Book, assignments: list[Assignment]) -> list[Draft]:
    """Assignments as the book has them now."""
    targets = read_targets(book)
    return [draft_assignment(book, each, targets) for each in assignments]


def draft_assignment(book: Book, assignment: Assignment, targets: Targets) -> Draft:
    """One assignment as the book has it now."""
    path, framework = assignment.section.path, assignment.framework
    files = write_requirements(book, framework)
    wheel = ""
    if uses_helpers(assignment):
        wheel, content = build_wheel(book)
        files[wheel] = content

    def to_plain(cell: Cell) -> str:
        return plain_prose(cell, path, targets, framework)

    notebook = build_notebook(assignment, to_plain, wheel)
    return Draft(assignment.name, notebook, files)
