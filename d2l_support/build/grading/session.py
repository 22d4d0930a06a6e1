"""One run of grading, from the folders to the gradebook."""

import hashlib
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace

from d2l_support.build.grading.assignments import load_assignments
from d2l_support.build.grading.autograde import record_grades, write_feedback
from d2l_support.build.grading.course import Course
from d2l_support.build.grading.finding import Finding, Refusal
from d2l_support.build.grading.frame import Assignment
from d2l_support.build.grading.gradebook import (
    Scores,
    list_grade_ids,
    list_students,
    read_scores,
)
from d2l_support.build.grading.guards import remove_guards
from d2l_support.build.grading.intake import find_submissions
from d2l_support.build.grading.ledger import Entry, Key, Ledger
from d2l_support.build.grading.lines import Line, describe_absence, describe_submission
from d2l_support.build.grading.planning import (
    CUT_OFF,
    GRADED,
    Situation,
    Submission,
    plan_submission,
)
from d2l_support.build.grading.pool import Job, Runner, Terms, Watch
from d2l_support.build.grading.settle import settle_outputs
from d2l_support.build.isolation.outcome import UNSTARTED, WHOLE, Outcome

LEDGER = "grading.json"

MakeWatch = Callable[[list[Job]], AbstractContextManager[Watch]]


class Session:
    """Grades what is new in a course.

    Args:
        course: The course.
        assignments: What is to be graded.
        terms: On what terms notebooks are run.
    """

    def __init__(self, course: Course, assignments: list[Assignment], terms: Terms):
        self.course = course
        self.assignments = assignments
        self.terms = terms
        self.students = list_students(course)
        self.ledger = Ledger.read(course.root / LEDGER)
        self.submissions: dict[Key, Submission] = {}

    def plan(self, again: bool = False) -> list[Job]:
        """Reads what was handed in; returns what is to be run.

        Args:
            again: Whether to grade also what is unchanged.
        """
        folder = self.course.submitted
        situation = Situation(
            list_grade_ids(self.course),
            self.ledger.entries,
            set(self.read_scores()),
            self.terms,
            again,
        )
        for handed in find_submissions(folder, self.assignments, self.students):
            submission = plan_submission(handed, folder, situation)
            self.submissions[handed.key] = submission
        jobs = [each.job for each in self.submissions.values() if each.job]
        self.ledger.forget([job.key for job in jobs])
        return jobs

    def take(self, job: Job, outcome: Outcome) -> None:
        """Puts what became of a notebook into the gradebook and the ledger."""
        submission = self.submissions[job.key]
        if outcome.ending == UNSTARTED:
            submission.refuse(f"{outcome.detail}; not graded")
            return
        outcome, void = remove_guards(outcome)
        if void:
            text = "found that asserts do not fail any more; its tests give no points"
            submission.findings.append(Finding(text, look=True))
        if outcome.ending != WHOLE:
            submission.findings.append(Finding(outcome.detail, look=True))
        try:
            self._record(submission, outcome, void)
        except Refusal as refusal:
            submission.refuse(str(refusal))

    def _record(self, submission: Submission, outcome: Outcome, void: set[str]) -> None:
        handed = submission.handed
        notebook = settle_outputs(outcome, void)
        record_grades(self.course, handed.assignment, handed.student, notebook)
        entry = Entry(
            digest=submission.digest,
            version=handed.assignment.version,
            file=str(handed.path.relative_to(self.course.root)),
            ending=outcome.ending,
            isolation=outcome.isolation,
            seconds=round(outcome.seconds, 2),
            limits=self.terms.limits.to_json(),
            findings=tuple((each.text, each.look) for each in submission.findings),
        )
        self.ledger.put(handed.key, entry)
        submission.state = GRADED if outcome.ending == WHOLE else CUT_OFF

    def refresh_feedback(self) -> None:
        """Writes the feedback pages that do not show what the gradebook has."""
        for key, scores in self.read_scores().items():
            entry, submission = self.ledger.entries.get(key), self.submissions.get(key)
            shown = hashlib.sha256(scores.shown.encode()).hexdigest()
            if entry is None or submission is None or entry.feedback == shown:
                continue
            try:
                write_feedback(self.course, submission.handed.assignment, key[1])
                self.ledger.put(key, replace(entry, feedback=shown))
            except Refusal as refusal:
                submission.findings.append(Finding(f"feedback: {refusal}", look=True))

    def read_scores(self) -> dict[Key, Scores]:
        """The points of every submission that the gradebook has."""
        found = {}
        students = list_students(self.course)
        with self.course.open_gradebook() as gradebook:
            for assignment in self.assignments:
                for student in students:
                    if scores := read_scores(gradebook, assignment, student):
                        found[assignment.name, student] = scores
        return found

    def lines(self) -> list[Line]:
        """A line for each submission, and for each student without one."""
        scores, root = self.read_scores(), self.course.root
        lines = [
            describe_submission(
                submission, self.ledger.entries.get(key), scores.get(key), root
            )
            for key, submission in self.submissions.items()
        ]
        for assignment in self.assignments:
            for student in list_students(self.course):
                key = assignment.name, student
                if key not in self.submissions:
                    lines.append(describe_absence(assignment, student, scores.get(key)))
        return sorted(lines, key=lambda line: (line.assignment.name, line.student))


def grade_course(
    course: Course,
    names: list[str] | None,
    run: Runner,
    terms: Terms,
    again: bool = False,
    make_watch: MakeWatch = lambda jobs: nullcontext(Watch()),
) -> list[Line]:
    """Grades what is new in a course, and writes feedback.

    Args:
        course: The course.
        names: The assignments; None means all.
        run: What runs the notebooks.
        terms: On what terms they are run.
        again: Whether to grade also what is unchanged.
        make_watch: Makes, of the jobs, what is told of their progress.

    Raises:
        CannotWork: Another grader is at work, or the course is not fit.
    """
    with course.hold_lock():
        session = Session(course, load_assignments(course, names), terms)
        jobs = session.plan(again)
        with make_watch(jobs) as watch:

            def take(job: Job, outcome: Outcome) -> None:
                session.take(job, outcome)
                watch.finish(job, session.submissions[job.key].state)

            if jobs:
                run(jobs, watch.start, take)
            session.refresh_feedback()
        return session.lines()
