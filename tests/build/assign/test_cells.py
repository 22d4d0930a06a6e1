"""Cells as nbgrader's own validator wants them."""

import nbformat
import pytest
from nbformat import v4
from nbgrader.nbgraderformat import MetadataValidator

from d2l_support.build.assign import cells
from d2l_support.build.exercises.regions import HIDDEN, replace_regions

HIDING = "assert a\n  ### BEGIN HIDDEN TESTS\n  assert b\n  ### END HIDDEN TESTS\nc"


@pytest.mark.parametrize(
    ("cell", "marks"),
    [
        (cells.make_locked("code", "x", "jax-a"), {"locked"}),
        (cells.make_locked("markdown", "x", "jax-a"), {"locked"}),
        (cells.make_solution("x", "jax-a"), {"solution"}),
        (cells.make_tests("x", "jax-a", 2), {"grade", "locked", "points"}),
        (cells.make_answer("x", "jax-a", 2), {"grade", "solution", "points"}),
    ],
)
def test_each_kind_is_valid_for_nbformat_and_nbgrader(cell, marks):
    notebook = v4.new_notebook(cells=[cell])
    nbformat.validate(notebook)
    MetadataValidator().validate_nb(notebook)
    known = cell.metadata.nbgrader
    assert known.schema_version == 3
    assert known.grade_id == "jax-a" == cell.id
    kinds = ("grade", "locked", "solution", "task", "points")
    assert {mark for mark in kinds if known.get(mark)} == marks


def test_fit_id_shortens_what_nbformat_refuses():
    long, other = "tensorflow-" + 64 * "a", "tensorflow-" + 65 * "a"
    assert len(cells.fit_id(long)) == 64
    assert cells.fit_id(long) != cells.fit_id(other)
    assert cells.fit_id(64 * "a") == 64 * "a"
    nbformat.validate(v4.new_notebook(cells=[cells.make_locked("code", "x", long)]))


def test_announce_hidden_leaves_a_comment_where_the_region_is_cut():
    announced = cells.announce_hidden(HIDING)
    cut = "\n".join(
        line for line in replace_regions(announced, HIDDEN, "").splitlines() if line
    )
    assert cut == "assert a\n  # Hidden tests run here.\nc"


def test_announce_hidden_without_a_region_changes_nothing():
    assert cells.announce_hidden("assert a") == "assert a"


def test_make_helpers_installs_only_what_is_missing():
    cell = cells.make_helpers("d2l_support-1-py3-none-any.whl", "jax-helpers")
    condition, install = cell.source.splitlines()[-2:]
    assert condition == 'if importlib.util.find_spec("d2l_support") is None:'
    assert install.strip().startswith("%pip install")
    assert install.endswith(" d2l_support-1-py3-none-any.whl")
