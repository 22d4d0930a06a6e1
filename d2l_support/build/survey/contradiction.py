"""Holds the rules of the cells against what the ledger observed."""

from collections.abc import Mapping

from d2l_support.build.problems import Problem
from d2l_support.build.section import Section
from d2l_support.build.survey.ledger import Observation
from d2l_support.build.survey.settings import SETTINGS


def find_contradictions(
    observations: Mapping[str, Observation], section: Section, framework: str
) -> list[Problem]:
    """The cells that left their rule under a setting of the survey.

    Args:
        observations: What counts for the section's record, by setting.
        section: The section.
        framework: The record's framework.
    """
    lines = {cell.step: cell.line for cell in section.code_cells(framework)}
    varies = {
        cell.step: cell.rule.varies
        for cell in section.code_cells(framework)
        if cell.rule
    }
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
        if not seen.allowed
        and setting in SETTINGS
        and setting not in varies.get(cell, ())
    ]
