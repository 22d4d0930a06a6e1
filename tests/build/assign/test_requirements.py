"""The two files with which a student installs what a notebook imports."""

import pytest
from packaging.requirements import Requirement

from d2l_support.build.assign.requirements import (
    EXACT,
    LOOSE,
    describe_loose,
    write_requirements,
)
from d2l_support.build.digests import digest_requirements
from d2l_support.build.frameworks import ALL_KEYS
from d2l_support.build.layout import Book

BOOK = Book.find()


def list_lines(content):
    lines = content.decode().splitlines()
    return [line.partition("#")[0].strip() for line in lines if line[0] != "#"]


@pytest.mark.parametrize("framework", ALL_KEYS)
def test_write_requirements_holds_the_pins_by_which_is_graded(tmp_path, framework):
    path = tmp_path / EXACT
    path.write_bytes(write_requirements(BOOK, framework)[EXACT])
    expected = digest_requirements(BOOK.requirements(framework))
    assert digest_requirements(path) == expected


@pytest.mark.parametrize(
    ("framework", "expected"),
    [
        ("pytorch", ["matplotlib", "numpy", "torch"]),
        ("tensorflow", ["matplotlib", "tensorflow", "keras"]),
        ("jax", ["matplotlib", "jax", "flax", "optax"]),
        # The releases before this beta have no NumPy interface.
        ("mxnet", ["matplotlib", "mxnet==2.0.0b1", "numpy"]),
    ],
)
def test_write_requirements_for_colab_takes_what_is_there(framework, expected):
    lines = list_lines(write_requirements(BOOK, framework)[LOOSE])
    assert lines == expected
    assert all(map(Requirement, lines))


def test_describe_loose_names_the_release_of_the_book():
    text = describe_loose("# words\nipykernel\njax==0.10.2\n", "JAX")
    assert text.splitlines()[2:] == ["jax  # jax==0.10.2 here"]
