"""How much of a model was seen, and why the rest was not."""

from collections.abc import Iterable
from dataclasses import dataclass

SHOWN = 5


@dataclass(frozen=True)
class Coverage:
    """Which modules of a model were seen in a pass.

    Attributes:
        seen: How many modules were seen at least once.
        silent: The names of those that were not, each with the reason.
        warnings: What else a reader must know to trust the report.
    """

    seen: int
    silent: tuple[tuple[str, str], ...] = ()
    warnings: tuple[str, ...] = ()

    def describe(self) -> tuple[str, ...]:
        """The notes under a report."""
        total = self.seen + len(self.silent)
        line = f"Seen: {self.seen} of {total} modules."
        silent = group_reasons(self.silent)
        return (line, *(f"Silent: {text}" for text in silent), *self.warnings)


def group_reasons(pairs: Iterable[tuple[str, str]]) -> list[str]:
    """Each reason once, after the names that it holds for.

    Args:
        pairs: Names with their reasons, in any order.
    """
    names: dict[str, list[str]] = {}
    for name, reason in pairs:
        if name not in names.setdefault(reason, []):
            names[reason].append(name)
    return [f"{list_names(who)} ({reason})." for reason, who in names.items()]


def list_names(names: list[str]) -> str:
    """The first few names, and how many more there are."""
    more = len(names) - SHOWN
    shown = ", ".join(names[:SHOWN])
    return f"{shown} and {more} more" if more > 0 else shown
