"""A checkout with a section of exercises, and a course for its assignments."""

from collections.abc import Callable
from pathlib import Path

import pytest

from d2l_support.build.assign.choice import Assignment, choose_assignments
from d2l_support.build.assign.notebook import build_notebook
from d2l_support.build.assign.writing import Draft
from d2l_support.build.frameworks import ALL_KEYS
from d2l_support.build.layout import Book

DOUBLE = """\
---
file_format: mystnb
---

# Exercises

Words for everybody; see {doc}`section`.

```{code-cell} python
:framework: [pytorch, tensorflow, mxnet]
:id: given
limit = 3
```

```{code-cell} python
:framework: jax
:id: given
limit = 4
```

Words between.

+++ {"exercise": "double", "minutes": 5, "difficulty": "easy"}

## Twice as much

```{exercise}
:label: double

Write `double`.
```

+++ {"framework": "jax"}

In JAX it is as easy.

+++

```{code-cell} python
:id: double-answer
:grade: solution
def double(x):
    ### BEGIN SOLUTION
    return 2 * x
    ### END SOLUTION
```

```{code-cell} python
:id: double-tests
:grade: tests
:points: 2
assert double(1) == 2
### BEGIN HIDDEN TESTS
assert double(limit) == 2 * limit
### END HIDDEN TESTS
```

+++ {"grade": "solution"}

A sum would do.

+++

```{code-cell} python
:id: double-one
:grade: mutant
:of: double-answer
:fault: always two
def double(x):
    return 2
```

```{code-cell} python
:id: double-square
:grade: mutant
:of: double-answer
:fault: the square
def double(x):
    return x * x
```

+++ {"grade": "written", "id": "double-why", "points": 2, "rubric": ["2: says it"]}

Why twice?

### BEGIN SOLUTION
A sum is a product.
### END SOLUTION

+++ {"exercise": "half", "minutes": 5, "difficulty": "easy"}

## Half as much

```{exercise}
:label: half

Write `half`.
```

+++ {"framework": "mxnet", "id": "half-answer"}

MXNet has no half, because this book is small.

+++

```{code-cell} python
:framework: [pytorch, tensorflow, jax]
:id: half-answer
:grade: solution
def half(x):
    ### BEGIN SOLUTION
    return x / 2
    ### END SOLUTION
```

+++ {"framework": "mxnet", "id": "half-tests"}

There is nothing to test.

+++

```{code-cell} python
:framework: [pytorch, tensorflow, jax]
:id: half-tests
:grade: tests
:points: 3
assert half(4) == 2
```

```{code-cell} python
:framework: [pytorch, tensorflow, jax]
:id: half-two
:grade: mutant
:of: half-answer
:fault: always two
def half(x):
    return 3
```

```{code-cell} python
:framework: [pytorch, tensorflow, jax]
:id: half-double
:grade: mutant
:of: half-answer
:fault: twice as much
def half(x):
    return 2 * x
```
"""

ONLY_HALF = DOUBLE.partition('+++ {"exercise": "double"')[0] + (
    '+++ {"exercise": "half"' + DOUBLE.partition('+++ {"exercise": "half"')[2]
)


@pytest.fixture
def exercise_book(tiny_book: Book) -> Book:
    """The small checkout with exercises beside ``section`` and ``other``.

    ``section-more-exercises`` has one that MXNet lacks, and nothing else.
    """
    files = {
        "chapters/part/section-exercises.md": DOUBLE,
        "chapters/part/section-more-exercises.md": ONLY_HALF,
        "chapters/part/other-exercises.md": DOUBLE,
        "chapters/part/lonely.md": "---\nfile_format: mystnb\n---\n\n# Lonely\n",
        "_toc.yml": (
            "format: jb-book\nroot: index\nchapters:\n- file: chapters/part/section\n"
        ),
        "_config.yml": "title: A book\n",
        "index.md": "# A book\n",
        "references.bib": "",
        **{
            f"requirements/{key}.in": f"# The kernel.\nipykernel\nnumpy\n{key}==2.0.0\n"
            for key in ALL_KEYS
        },
    }
    for name, text in files.items():
        path = tiny_book.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tiny_book


@pytest.fixture
def choose(exercise_book: Book) -> Callable[..., Assignment]:
    """A function that gives the assignment of ``section`` in a framework."""

    def choose(framework: str = "jax", *exercises: str) -> Assignment:
        (assignment,) = choose_assignments(
            exercise_book, ["section-exercises"], [framework], list(exercises)
        )
        return assignment

    return choose


@pytest.fixture
def draft(choose: Callable[..., Assignment]) -> Callable[..., Draft]:
    """A function that drafts the same, with prose as it stands."""

    def draft(framework: str = "jax", *exercises: str) -> Draft:
        assignment = choose(framework, *exercises)
        notebook = build_notebook(assignment, lambda cell: cell.source)
        return Draft(assignment.name, notebook, {"requirements.txt": b"numpy\n"})

    return draft


@pytest.fixture
def edit_exercises(exercise_book: Book) -> Callable[[str, str], Path]:
    """A function that changes the source of ``section-exercises``."""

    def edit(old: str, new: str) -> Path:
        path = exercise_book.root / "chapters/part/section-exercises.md"
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new), encoding="utf-8")
        return path

    return edit
