"""What the report says, a line for each student and assignment."""

from dataclasses import dataclass
from pathlib import Path

from d2l_support.build.grading.finding import Finding
from d2l_support.build.grading.frame import Assignment
from d2l_support.build.grading.gradebook import Scores
from d2l_support.build.grading.ledger import Entry
from d2l_support.build.grading.planning import (
    CUT_OFF,
    GRADED,
    NOT_GRADED,
    NOTHING,
    UNCHANGED,
    Submission,
)
from d2l_support.build.isolation.outcome import WHOLE


@dataclass(frozen=True)
class Line:
    """What became of one student's submission of one assignment.

    Attributes:
        assignment: The assignment.
        student: The student's name.
        state: ``graded``, ``unchanged``, ``cut off``, ``not graded`` or
            ``nothing handed in``.
        file: The submitted file, relative to the course; "" if there is none.
        scores: The points in the gradebook, from this run or a former one.
        findings: What is noteworthy.
        isolation: ``sandbox`` or ``process``; "" if it was never run.
    """

    assignment: Assignment
    student: str
    state: str
    file: str = ""
    scores: Scores | None = None
    findings: tuple[Finding, ...] = ()
    isolation: str = ""

    @property
    def look(self) -> bool:
        """Whether the instructor has to look at it."""
        seen = any(finding.look for finding in self.findings)
        return seen or self.state in (CUT_OFF, NOT_GRADED)


def describe_submission(
    submission: Submission, entry: Entry | None, scores: Scores | None, root: Path
) -> Line:
    """The line of something that was handed in.

    Args:
        submission: What became of it in this run.
        entry: What the ledger has of it now.
        scores: What the gradebook has of it now.
        root: The course.
    """
    handed, state = submission.handed, submission.state
    findings = list(submission.findings)
    if state == UNCHANGED and entry:
        findings = entry.found
        state = UNCHANGED if entry.ending == WHOLE else CUT_OFF
    if submission.reason and state in (GRADED, CUT_OFF):
        findings.insert(0, Finding(f"{submission.reason}; graded again"))
    if state == NOT_GRADED and scores:
        findings.append(Finding("the grade of a former submission stays"))
    if scores and scores.review:
        text = f"found {scores.review} manual grades given before; kept"
        findings.append(Finding(text, look=state == GRADED))
    return Line(
        handed.assignment,
        handed.student,
        state,
        str(handed.path.relative_to(root)),
        scores,
        tuple(findings),
        entry.isolation if entry else "",
    )


def describe_absence(
    assignment: Assignment, student: str, scores: Scores | None
) -> Line:
    """The line of a student in the gradebook of whom there is no folder."""
    gone = Finding("found its folder gone; the grade stays")
    found = (gone,) if scores else ()
    return Line(assignment, student, NOTHING, "", scores, found)
