"""What was measured about a cell, in words for its badge."""

from collections.abc import Mapping

from d2l_support.build.rules import Rule
from d2l_support.build.survey.agreement import Agreement
from d2l_support.build.survey.ledger import Observation
from d2l_support.build.survey.settings import SETTINGS, label_of


def find_agreements(
    observations: Mapping[str, Observation], cell: str
) -> dict[str, Agreement]:
    """How a cell agreed under each setting that was observed, in table order."""
    return {
        setting: observations[setting].cells.get(cell, Agreement())
        for setting in SETTINGS
        if setting in observations
    }


def describe_cell(
    observations: Mapping[str, Observation], cell: str, rule: Rule
) -> list[str]:
    """Sentences on what was measured about a cell; none if nothing was.

    Args:
        observations: Those of the cell's notebook, by setting.
        cell: The cell's id.
        rule: The rule that it declares.
    """
    grouped: dict[str, list[str]] = {}
    for setting, seen in find_agreements(observations, cell).items():
        grouped.setdefault(str(seen), []).append(SETTINGS[setting].label)
    lines = [f"{what.capitalize()}: {', '.join(who)}." for what, who in grouped.items()]
    if lines and rule.varies:
        labels = ", ".join(label_of(name) for name in rule.varies)
        lines.append(f"May differ by design: {labels}. Why: {rule.why}.")
    if lines:
        dates = sorted({seen.date for seen in observations.values()})
        lines.append(f"Measured {' to '.join(dict.fromkeys((dates[0], dates[-1])))}.")
    return lines
