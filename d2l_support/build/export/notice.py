"""Which cells may print other numbers on the reader's machine, and why."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from nbformat import NotebookNode

from d2l_support.build.diff import rule_of
from d2l_support.build.survey.agreement import Agreement
from d2l_support.build.survey.ledger import Observation
from d2l_support.build.survey.settings import label_of
from d2l_support.build.survey.summary import find_agreements

QUIET = ("python", "jaxlib")
"""Releases that the line does not name."""


@dataclass
class Recorded:
    """What is known of a notebook's recorded outputs.

    Attributes:
        cells: The recorded cells by step.
        environment: What their kernel said of itself.
        observations: How they fared, by setting of the survey.
    """

    cells: dict[str, NotebookNode] = field(default_factory=dict)
    environment: Mapping[str, Any] = field(default_factory=dict)
    observations: Mapping[str, Observation] = field(default_factory=dict)


def write_notice(recorded: Recorded, numbers: Mapping[str, int]) -> str:
    """One line on what may differ, for the reader who runs the notebook.

    Args:
        recorded: The outputs and what was measured of them.
        numbers: The number of each step in brackets, as Jupyter shows it.
    """
    releases = recorded.environment.get("versions", {})
    named = [f"{name} {releases[name]}" for name in releases if name not in QUIET]
    parts = [f"Recorded with {', '.join(named)} on a CPU." if named else ""]
    moved, labels = _find_moved(recorded, numbers)
    if moved:
        parts.append(
            f"Other numbers may come out in {_list_numbers(moved)}: "
            f"they did under other settings ({', '.join(labels)})."
        )
    elif recorded.observations:
        tried = ", ".join(label_of(setting) for setting in recorded.observations)
        parts.append(f"Nothing else came out under other settings ({tried}).")
    elif recorded.cells:
        parts.append("Other settings were not tried yet.")
    if facts := _find_facts(recorded, numbers):
        parts.append(f"Times and facts of the machine: {_list_numbers(facts)}.")
    return " ".join(filter(None, parts)) or "No outputs are recorded."


def _find_moved(
    recorded: Recorded, numbers: Mapping[str, int]
) -> tuple[list[int], list[str]]:
    """The cells that once printed something else, and the settings' labels."""
    moved, labels = [], {}
    for step, cell in recorded.cells.items():
        if step not in numbers or rule_of(cell).kind == "informative":
            continue
        seen = find_agreements(recorded.observations, step)
        under = [setting for setting, how in seen.items() if how != Agreement()]
        if under:
            moved.append(numbers[step])
            labels |= {label_of(setting): None for setting in under}
    return moved, [*labels]


def _find_facts(recorded: Recorded, numbers: Mapping[str, int]) -> list[int]:
    return [
        numbers[step]
        for step, cell in recorded.cells.items()
        if step in numbers and cell.outputs and rule_of(cell).kind == "informative"
    ]


def _list_numbers(numbers: list[int]) -> str:
    return ", ".join(f"[{number}]" for number in numbers)
