"""An assignment's notebook: what stands in it, in which cell, in which order."""

import nbformat
import pytest
from nbgrader.nbgraderformat import MetadataValidator

from d2l_support.build.assign.choice import choose_assignments
from d2l_support.build.assign.notebook import (
    build_notebook,
    digest_notebook,
    uses_helpers,
)
from d2l_support.build.frameworks import ALL_KEYS
from d2l_support.build.problems import ContentError


def by_name(notebook):
    return {cell.metadata.nbgrader.grade_id: cell for cell in notebook.cells}


@pytest.fixture
def notebook(draft):
    return draft("jax").notebook


def test_build_notebook_names_each_cell_by_framework_and_step(notebook):
    assert [*by_name(notebook)] == [
        "jax-opening",
        "jax-given",
        "jax-given-after",
        "jax-double-statement",
        "jax-double-answer",
        "jax-double-tests",
        "jax-double-why-question",
        "jax-double-why",
        "jax-half-statement",
        "jax-half-answer",
        "jax-half-tests",
    ]


@pytest.mark.parametrize("framework", ALL_KEYS)
def test_build_notebook_is_valid_for_nbformat_and_nbgrader(draft, framework):
    notebook = draft(framework).notebook
    nbformat.validate(notebook)
    assert (notebook.nbformat, notebook.nbformat_minor) == (4, 5)
    MetadataValidator().validate_nb(notebook)
    assert notebook.metadata.kernelspec.name == f"d2l-{framework}"
    assert notebook.metadata.book.framework == framework
    assert notebook.metadata.book.section == "part/section-exercises"


def test_build_notebook_locks_what_is_given(notebook):
    cells = by_name(notebook)
    assert cells["jax-given"].source == "limit = 4"
    written = {"jax-double-answer", "jax-half-answer", "jax-double-why"}
    for name, cell in cells.items():
        assert cell.metadata.nbgrader.locked == (name not in written)


def test_build_notebook_holds_the_prose_of_its_framework(draft):
    jax, mxnet = (draft(key).notebook for key in ("jax", "mxnet"))
    statement = by_name(jax)["jax-double-statement"].source
    assert statement.startswith("## Twice as much")
    assert statement.endswith("In JAX it is as easy.")
    assert "*4 points (2 by tests, 2 for words) · about 5 minutes · easy*" in statement
    assert "JAX" not in by_name(mxnet)["mxnet-double-statement"].source


def test_build_notebook_says_how_to_hand_in(notebook):
    opening = by_name(notebook)["jax-opening"].source
    assert opening.startswith("# Exercises\n\nWords for everybody")
    assert "`section-exercises-jax.ipynb`" in opening
    assert 'raise NotImplementedError("your answer")' in opening
    assert "Write your answer here." in opening


def test_build_notebook_passes_all_prose_through_to_plain(choose):
    seen = []

    def to_plain(cell):
        seen.append(cell.source)
        return cell.source.upper()

    notebook = build_notebook(choose("jax"), to_plain)
    cells = by_name(notebook)
    assert "WORDS FOR EVERYBODY" in cells["jax-opening"].source
    assert "IN JAX IT IS AS EASY" in cells["jax-double-statement"].source
    assert "WHY TWICE?" in cells["jax-double-why-question"].source
    assert "A SUM IS A PRODUCT." in cells["jax-double-why"].source
    assert not any("BEGIN SOLUTION" in source for source in seen)


def test_build_notebook_shows_points_where_they_are_given(notebook):
    cells = by_name(notebook)
    assert cells["jax-double-tests"].source.startswith("# 2 points\nassert double(1)")
    assert cells["jax-double-tests"].metadata.nbgrader.points == 2
    question = cells["jax-double-why-question"].source
    assert question == "**In words (2 points).** Why twice?\n\n- 2 points: says it"
    assert cells["jax-double-why"].metadata.nbgrader.points == 2


def test_build_notebook_leaves_out_mutants_and_words_on_solutions(notebook):
    text = "\n".join(cell.source for cell in notebook.cells)
    assert "return x * x" not in text
    assert "A sum would do." not in text


def test_build_notebook_of_one_exercise(draft):
    names = [*by_name(draft("jax", "half").notebook)]
    assert names[-3:] == ["jax-half-statement", "jax-half-answer", "jax-half-tests"]
    assert "jax-given" in names
    assert not any("double" in name for name in names)


def test_build_notebook_with_two_cells_of_a_name_is_a_problem(choose, edit_exercises):
    edit_exercises(":id: given", ":id: double-statement")
    with pytest.raises(ContentError, match="cell 'jax-double-statement': found two"):
        build_notebook(choose("jax"), lambda cell: cell.source)


@pytest.mark.parametrize("step", ["given", "half-answer"])
def test_uses_helpers_where_a_cell_names_them(exercise_book, edit_exercises, step):
    path = exercise_book.root / "chapters/part/section-exercises.md"
    words = ["section-exercises"]
    before = choose_assignments(exercise_book, words, [*ALL_KEYS])
    assert not any(map(uses_helpers, before))
    head, found, rest = path.read_text().rpartition(f":id: {step}\n")
    lines = rest.splitlines()
    place = next(n for n, line in enumerate(lines) if not line.startswith(":"))
    lines.insert(place, "from d2l_support import jax")
    path.write_text(head + found + "\n".join(lines) + "\n")
    after = choose_assignments(exercise_book, words, ["jax"])
    assert all(map(uses_helpers, after))


def test_uses_helpers_does_not_look_at_planted_answers(edit_exercises, choose):
    edit_exercises("    return 3\n", "    import d2l_support\n    return 3\n")
    assert not uses_helpers(choose("jax"))


def test_build_notebook_installs_the_wheel_before_any_code(choose):
    notebook = build_notebook(choose("jax"), lambda cell: cell.source, "helpers.whl")
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert code[0].metadata.nbgrader.grade_id == "jax-helpers"
    assert "helpers.whl" in code[0].source


def test_digest_notebook_does_not_count_what_jupyter_adds(notebook):
    before = digest_notebook(notebook)
    assert notebook.metadata.book.digest == before
    notebook.cells[1].outputs = [nbformat.v4.new_output("stream", text="4")]
    notebook.cells[1].execution_count = 1
    notebook.metadata["widgets"] = {}
    notebook.cells[0].metadata["collapsed"] = True
    assert digest_notebook(notebook) == before


def test_digest_notebook_counts_sources_points_and_order(notebook):
    before = digest_notebook(notebook)
    notebook.cells[5].metadata.nbgrader.points = 3
    assert digest_notebook(notebook) != before
    notebook.cells[5].metadata.nbgrader.points = 2
    assert digest_notebook(notebook) == before
    notebook.cells[1].source += " "
    assert digest_notebook(notebook) != before
