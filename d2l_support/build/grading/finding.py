"""What grading has to say about a submission, as values."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """One thing found in a submission.

    Attributes:
        text: "found ...; what was done", one line.
        look: Whether the instructor has to look at the submission.
    """

    text: str
    look: bool = False


class Refusal(Exception):
    """A submission that cannot be graded; the message says what was found."""


def name_cells(ids: list[str]) -> str:
    """Cell names for a message: three of them at most, and how many more."""
    more = f" and {len(ids) - 3} more" if len(ids) > 3 else ""
    return ", ".join(repr(each) for each in ids[:3]) + more
