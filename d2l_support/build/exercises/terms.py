"""What an exercise is worth, how long it takes and how hard it is, in words."""

from d2l_support.build.exercises.exercise import Exercise
from d2l_support.build.frameworks import ALL_KEYS
from d2l_support.build.section import Cell


def describe_terms(exercise: Exercise) -> str:
    """Points, time and difficulty in a line."""
    tests = max(exercise.test_points(key) for key in ALL_KEYS)
    written = exercise.written_points()
    worth = count_points(tests + written)
    if tests and written:
        worth += f" ({tests} by tests, {written} for words)"
    parts = [worth]
    if exercise.minutes:
        parts.append(f"about {exercise.minutes} minutes")
    if exercise.difficulty:
        parts.append(exercise.difficulty)
    return " · ".join(parts)


def describe_rubric(cell: Cell) -> list[str]:
    """A line of a list for each line of a written question's rubric."""
    lines = []
    for line in cell.options.get("rubric", []):
        number, _, what = line.partition(": ")
        lines.append(f"- {count_points(int(number))}: {what}")
    return lines


def count_points(points: int) -> str:
    """Such as ``1 point`` or ``2 points``."""
    return "1 point" if points == 1 else f"{points} points"
