"""``grades.csv``: nbgrader's export, and what this grading knows besides.

The first columns are those of ``nbgrader export``, in its order. Then come
``tests`` and ``max_tests`` (points of the tests), ``to_grade`` (points that
wait for manual grading), ``state``, ``look`` (yes, where the instructor has
to), ``isolation`` (how it was run), ``file`` and ``remark``. A submission that
could not be graded, from a student whom the gradebook does not know, has a row
as well.
"""

import csv
import io

from nbgrader.api import Gradebook, MissingEntry

from d2l_support.build.grading.course import Course
from d2l_support.build.grading.lines import Line

COLUMNS = (
    "assignment",
    "duedate",
    "timestamp",
    "student_id",
    "last_name",
    "first_name",
    "email",
    "raw_score",
    "late_submission_penalty",
    "score",
    "max_score",
)
OURS = (
    "tests",
    "max_tests",
    "to_grade",
    "state",
    "look",
    "isolation",
    "file",
    "remark",
)


def build_csv(course: Course, lines: list[Line]) -> str:
    """The rows of every student and assignment in the gradebook, and of lines."""
    known = {(line.assignment.name, line.student): line for line in lines}
    file = io.StringIO()
    writer = csv.DictWriter(file, (*COLUMNS, *OURS), restval="", lineterminator="\n")
    writer.writeheader()
    with course.open_gradebook() as gradebook:
        for assignment in gradebook.assignments:
            for student in gradebook.students:
                row = _make_row(gradebook, assignment, student)
                line = known.pop((assignment.name, student.id), None)
                writer.writerow(row | (_describe(line) if line else {}))
    for (name, student), line in known.items():
        row = {"assignment": name, "student_id": student, "score": 0.0}
        writer.writerow(row | _describe(line))
    return file.getvalue()


def _make_row(gradebook: Gradebook, assignment, student) -> dict[str, object]:
    """What nbgrader exports; who handed in nothing has a score of 0."""
    row = {
        "assignment": assignment.name,
        "duedate": assignment.duedate,
        "student_id": student.id,
        "last_name": student.last_name,
        "first_name": student.first_name,
        "email": student.email,
        "max_score": assignment.max_score,
    }
    try:
        submission = gradebook.find_submission(assignment.name, student.id)
    except MissingEntry:
        return row | dict.fromkeys(
            ("raw_score", "late_submission_penalty", "score"), 0.0
        )
    penalty = submission.late_submission_penalty or 0.0
    return row | {
        "timestamp": submission.timestamp,
        "raw_score": submission.score,
        "late_submission_penalty": penalty,
        "score": max(0.0, submission.score - penalty),
    }


def _describe(line: Line) -> dict[str, object]:
    scores = line.scores
    points = {
        "tests": scores.tests if scores else "",
        "max_tests": scores.most_tests if scores else "",
        "to_grade": scores.awaiting if scores else "",
    }
    remark = "; ".join(finding.text for finding in line.findings)
    look = "yes" if line.look else ""
    return points | {
        "state": line.state,
        "look": look,
        "isolation": line.isolation,
        "file": line.file,
        "remark": remark,
    }
