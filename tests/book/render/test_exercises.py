"""What a page shows of an exercise, and what the students' edition leaves out."""

import pytest

from d2l_support.build.frameworks import ALL_KEYS

BODY = """
Words before.

+++ {"exercise": "double", "minutes": 5, "difficulty": "easy"}

## Twice as much

```{exercise}
:label: double

Write `double`.
```

```{code-cell} python
:id: double-answer
:grade: solution
def double(x):
    ### BEGIN SOLUTION
    secret_product = 2 * x
    return secret_product
    ### END SOLUTION
```

```{code-cell} python
:id: double-tests
:grade: tests
:points: 2
assert double(1) == 2
### BEGIN HIDDEN TESTS
assert double(concealed) == 6
### END HIDDEN TESTS
```

+++ {"grade": "solution"}

The secretword is a product.

+++

```{code-cell} python
:id: double-one
:grade: mutant
:of: double-answer
:fault: always two
def double(x):
    return planted
```

```{code-cell} python
:id: double-square
:grade: mutant
:of: double-answer
:fault: the square
def double(x):
    return planted * x
```

+++ {"grade": "written", "id": "double-why", "points": 1, "rubric": ["1: rubricword"]}

Why twice?

### BEGIN SOLUTION
Because of answerword.
### END SOLUTION
"""

SECRETS = ("secret_product", "secretword", "answerword", "rubricword")
NEVER = ("concealed", "planted", "BEGIN SOLUTION", "BEGIN HIDDEN")


@pytest.fixture
def exercise_book(small_book):
    """The small book with one exercise, and with copied sources."""
    conf = (small_book.root / "conf.py").read_text()
    small_book.write("conf.py", conf.replace("html_copy_source = False\n", ""))
    small_book.write_section(BODY)
    small_book.record()
    return small_book


def code_of(tab):
    """The lines of code that a tab shows."""
    return tab.select_one(".cell_input").get_text().strip().splitlines()


def test_page_shows_the_starter_and_folds_the_solution(exercise_book):
    built = exercise_book.build()
    assert built.warnings == []
    page = built.page()
    assert page.select_one(".exercise .title, .exercise .admonition-title")
    for key in ALL_KEYS:
        assert code_of(built.tab("double-answer-starter", key)) == [
            "def double(x):",
            '    raise NotImplementedError("your answer")',
        ]
        assert built.output("double-answer-starter", key) is None
        assert "secret_product" in built.tab("double-answer", key).get_text()
        assert built.output("double-answer", key) == f"{key} printed double-answer"
    solution = page.select_one("details.solution:not([open])#double-solution")
    assert solution.select_one("#step-double-answer")
    assert not page.select_one("#step-double-answer-starter").find_parent(
        class_="solution"
    )
    assert all(word in solution.get_text() for word in SECRETS)


def test_page_shows_terms_and_visible_tests(exercise_book):
    built = exercise_book.build()
    terms = built.page().select_one(".exercise-terms").get_text().strip()
    assert terms == "3 points (2 by tests, 1 for words) · about 5 minutes · easy"
    assert code_of(built.tab("double-tests", "jax")) == [
        "# 2 points",
        "assert double(1) == 2",
        "# Hidden tests run here.",
    ]
    text = built.page().get_text()
    assert "In words (1 point). Why twice?" in text
    assert not [word for word in NEVER if word in text]


def test_students_edition_holds_no_solution_in_any_file(exercise_book, monkeypatch):
    monkeypatch.setenv("D2L_STUDENT", "1")
    built = exercise_book.build()
    assert built.warnings == []
    assert "NotImplementedError" in built.page().get_text()
    assert built.output("double-tests", "jax") is None
    files = [path for path in built.out.rglob("*") if path.is_file()]
    assert any(path.name == "searchindex.js" for path in files)
    for path in files:
        if path.suffix in (".html", ".js", ".txt", ".md", ".ipynb", ".inv"):
            text = path.read_text(encoding="utf-8", errors="replace")
            assert not [word for word in (*SECRETS, *NEVER) if word in text], path


def test_students_edition_after_the_other_reads_every_page_anew(
    exercise_book, monkeypatch
):
    assert "secret_product" in exercise_book.build().page().get_text()
    monkeypatch.setenv("D2L_STUDENT", "1")
    assert "secret_product" not in exercise_book.build().page().get_text()
