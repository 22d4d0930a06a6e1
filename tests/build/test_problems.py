"""A problem reads ``path:line: cell 'id' (framework): what. Run: command``."""

from pathlib import Path

import pytest

from d2l_support.build.problems import BookError, CannotWork, ContentError, Problem


@pytest.mark.parametrize(
    ("where", "text"),
    [
        ({}, "found x."),
        ({"path": Path("a/b.md")}, "a/b.md: found x."),
        ({"path": Path("a/b.md"), "line": 7}, "a/b.md:7: found x."),
        ({"cell": "seed"}, "cell 'seed': found x."),
        ({"framework": "jax"}, "(jax): found x."),
        (
            {"path": Path("b.md"), "line": 7, "cell": "seed", "framework": "jax"},
            "b.md:7: cell 'seed' (jax): found x.",
        ),
        (
            {"path": Path("b.md"), "run": "d2l-support record b"},
            "b.md: found x. Run: d2l-support record b",
        ),
    ],
)
def test_problem_names_the_place_as_far_as_it_is_known(where, text):
    assert str(Problem("code", "found x", **where)) == text


def test_at_fills_in_the_place_and_leaves_the_first_problem():
    problem = Problem("code", "found x", line=3)
    assert str(problem.at(path=Path("b.md"))) == "b.md:3: found x."
    assert problem.path is None


def test_content_error_lists_every_problem_on_a_line():
    problems = (Problem("a", "found x", line=1), Problem("b", "found y", line=2))
    error = ContentError(iter(problems))
    assert error.problems == problems
    assert str(error) == "1: found x.\n2: found y."


@pytest.mark.parametrize(("kind", "code"), [(ContentError, 1), (CannotWork, 2)])
def test_exit_code_tells_content_from_the_machine(kind, code):
    assert issubclass(kind, BookError)
    assert kind.exit_code == code
