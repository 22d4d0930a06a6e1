"""The marks and options that an exercise adds to a section's cells.

``+++ {"exercise": "clamp", "minutes": 25, "difficulty": "medium"}`` opens one.
A cell's ``grade`` says which part of the exercise it is; a cell without one is
given to the student as it stands:

========== ===================================================================
solution   code: the worked solution, with what the student writes between
           ``### BEGIN SOLUTION`` and ``### END SOLUTION``; prose: words that
           belong to it
tests      asserts worth ``points``, some between ``### BEGIN HIDDEN TESTS``
           and ``### END HIDDEN TESTS``
mutant     takes the place of the solution ``of``; with a ``fault`` in words it
           must lose points, with ``sound`` it must lose none
written    prose: a question answered in words, for ``points``, by a ``rubric``
========== ===================================================================
"""

import re
from typing import Any

SOLUTION, TESTS, MUTANT, WRITTEN = "solution", "tests", "mutant", "written"

DIFFICULTIES = ("easy", "medium", "hard")

CODE_OPTIONS = {"grade", "points", "of", "fault", "sound"}
MARKDOWN_MARKS = {"exercise", "minutes", "difficulty", "grade", "points", "rubric"}

_GRADES = {"code": (SOLUTION, TESTS, MUTANT), "markdown": (SOLUTION, WRITTEN)}
_BELONGS = {
    "points": (TESTS, WRITTEN),
    "rubric": (WRITTEN,),
    "of": (MUTANT,),
    "fault": (MUTANT,),
    "sound": (MUTANT,),
}
RUBRIC_LINE = re.compile(r"(\d+): \S.*")
"""Such as ``2: says that a fork copies the state``."""


def check_options(options: dict[str, Any], kind: str) -> None:
    """Holds the options of a cell that concern an exercise to their form.

    Args:
        options: A cell's options or marks, as read.
        kind: ``code`` or ``markdown``.

    Raises:
        ValueError: A value is none of those known, or an option is one of
            another part of an exercise.
    """
    grade = options.get("grade")
    if grade is not None and grade not in _GRADES[kind]:
        raise ValueError(
            f"found grade {grade!r}, expected one of {', '.join(_GRADES[kind])}"
        )
    for name, grades in _BELONGS.items():
        if name in options and grade not in grades:
            owners = " or ".join(grades)
            raise ValueError(f"found {name} without grade {owners}, expected both")
    for name in ("points", "minutes"):
        if name in options:
            _check_count(name, options[name])
    for name in ("minutes", "difficulty"):
        if name in options and "exercise" not in options:
            raise ValueError(f"found {name} without exercise, expected both")
    if options.get("difficulty", DIFFICULTIES[0]) not in DIFFICULTIES:
        found, known = options["difficulty"], ", ".join(DIFFICULTIES)
        raise ValueError(f"found difficulty {found!r}, expected one of {known}")
    if options.get("sound", True) is not True:
        raise ValueError(f"found sound {options['sound']!r}, expected true")
    _check_rubric(options.get("rubric", []))


def _check_count(name: str, value: Any) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ValueError(f"found {name} {value!r}, expected 1, 2, 3, ...")


def _check_rubric(rubric: Any) -> None:
    lines = rubric if isinstance(rubric, list) else [rubric]
    for line in lines:
        if not RUBRIC_LINE.fullmatch(str(line)):
            raise ValueError(
                f"found the rubric {line!r}, expected a list of lines such as "
                '"2: says that a fork copies the state"'
            )


def rubric_points(rubric: list[str]) -> int:
    """The points that the lines of a rubric add up to."""
    return sum(int(RUBRIC_LINE.fullmatch(line)[1]) for line in rubric)
