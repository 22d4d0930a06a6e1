"""What of an exercise is shown to whom: starters, questions, answers, terms."""

from dataclasses import replace

from d2l_support.build.exercises.exercise import Exercise, find_exercises
from d2l_support.build.exercises.options import MUTANT, SOLUTION, TESTS, WRITTEN
from d2l_support.build.exercises.regions import (
    HIDDEN,
    HIDDEN_STUB,
    inside_regions,
    make_starter,
    replace_regions,
)
from d2l_support.build.exercises.regions import SOLUTION as SOLUTION_REGION
from d2l_support.build.frameworks import ALL_KEYS, FRAMEWORKS
from d2l_support.build.section import Cell, Section


def name_answered(section: Section) -> set[str]:
    """The steps whose outputs rest on a solution."""
    steps: set[str] = set()
    for exercise in find_exercises(section):
        answered = False
        for cell in exercise.cells:
            answered = answered or cell.grade == SOLUTION
            if answered and cell.step:
                steps.add(cell.step)
    return steps


def show_to_student(cell: Cell) -> Cell | None:
    """What a student sees of a cell, or None if that is nothing."""
    if cell.grade == MUTANT or (cell.grade == SOLUTION and cell.kind == "markdown"):
        return None
    if cell.grade == SOLUTION:
        return replace(cell, source=make_starter(cell.source))
    if cell.grade == TESTS:
        visible = replace_regions(cell.source, HIDDEN, HIDDEN_STUB)
        worth = count_points(cell.options.get("points", 0))
        return replace(cell, source=f"# {worth}\n{visible}")
    if cell.grade == WRITTEN:
        question = replace_regions(cell.source, SOLUTION_REGION, "").strip()
        worth = count_points(cell.options.get("points", 0))
        return replace(cell, source=f"**In words ({worth}).** {question}")
    return cell


def show_answer(cell: Cell) -> str:
    """The model answer of a question in words, with its rubric as a list."""
    answer = "\n".join(inside_regions(cell.source, SOLUTION_REGION))
    return "\n".join([f"**In words.** {answer}", "", *describe_rubric(cell)])


def describe_rubric(cell: Cell) -> list[str]:
    """The rubric of a question in words, as the lines of a list."""
    lines = []
    for line in cell.options.get("rubric", []):
        number, _, what = line.partition(": ")
        lines.append(f"- {count_points(int(number))}: {what}")
    return lines


def describe_terms(exercise: Exercise) -> str:
    """Points, time, difficulty and, if not all have it, the frameworks in a line."""
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
    having = [FRAMEWORKS[k].label for k in ALL_KEYS if exercise.test_points(k)]
    if having and len(having) < len(ALL_KEYS):
        *others, last = having
        parts.append(f"in {', '.join(others)} and {last}" if others else f"in {last}")
    return " · ".join(parts)


def count_points(points: int) -> str:
    """A number of points in words."""
    return "1 point" if points == 1 else f"{points} points"
