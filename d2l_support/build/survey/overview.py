"""The ledger as a reader wants it: by section, and the worst cells first."""

from dataclasses import dataclass

from d2l_support.build.diff import rule_of
from d2l_support.build.frameworks import ALL_KEYS
from d2l_support.build.layout import Book, SectionName
from d2l_support.build.problems import ContentError
from d2l_support.build.record import load_record, mark_of
from d2l_support.build.rules import Rule
from d2l_support.build.survey.agreement import Agreement
from d2l_support.build.survey.ledger import Ledger
from d2l_support.build.survey.summary import find_agreements


@dataclass(frozen=True)
class MeasuredCell:
    """A recorded cell with what was observed of it.

    Attributes:
        section: The section's name.
        framework: The framework key.
        cell: The cell's id.
        rule: The rule that it carries.
        agreements: How it agreed, by setting; empty if nothing was observed.
    """

    section: SectionName
    framework: str
    cell: str
    rule: Rule
    agreements: dict[str, Agreement]

    @property
    def worst(self) -> Agreement:
        """Its worst agreement."""
        seen = self.agreements.values()
        return max(seen, key=lambda agreement: agreement.badness, default=Agreement())


def list_measured(book: Book, ledger: Ledger) -> list[MeasuredCell]:
    """Every recorded cell that prints something to compare, in page order."""
    cells = []
    for section in book.sections():
        for framework in ALL_KEYS:
            try:
                record = load_record(book, section, framework)
            except (FileNotFoundError, ContentError):
                continue
            observations = ledger.find(str(section), framework, mark_of(record))
            for cell in record.cells:
                rule = rule_of(cell)
                if cell.outputs and rule.kind != "informative":
                    seen = find_agreements(observations, cell.id)
                    cells.append(MeasuredCell(section, framework, cell.id, rule, seen))
    return cells


def list_worst(cells: list[MeasuredCell]) -> list[MeasuredCell]:
    """The cells that once did not print the same text, the worst first."""
    moved = [cell for cell in cells if cell.worst != Agreement()]
    return sorted(moved, key=lambda cell: cell.worst.badness, reverse=True)


def count_same(cells: list[MeasuredCell]) -> str:
    """How many of these cells printed the same text under all settings."""
    seen = [cell for cell in cells if cell.agreements]
    if not seen:
        return "not yet" if cells else "–"
    same = sum(cell.worst == Agreement() for cell in seen)
    text = f"{same} of {len(seen)}"
    return text if len(seen) == len(cells) else f"{text}, {len(cells) - len(seen)} new"
