"""Which file counts, and which student it belongs to."""

from pathlib import Path

import pytest

from d2l_support.build.grading.choosing import is_copy
from d2l_support.build.grading.finding import Refusal
from d2l_support.build.grading.intake import check_name, name_student


@pytest.mark.parametrize(
    "name",
    [
        "seeds-jax.ipynb",
        "Seeds-JAX.ipynb",
        "seeds-jax (1).ipynb",
        "seeds-jax(12).ipynb",
        "seeds-jax-Copy1.ipynb",
        "seeds-jax-Copy1 (2).ipynb",
        "Copy of seeds-jax.ipynb",
        "Copy of Copy of seeds-jax (3).ipynb",
    ],
)
def test_is_copy_of_known_forms(name):
    assert is_copy(Path(name), "seeds-jax")


@pytest.mark.parametrize(
    "name", ["seeds-jax-2.ipynb", "my seeds-jax.ipynb", ".ipynb", "seeds-mxnet.ipynb"]
)
def test_is_copy_of_others_is_not(name):
    assert not is_copy(Path(name), "seeds-jax")


def test_name_student_prefers_the_gradebook():
    assert name_student("ADA", ["ada", "bob"]) == "ada"
    assert name_student("ADA", ["ada", "ADA"]) == "ADA"
    assert name_student("Ada", ["ada", "ADA"]) == "ada"
    assert name_student("Änne", ["A\u0308nne"]) == "A\u0308nne"
    assert name_student("Bob", []) == "bob"


@pytest.mark.parametrize("name", ["ada", "Müller, Anna", "o'brien", "a b", "x[1]", "7"])
def test_check_name_usual_is_accepted(name):
    check_name(name)


@pytest.mark.parametrize("name", ["=x", "+x", "@x", "x ", "\x1b[31m", "\udc80", "..x"])
def test_check_name_odd_is_refused(name):
    with pytest.raises(Refusal, match="rename the folder"):
        check_name(name)
