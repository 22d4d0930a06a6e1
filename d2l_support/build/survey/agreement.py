"""How a cell's fresh outputs agree with its record, whatever its rule says."""

from dataclasses import asdict, dataclass
from math import isfinite
from typing import Any

from nbformat import NotebookNode

from d2l_support.build.compare import (
    FLOAT,
    compare_outputs,
    flatten_outputs,
    skeleton_of,
)
from d2l_support.build.rules import Rule

KINDS = ("same", "unseen", "numbers", "text", "outputs", "failed")
"""From the best to the worst: see ``Agreement.kind``."""


@dataclass(frozen=True)
class Agreement:
    """How a cell's outputs under a setting agree with its record.

    Attributes:
        kind: ``same`` text, other ``numbers`` in it, other ``text`` around
            them (also a number that is no longer finite), other kinds of
            ``outputs``, ``failed`` where the section did not come to its end,
            and ``unseen`` after that.
        relative: The largest relative difference of a number that is not 0.
        absolute: The largest absolute difference of a number.
        allowed: Whether the cell's rule allows it.
    """

    kind: str = "same"
    relative: float = 0.0
    absolute: float = 0.0
    allowed: bool = True

    def __str__(self) -> str:
        if self.kind == "same":
            return "the same text"
        if self.kind == "numbers":
            if self.relative:
                return f"numbers differ by {self.relative:.1e}"
            return f"numbers differ by {self.absolute:.1e}, absolute"
        return {
            "text": "other text",
            "outputs": "other kinds of output",
            "failed": "does not run",
            "unseen": "not reached",
        }[self.kind]

    @property
    def badness(self) -> tuple[bool, int, float]:
        """By what to sort: the worst is the largest."""
        return not self.allowed, KINDS.index(self.kind), self.relative

    def to_data(self) -> dict[str, Any]:
        """The agreement as plain data, without what is as usual."""
        usual = asdict(Agreement())
        return {k: value for k, value in asdict(self).items() if value != usual[k]}

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> "Agreement":
        """The agreement that ``to_data`` wrote.

        Raises:
            TypeError, ValueError: It is none.
        """
        found = cls(**data)
        if found.kind not in KINDS:
            raise ValueError(f"found {found.kind!r}, expected one of {KINDS}")
        return found


def measure_agreement(
    recorded: list[NotebookNode], fresh: list[NotebookNode], rule: Rule
) -> Agreement:
    """How fresh outputs agree with the recorded ones.

    Args:
        recorded: Outputs of the record, normalised.
        fresh: Outputs under the setting, normalised.
        rule: The rule that says what is allowed.
    """
    allowed = compare_outputs(recorded, fresh, rule) is None
    old, new = flatten_outputs(recorded), flatten_outputs(fresh)
    if old == new:
        return Agreement()
    if [place for place, _ in old] != [place for place, _ in new]:
        return Agreement("outputs", allowed=allowed)
    texts = [(before, now) for (_, before), (_, now) in zip(old, new, strict=True)]
    if any(skeleton_of(before) != skeleton_of(now) for before, now in texts):
        return Agreement("text", allowed=allowed)
    pairs = [pair for before, now in texts for pair in _list_pairs(before, now)]
    if not all(isfinite(old) and isfinite(new) for old, new in pairs):
        return Agreement("text", allowed=allowed)
    absolute = max((abs(new - old) for old, new in pairs), default=0.0)
    relative = max(
        (abs(new - old) / abs(old) for old, new in pairs if old), default=0.0
    )
    return Agreement("numbers", _round(relative), _round(absolute), allowed)


def _list_pairs(before: str, now: str) -> list[tuple[float, float]]:
    """The numbers that differ, each as recorded and as it came out."""
    pairs = zip(FLOAT.findall(before), FLOAT.findall(now), strict=True)
    return [(float(old), float(new)) for old, new in pairs if old != new]


def _round(number: float) -> float:
    """Two digits will do, and keep the ledger's changes few."""
    return float(f"{number:.1e}")
