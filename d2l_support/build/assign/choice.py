"""Which sections, frameworks and exercises an instructor asks for."""

import difflib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from d2l_support.build.check import check_section, load_section
from d2l_support.build.exercises.exercise import Exercise, find_exercises
from d2l_support.build.exercises.options import WRITTEN
from d2l_support.build.frameworks import ALL_KEYS
from d2l_support.build.layout import Book, SectionName
from d2l_support.build.problems import CannotWork, ContentError
from d2l_support.build.section import Section

SUFFIX = "-exercises"
"""Ends the name of a section of exercises."""


@dataclass(frozen=True)
class Assignment:
    """Exercises of one section in one framework.

    Attributes:
        place: The section's part and name.
        section: The section.
        framework: The framework key.
        exercises: Those that are assigned, in order.
    """

    place: SectionName
    section: Section
    framework: str
    exercises: tuple[Exercise, ...]

    @property
    def name(self) -> str:
        """How nbgrader names it, and its notebook."""
        return f"{self.place.name}-{self.framework}"


def choose_assignments(
    book: Book,
    words: list[str],
    frameworks: list[str],
    exercises: list[str] | None = None,
) -> list[Assignment]:
    """The assignments that the command line names.

    Args:
        book: The checkout.
        words: Sections, with or without ``-exercises``, or parts; none means all.
        frameworks: Framework keys.
        exercises: Names of exercises; none means all.

    Raises:
        CannotWork: A word names nothing, or there is nothing to assign.
        ContentError: A source has problems; nothing is written.
    """
    places = choose_sections(book, words)
    sections = {place: load_section(book, place) for place in places}
    problems = [fault for each in sections.values() for fault in check_section(each)]
    if problems:
        raise ContentError(problems)
    _check_exercises(exercises or [], sections)
    chosen = [
        Assignment(place, section, framework, found)
        for place, section in sections.items()
        for framework in frameworks
        if (found := tuple(_select(section, framework, exercises)))
    ]
    if not chosen:
        names = ", ".join(place.name for place in places)
        raise CannotWork(
            f"found nothing to assign in {', '.join(frameworks)} from {names}, "
            f"expected an exercise there; {_say_where(sections.values())}"
        )
    return chosen


def choose_sections(book: Book, words: list[str]) -> list[SectionName]:
    """The sections of exercises that words name.

    ``ste`` names every one beside that section, ``ste-exercises`` one, and
    the name of a part all of it.

    Raises:
        CannotWork: A word names no section, or one without exercises.
    """
    known = [place for place in book.sections() if place.name.endswith(SUFFIX)]
    chosen: list[SectionName] = []
    for word in words:
        found = _find_sections(word, known)
        if not found:
            raise CannotWork(_explain(word, known, book))
        chosen += [place for place in found if place not in chosen]
    return chosen if words else known


def _find_sections(word: str, known: list[SectionName]) -> list[SectionName]:
    stem = word.removesuffix(".md").rstrip("/").rpartition("/")[2]
    exact = [place for place in known if place.name == stem]
    beside = [place for place in known if place.name.startswith(f"{stem}-")]
    return exact or beside or [place for place in known if place.part == stem]


def _explain(word: str, known: list[SectionName], book: Book) -> str:
    names = [place.name.removesuffix(SUFFIX) for place in known]
    have = f"these have: {', '.join(names)}"
    if word in [place.name for place in book.sections()]:
        return f"found no exercises beside section {word!r}; {have}"
    close = difflib.get_close_matches(word, names, n=1)
    hint = f"did you mean {close[0]!r}? " if close else ""
    return f"found no section {word!r} with exercises; {hint}{have}"


def _check_exercises(wanted: list[str], sections: dict[SectionName, Section]) -> None:
    known = [each.name for one in sections.values() for each in find_exercises(one)]
    for word in wanted:
        if word not in known:
            close = difflib.get_close_matches(word, known, n=1)
            hint = f"did you mean {close[0]!r}? " if close else ""
            raise CannotWork(
                f"found no exercise {word!r}; {hint}exercises: {', '.join(known)}"
            )


def _select(
    section: Section, framework: str, wanted: list[str] | None
) -> Iterator[Exercise]:
    """The exercises that can be done in a framework: by tests or in words alone."""
    for exercise in find_exercises(section):
        if wanted and exercise.name not in wanted:
            continue
        tested = any(exercise.runs_in(key) for key in ALL_KEYS)
        in_words = not tested and exercise.of_grade(WRITTEN, framework)
        if exercise.runs_in(framework) or in_words:
            yield exercise


def _say_where(sections: Iterable[Section]) -> str:
    """Which frameworks have which exercises."""
    found = [
        f"{exercise.name} is in {', '.join(filter(exercise.runs_in, ALL_KEYS))}"
        for section in sections
        for exercise in find_exercises(section)
    ]
    return "; ".join(found)
