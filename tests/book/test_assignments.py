"""Every assignment that the book gives: what students get of it, and what not."""

import json

import nbformat
import pytest
from nbgrader.nbgraderformat import MetadataValidator

from d2l_support.build.assign.choice import choose_assignments
from d2l_support.build.assign.course import Course
from d2l_support.build.assign.drafting import draft_assignments
from d2l_support.build.assign.guide import write_config
from d2l_support.build.assign.notebook import TEXT_STUB
from d2l_support.build.assign.writing import write_assignments
from d2l_support.build.exercises.exercise import find_exercises
from d2l_support.build.exercises.options import MUTANT, TESTS
from d2l_support.build.exercises.regions import HIDDEN, SOLUTION, inside_regions
from d2l_support.build.exercises.shown import show_to_student
from d2l_support.build.frameworks import ALL_KEYS
from d2l_support.build.layout import Book
from d2l_support.build.record import load_record

BOOK = Book.find()
SHORTEST = 8
"""Characters of a line that says something."""


@pytest.fixture(scope="module")
def assignments():
    """Every section of exercises in every framework that has some of it."""
    return choose_assignments(BOOK, [], [*ALL_KEYS])


@pytest.fixture(scope="module")
def course(assignments, tmp_path_factory):
    """A course with all of them, made by nbgrader."""
    made = Course(tmp_path_factory.mktemp("course"))
    made.config.write_text(write_config(made))
    written = write_assignments(made, draft_assignments(BOOK, assignments))
    assert {each.state for each in written} == {"new"}, written
    return made


def read(path):
    return nbformat.read(path, as_version=4)


def list_lines(texts):
    """The lines that say something, without their margins."""
    lines = {line.strip() for text in texts for line in text.splitlines()}
    return {line for line in lines if len(line) >= SHORTEST}


def list_texts(folder):
    """Every text that a folder holds, wherever it stands in a notebook."""
    for path in folder.rglob("*"):
        if path.suffix == ".ipynb":
            yield from walk_texts(json.loads(path.read_text()))
        elif path.is_file():
            yield path.read_text()


def walk_texts(value):
    """Every text in plain data."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict):
        for part in value.values() if isinstance(value, dict) else value:
            yield from walk_texts(part)


def list_secrets(assignment, source):
    """What of an assignment no student may see: lines of solutions and tests."""
    cells = [cell for each in find_exercises(assignment.section) for cell in each.cells]
    shown = [show_to_student(cell) for cell in cells]
    visible = list_lines(
        [cell.source for cell in assignment.section.cells if not cell.grade]
        + [cell.source for cell in shown if cell]
    )
    texts = [cell.source for cell in [*cells, *source.cells]]
    regions = [
        "\n".join(inside_regions(text, name))
        for text in texts
        for name in (SOLUTION, HIDDEN)
    ]
    planted = [cell.source for cell in cells if cell.grade == MUTANT]
    words = [cell.source for cell in cells if cell.grade and not show_to_student(cell)]
    return list_lines([*regions, *planted, *words]) - visible


def test_every_exercise_is_assigned_wherever_it_can_be_done(assignments):
    assigned = {
        (exercise.name, each.framework)
        for each in assignments
        for exercise in each.exercises
    }
    sections = {each.place: each.section for each in assignments}
    expected = {
        (exercise.name, key)
        for section in sections.values()
        for exercise in find_exercises(section)
        for key in ALL_KEYS
        if exercise.runs_in(key)
    }
    assert assigned == expected
    assert len({each.name for each in assignments}) == len(assignments) > 30


def test_no_line_of_a_solution_or_hidden_test_is_released(assignments, course):
    leaks, looked_for = [], 0
    for each in assignments:
        secrets = list_secrets(each, read(course.source_notebook(each.name)))
        looked_for += len(secrets)
        assert len(secrets) > 10, each.name
        released = list_lines(list_texts(course.release(each.name)))
        found = secrets & released
        leaks += [(each.name, line) for line in found]
    assert not leaks
    assert looked_for > 1000


def test_source_and_release_agree_but_for_what_is_cut(assignments, course):
    for each in assignments:
        source = read(course.source_notebook(each.name))
        release = read(course.release_notebook(each.name))
        shown = {
            f"{each.framework}-{cell.step}": show_to_student(cell)
            for exercise in each.exercises
            for cell in exercise.cells
            if cell.step and each.framework in cell.frameworks
        }
        assert [cell.id for cell in release.cells] == [cell.id for cell in source.cells]
        for given, cut in zip(source.cells, release.cells, strict=True):
            known, name = given.metadata.nbgrader, given.metadata.nbgrader.grade_id
            assert {key: cut.metadata.nbgrader[key] for key in known} == known
            expected = given.source
            if known.solution and known.grade:
                expected = TEXT_STUB
            elif known.solution or known.grade:
                expected = shown[name].source
            assert (cut.source != given.source) == ("### BEGIN" in given.source)
            assert cut.source == expected, name


@pytest.mark.parametrize("version", ["source", "release"])
def test_each_notebook_is_valid_for_nbformat_and_nbgrader(assignments, course, version):
    for each in assignments:
        path = course.root / version / each.name / f"{each.name}.ipynb"
        notebook = nbformat.reads(path.read_text(), as_version=nbformat.NO_CONVERT)
        assert (notebook.nbformat, notebook.nbformat_minor) == (4, 5)
        nbformat.validate(notebook, relax_add_props=False)
        MetadataValidator().validate_nb(notebook)
        names = [cell.metadata.nbgrader.grade_id for cell in notebook.cells]
        assert all(name.startswith(f"{each.framework}-") for name in names)
        assert len({cell.id for cell in notebook.cells}) == len(notebook.cells)


def test_no_notebook_holds_marks_of_the_book(assignments, course):
    """Prose that a plain notebook would show as it is written in the source."""
    for each in assignments:
        for cell in read(course.release_notebook(each.name)).cells:
            if cell.cell_type == "markdown":
                for mark in ("```{", ":::{", "{doc}`", "{cite}`", "+++"):
                    assert mark not in cell.source, (each.name, mark)


def test_no_test_of_a_solution_prints_anything(assignments):
    """Nbgrader gives no points to a test that wrote to stderr, be it a warning."""
    printed = [
        (each.name, cell.id, output.get("text", output.output_type))
        for each in assignments
        for cell in load_record(BOOK, each.place, each.framework).cells
        for output in cell.outputs
        if cell.id in name_tests(each)
    ]
    assert not printed


def name_tests(assignment):
    """The steps that are tests in an assignment's framework."""
    return {
        cell.step
        for exercise in assignment.exercises
        for cell in exercise.of_grade(TESTS, assignment.framework)
    }
