"""Finds what is wrong in a section's exercises; starts no kernel."""

from collections import Counter
from collections.abc import Iterator

from d2l_support.build.exercises.exercise import Exercise, find_exercises
from d2l_support.build.exercises.options import (
    MUTANT,
    SOLUTION,
    TESTS,
    WRITTEN,
    rubric_points,
)
from d2l_support.build.exercises.regions import HIDDEN, find_regions
from d2l_support.build.exercises.regions import SOLUTION as SOLUTION_REGION
from d2l_support.build.frameworks import ALL_KEYS
from d2l_support.build.problems import Problem
from d2l_support.build.section import Cell, Section

FEWEST_MUTANTS = 2
"""Planted wrong answers that each exercise has in each framework."""

_REGION_OF = {SOLUTION: SOLUTION_REGION, WRITTEN: SOLUTION_REGION, TESTS: HIDDEN}


def find_exercise_faults(section: Section) -> Iterator[Problem]:
    """Every problem in a section's exercises; an ordinary section has none."""
    exercises = find_exercises(section)
    owned = {id(cell) for exercise in exercises for cell in exercise.cells}
    for cell in section.cells:
        yield from _check_regions(cell)
        if cell.grade and id(cell) not in owned:
            mark = '+++ {"exercise": ...}'
            message = f"found grade {cell.grade} in no exercise, expected {mark} above"
            yield _problem(message, cell)
        if cell.grade in (TESTS, WRITTEN) and "points" not in cell.options:
            yield _problem(f"found {cell.grade} without points, expected points", cell)
    names = Counter(exercise.name for exercise in exercises)
    for exercise in exercises:
        if names[exercise.name] > 1:
            yield _problem(
                f"found the exercise {exercise.name!r} {names[exercise.name]} times, "
                "expected once",
                exercise.opening,
            )
        yield from _check_exercise(exercise)


def _problem(message: str, cell: Cell, framework: str | None = None) -> Problem:
    if framework is None and "framework" in cell.options:
        framework = ", ".join(cell.frameworks)
    where = {"line": cell.line, "cell": cell.step, "framework": framework}
    return Problem("exercise", message, **where)


def _check_regions(cell: Cell) -> Iterator[Problem]:
    regions, faults = find_regions(cell.source)
    for line, message in faults:
        problem = _problem(f"{message}, expected a whole region", cell)
        yield problem.at(line=_line_of(cell, line))
    allowed = _REGION_OF.get(cell.grade)
    for region in regions:
        if region.name != allowed:
            part = f"grade {cell.grade}" if cell.grade else "no grade"
            problem = _problem(
                f"found a region {region.name} in a cell of {part}, expected none",
                cell,
            )
            yield problem.at(line=_line_of(cell, region.first))
    in_code = cell.grade == SOLUTION and cell.kind == "code"
    if (in_code or cell.grade == WRITTEN) and not (regions or faults):
        message = f"found {cell.grade} with no region, expected ### BEGIN SOLUTION"
        yield _problem(message, cell)


def _line_of(cell: Cell, line: int) -> int:
    """The line in the section of a line of a cell, which counts from 0."""
    if cell.kind == "markdown":
        return cell.text_line + line
    return cell.line + len(cell.options) + 1 + line


def _check_exercise(exercise: Exercise) -> Iterator[Problem]:
    opening = exercise.opening
    for name, value in (
        ("minutes", exercise.minutes),
        ("difficulty", exercise.difficulty),
        ("heading (##)", exercise.title),
    ):
        if not value:
            message = f"found no {name}, expected one in exercise {exercise.name!r}"
            yield _problem(message, opening)
    if f":label: {exercise.name}" not in opening.source.splitlines():
        yield _problem(
            f"found no statement, expected an {{exercise}} with `:label: "
            f"{exercise.name}`",
            opening,
        )
    yield from _check_written(exercise)
    if not any(exercise.runs_in(key) for key in ALL_KEYS):
        if not exercise.written_points():
            message = f"found exercise {exercise.name!r} with nothing to answer"
            yield _problem(f"{message}, expected a solution or a question", opening)
        return
    yield from _check_frameworks(exercise)
    for key in ALL_KEYS:
        if exercise.runs_in(key):
            yield from _check_tests(exercise, key)
            yield from _check_mutants(exercise, key)


def _check_frameworks(exercise: Exercise) -> Iterator[Problem]:
    """Each framework has a solution, or a word beside one on why there is none."""
    steps = {cell.step for cell in exercise.of_grade(SOLUTION) if cell.kind == "code"}
    spoken = {
        key
        for cell in exercise.cells
        if cell.step in steps and cell.grade != MUTANT
        for key in cell.frameworks
    }
    for key in ALL_KEYS:
        if key not in spoken:
            yield _problem(
                f"found no solution of exercise {exercise.name!r}, expected one, or "
                f'a word on why there is none, after +++ {{"framework": "{key}", '
                f'"id": "{sorted(steps)[0]}"}}',
                exercise.opening,
                key,
            )


def _check_tests(exercise: Exercise, framework: str) -> Iterator[Problem]:
    opening = exercise.opening
    if not exercise.of_grade(TESTS, framework):
        message = f"found exercise {exercise.name!r} without tests, expected some"
        yield _problem(message, opening, framework)
    last = max(map(exercise.cells.index, exercise.solutions(framework)))
    for cell in exercise.of_grade(TESTS, framework):
        if exercise.cells.index(cell) < last:
            message = "found tests above the solution, expected them below"
            yield _problem(message, cell, framework)
    points = exercise.test_points(framework)
    usual = exercise.test_points(next(filter(exercise.runs_in, ALL_KEYS)))
    if points != usual:
        message = f"found {points} points, expected {usual} as in the first framework"
        yield _problem(message, opening, framework)


def _check_mutants(exercise: Exercise, framework: str) -> Iterator[Problem]:
    solutions = {cell.step for cell in exercise.solutions(framework)}
    mutants = exercise.mutants(framework)
    for cell in mutants:
        if (of := cell.options.get("of")) not in solutions:
            message = f"found a mutant of {of!r}, expected one of"
            yield _problem(f"{message} {', '.join(sorted(solutions))}", cell, framework)
        if ("fault" in cell.options) == ("sound" in cell.options):
            message = "found a mutant, expected either its fault in words or sound"
            yield _problem(message, cell, framework)
    wrong = sum("fault" in cell.options for cell in mutants)
    if wrong < FEWEST_MUTANTS:
        yield _problem(
            f"found {wrong} wrong mutants of exercise {exercise.name!r}, expected "
            f"{FEWEST_MUTANTS} at least",
            exercise.opening,
            framework,
        )


def _check_written(exercise: Exercise) -> Iterator[Problem]:
    for cell in exercise.of_grade(WRITTEN):
        rubric = cell.options.get("rubric", [])
        points, given = cell.options.get("points"), rubric_points(rubric)
        if points is not None and points != given:
            message = f"found a rubric of {given} points, expected {points}"
            yield _problem(message, cell)
