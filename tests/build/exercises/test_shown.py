"""What is said of an exercise: points, time, and which frameworks have it."""

import pytest

from d2l_support.build.exercises.exercise import find_exercises
from d2l_support.build.exercises.shown import describe_terms
from d2l_support.build.frameworks import ALL_KEYS

TESTS = """\
```{{code-cell}} python
:framework: {}
:id: double-tests
:grade: tests
:points: 2
assert double(1) == 2
```
"""


@pytest.mark.parametrize(
    ("frameworks", "said"),
    [
        (ALL_KEYS, ""),
        (["jax"], " · in JAX"),
        (["pytorch", "mxnet"], " · in PyTorch and MXNet"),
        (["jax", "pytorch", "tensorflow"], " · in PyTorch, TensorFlow and JAX"),
    ],
)
def test_describe_terms_names_the_frameworks_if_not_all_have_it(
    make_section, frameworks, said
):
    tests = "\n".join(TESTS.format(key) for key in frameworks)
    (exercise,) = find_exercises(make_section(("tests", "", tests)))
    assert describe_terms(exercise) == (
        f"4 points (2 by tests, 2 for words) · about 5 minutes · easy{said}"
    )
