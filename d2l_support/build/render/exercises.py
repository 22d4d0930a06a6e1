"""Arranges the cells of exercises in the order in which a page shows them.

The student sees the starter where the author wrote the solution, and the
tests without the hidden ones. The worked solution stands below the tests, in
sphinx-exercise's ``solution``, which the module ``solutions`` folds; the edition
for students has none.
"""

import os
from collections.abc import Iterator
from dataclasses import replace

from sphinx.application import Sphinx
from sphinx.config import Config

from d2l_support.build.exercises.exercise import Exercise, find_exercises
from d2l_support.build.exercises.options import SOLUTION, WRITTEN
from d2l_support.build.exercises.regions import drop_edges
from d2l_support.build.exercises.shown import (
    describe_terms,
    show_answer,
    show_to_student,
)
from d2l_support.build.section import Cell, Section

VARIABLE = "D2L_STUDENT"
"""In the environment, anything but nothing asks for the students' edition."""

STARTER = "{step}-starter"


def choose_edition(app: Sphinx) -> None:
    """Registers ``student_edition``; another edition reads every page anew."""
    default = bool(os.environ.get(VARIABLE))
    app.add_config_value("student_edition", default, "env", bool)
    app.connect("config-inited", _hide_sources)


def _hide_sources(app: Sphinx, config: Config) -> None:
    """Keeps the sources, which hold every solution, out of students' pages."""
    if config.student_edition:
        config.html_copy_source = False
        config.html_show_sourcelink = False


def arrange_exercises(section: Section, student: bool = False) -> Section:
    """The section as a page shows it; one without exercises as it is.

    Args:
        section: A section.
        student: Whether solutions are left out.
    """
    exercises = find_exercises(section)
    if not exercises:
        return section
    first = next(n for n, c in enumerate(section.cells) if c is exercises[0].opening)
    shown = [*section.cells[:first]]
    for exercise in exercises:
        shown += _arrange(exercise, student)
    return replace(section, cells=tuple(shown))


def _arrange(exercise: Exercise, student: bool) -> Iterator[Cell]:
    answers = {cell.step for cell in exercise.of_grade(SOLUTION) if cell.step}
    folded: list[Cell] = []
    yield exercise.opening
    terms = f"```{{div}} exercise-terms\n{describe_terms(exercise)}\n```"
    yield _words(terms, exercise.opening)
    for cell in exercise.cells:
        if cell.grade == SOLUTION:
            folded.append(replace(cell, source=drop_edges(cell.source)))
        if cell.grade == WRITTEN:
            folded.append(_words(show_answer(cell), cell))
        shown = show_to_student(cell)
        if shown and shown.step in answers:
            shown = replace(shown, step=STARTER.format(step=shown.step))
        if shown:
            yield shown
    if folded and not student:
        start = f"```{{solution-start}} {exercise.name}\n"
        label = f":label: {exercise.name}-solution\n```"
        yield _words(start + label, folded[0])
        yield from folded
        yield _words("```{solution-end}\n```", folded[-1])


def _words(text: str, near: Cell) -> Cell:
    """Prose of ours, which warnings place at a cell of the author's."""
    return Cell("markdown", text, near.line)
