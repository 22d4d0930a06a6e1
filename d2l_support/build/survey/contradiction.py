"""Holds the rules of the cells against what the ledger observed."""

from d2l_support.build.layout import Book, SectionName
from d2l_support.build.problems import ContentError, Problem
from d2l_support.build.record import read_record
from d2l_support.build.section import Section
from d2l_support.build.survey.ledger import Ledger, Observation
from d2l_support.build.survey.settings import SETTINGS


def find_observations(
    book: Book, ledger: Ledger, name: SectionName, framework: str
) -> dict[str, Observation]:
    """What was observed of the record that a section has now, by setting."""
    path = book.record(name, framework)
    try:
        record = read_record(path, book.relative(path), name, framework)
    except (FileNotFoundError, ContentError):
        return {}  # that there is no whole record, others report
    return ledger.find(str(name), framework, record.metadata["book"]["seal"])


def find_contradictions(
    book: Book, ledger: Ledger, name: SectionName, section: Section, framework: str
) -> list[Problem]:
    """The cells that left their rule under a setting of the survey."""
    lines = {cell.step: cell.line for cell in section.code_cells(framework)}
    observations = find_observations(book, ledger, name, framework)
    return [
        Problem(
            "ledger",
            f"found {seen} under {SETTINGS[setting].label!r} in the ledger, expected "
            "what its rule allows: widen the rule, or name the setting in "
            f"`:varies: {setting}` with a `:why:`",
            section.path,
            line=lines.get(cell),
            cell=cell,
            framework=framework,
        )
        for setting, observation in observations.items()
        for cell, seen in observation.cells.items()
        if not seen.allowed and setting in SETTINGS
    ]
