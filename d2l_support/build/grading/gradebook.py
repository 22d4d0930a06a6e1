"""What nbgrader's database has: students, cells, points."""

from dataclasses import dataclass

from nbgrader.api import Gradebook, MissingEntry

from d2l_support.build.grading.course import Course
from d2l_support.build.grading.frame import Assignment


@dataclass(frozen=True)
class Scores:
    """The points of a submission, as the gradebook has them.

    Attributes:
        tests: Points that the tests gave.
        most_tests: Points that they could give.
        total: All points, manual grading and late penalty included.
        most: All points that can be had.
        awaiting: Points of the cells that wait for manual grading.
        review: Cells that were graded by hand before this version was run.
        shown: What feedback shows of it, as text that can be compared.
    """

    tests: float
    most_tests: float
    total: float
    most: float
    awaiting: float
    review: int
    shown: str


def list_students(course: Course) -> list[str]:
    """The students that the gradebook knows."""
    with course.open_gradebook() as gradebook:
        return [student.id for student in gradebook.students]


def list_grade_ids(course: Course) -> dict[str, set[str]]:
    """The ids of the cells of every assignment, by the assignment's name."""
    with course.open_gradebook() as gradebook:
        return {
            assignment.name: {
                cell.name for each in assignment.notebooks for cell in each.source_cells
            }
            for assignment in gradebook.assignments
        }


def read_scores(
    gradebook: Gradebook, assignment: Assignment, student: str
) -> Scores | None:
    """The points of a submission, or None if nbgrader has no such submission."""
    try:
        submission = gradebook.find_submission(assignment.name, student)
    except MissingEntry:
        return None
    grades = [grade for each in submission.notebooks for grade in each.grades]
    comments = [one for each in submission.notebooks for one in each.comments]
    waiting = [grade for grade in grades if grade.needs_manual_grade]
    tests = [grade for grade in grades if grade.name in _tests(assignment)]
    shown = [(grade.name, grade.score, grade.max_score) for grade in grades]
    shown += [(comment.name, comment.comment) for comment in comments]
    penalty = submission.late_submission_penalty or 0
    return Scores(
        tests=sum(grade.auto_score or 0 for grade in tests),
        most_tests=sum(grade.max_score for grade in tests),
        total=max(0.0, submission.score - penalty),
        most=submission.max_score,
        awaiting=sum(g.max_score for g in waiting if g.manual_score is None),
        review=sum(g.manual_score is not None for g in waiting),
        shown=repr((sorted(shown, key=repr), penalty)),
    )


def _tests(assignment: Assignment) -> set[str]:
    cells = [cell.metadata.nbgrader for cell in assignment.frame.cells]
    return {each.grade_id for each in cells if each.grade and not each.solution}
