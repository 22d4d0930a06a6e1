"""Decides what becomes of each submission before anything is run."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field

from d2l_support.build.grading.finding import Finding, Refusal
from d2l_support.build.grading.guards import add_guards
from d2l_support.build.grading.intake import Handed
from d2l_support.build.grading.ledger import Entry
from d2l_support.build.grading.opening import read_file
from d2l_support.build.grading.pool import Job, Terms
from d2l_support.build.grading.reading import check_belongs, read_notebook
from d2l_support.build.grading.restore import restore_notebook
from d2l_support.build.grading.suspicion import read_suspicion
from d2l_support.build.isolation.outcome import WHOLE

GRADED, UNCHANGED, CUT_OFF = "graded", "unchanged", "cut off"
NOT_GRADED, NOTHING = "not graded", "nothing handed in"


@dataclass
class Submission:
    """A submission on its way through one run.

    Attributes:
        handed: What was handed in.
        digest: Of the file.
        findings: What is noteworthy in it.
        reason: Why it is graded again; "" if it is not, or the first time.
        state: What becomes of it, one of the states above.
        job: What is to be run, if it is.
    """

    handed: Handed
    digest: str = ""
    findings: list[Finding] = field(default_factory=list)
    reason: str = ""
    state: str = NOT_GRADED
    job: Job | None = None

    def refuse(self, text: str) -> None:
        """Notes why it cannot be graded."""
        self.state = NOT_GRADED
        self.findings.append(Finding(text, look=True))


@dataclass(frozen=True)
class Situation:
    """What decides, beside the submission itself, whether it is graded.

    Attributes:
        grade_ids: The ids of the cells of every assignment, by its name.
        entries: What the ledger has.
        recorded: The submissions that the gradebook has.
        terms: On what terms notebooks are run.
        again: Whether to grade also what is unchanged.
    """

    grade_ids: Mapping[str, set[str]]
    entries: dict[tuple[str, str], Entry]
    recorded: set[tuple[str, str]]
    terms: Terms
    again: bool = False


def plan_submission(handed: Handed, folder, situation: Situation) -> Submission:
    """Reads a submission, and makes a job of it if it is to be graded.

    Args:
        handed: What was handed in.
        folder: The folder of all submissions.
        situation: What else decides.
    """
    submission = Submission(handed, findings=list(handed.findings))
    try:
        if handed.refusal:
            raise Refusal(handed.refusal)
        data = read_file(handed.path, folder)
        submission.digest = hashlib.sha256(data).hexdigest()
        reason = find_reason(submission, situation)
        if reason is None and not situation.again:
            submission.state = UNCHANGED
        else:
            submission.reason = reason or ""
            _make_job(submission, data, situation)
    except Refusal as refusal:
        submission.refuse(str(refusal))
    except Exception as error:  # whatever a file brings about, others go on
        said = f"{type(error).__name__}: {error}"[:200]
        submission.refuse(f"found that it cannot be read ({said}); not graded")
    return submission


def find_reason(submission: Submission, situation: Situation) -> str | None:
    """Why it is to be graded; "" for the first time, None if it is not to be."""
    key = submission.handed.key
    entry = situation.entries.get(key)
    if entry is None:
        return ""
    if entry.digest != submission.digest:
        return "found a submission that changed"
    if entry.version != submission.handed.assignment.version:
        return "found an assignment that changed"
    if entry.ending != WHOLE and entry.limits != situation.terms.limits.to_json():
        return "found other limits than those that cut it off"
    if key not in situation.recorded:
        return "found its grade gone from the gradebook"
    return None


def _make_job(submission: Submission, data: bytes, situation: Situation) -> None:
    assignment = submission.handed.assignment
    notebook = read_notebook(data)
    check_belongs(notebook, assignment, situation.grade_ids)
    restored = restore_notebook(notebook, assignment)
    suspicion = read_suspicion(restored.notebook, assignment)
    submission.findings += [*restored.findings, *suspicion.findings]
    guarded = add_guards(restored.notebook, suspicion.again)
    submission.job = Job(submission.handed.key, assignment.framework, guarded)
