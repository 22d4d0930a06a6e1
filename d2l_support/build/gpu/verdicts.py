"""Holds a run on the GPU against what is recorded, cell by cell."""

from dataclasses import dataclass

from nbformat import NotebookNode

from d2l_support.build.compare import Difference, compare_outputs
from d2l_support.build.diff import rule_of
from d2l_support.build.layout import Book
from d2l_support.build.plan import Run
from d2l_support.build.record import load_record

AGREES, DIFFERS, SKIPPED, FAILED = "agrees", "differs", "not compared", "failed"


@dataclass(frozen=True)
class Verdict:
    """What became of one cell on the GPU.

    Attributes:
        section: The section's name.
        framework: The framework key.
        cell: The cell's id; empty where the notebook did not run.
        outcome: One of ``agrees``, ``differs``, ``not compared``, ``failed``.
        against: The record's device, "cpu" or "gpu".
        detail: How it differs, or why it failed.
    """

    section: str
    framework: str
    cell: str
    outcome: str
    against: str
    detail: str = ""

    @property
    def is_good(self) -> bool:
        """Whether the job may pass with it."""
        return self.outcome in (AGREES, SKIPPED)


def read_reference(book: Book, run: Run) -> tuple[NotebookNode, str]:
    """What a run on the GPU is held against, and the device that made it.

    Raises:
        FileNotFoundError: There is no record at all.
        ContentError: The record is none.
    """
    own = book.record(run.name, run.framework, "gpu")
    device = "gpu" if own.exists() else "cpu"
    return load_record(book, run.name, run.framework, device), device


def judge(
    run: Run, reference: NotebookNode, against: str, fresh: NotebookNode
) -> list[Verdict]:
    """A verdict on every cell of a run.

    Args:
        run: The run.
        reference: The record.
        against: The record's device.
        fresh: What the GPU gave, from ``build_record``.
    """
    recorded = {cell.id: cell for cell in reference.cells}
    verdicts = []
    for cell in fresh.cells:
        place = (str(run.name), run.framework, cell.id)
        known = recorded.get(cell.id)
        if known is None or known.source != cell.source:
            verdicts.append(Verdict(*place, SKIPPED, against, "its code is newer"))
            continue
        outcome, detail = _judge_cell(known, cell, against)
        verdicts.append(Verdict(*place, outcome, against, detail))
    return verdicts


def _judge_cell(
    known: NotebookNode, cell: NotebookNode, against: str
) -> tuple[str, str]:
    rule = rule_of(known)
    if against == "cpu":
        rule = rule.between_devices()
    if rule.kind == "informative":
        return SKIPPED, f"{rule.why}"
    found: Difference | None = compare_outputs(known.outputs, cell.outputs, rule)
    return (DIFFERS, str(found)) if found else (AGREES, "")


def fail(run: Run, detail: str) -> Verdict:
    """The verdict on a notebook that did not come to its end."""
    return Verdict(str(run.name), run.framework, "", FAILED, "", detail)
