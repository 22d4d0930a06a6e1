"""What stands between nbgrader's comments."""

import pytest

from d2l_support.build.exercises.regions import (
    HIDDEN,
    SOLUTION,
    drop_edges,
    find_regions,
    inside_regions,
    make_starter,
    replace_regions,
)

ANSWER = (
    "def f(x):\n"
    "    ### BEGIN SOLUTION\n"
    "    y = 2 * x\n"
    "\n"
    "    return y\n"
    "    ### END SOLUTION\n"
    "print(f(1))"
)


def test_make_starter_keeps_what_is_outside():
    assert make_starter(ANSWER) == (
        'def f(x):\n    raise NotImplementedError("your answer")\nprint(f(1))'
    )


def test_make_starter_replaces_each_of_two_regions():
    twice = f"{ANSWER}\n{ANSWER}"
    assert make_starter(twice) == f"{make_starter(ANSWER)}\n{make_starter(ANSWER)}"


def test_replace_regions_leaves_regions_of_another_name():
    assert replace_regions(ANSWER, HIDDEN, "# hidden") == ANSWER


def test_drop_edges_keeps_the_solution():
    assert drop_edges(ANSWER) == (
        "def f(x):\n    y = 2 * x\n\n    return y\nprint(f(1))"
    )


def test_inside_regions_gives_the_lines_alone():
    assert inside_regions(ANSWER, SOLUTION) == ["    y = 2 * x", "", "    return y"]


def test_find_regions_of_a_whole_cell_has_no_fault():
    regions, faults = find_regions(ANSWER)
    assert [tuple(region) for region in regions] == [("SOLUTION", 1, 5)]
    assert faults == []


@pytest.mark.parametrize(
    ("source", "line", "message"),
    [
        ("### BEGIN SOLUTION\nx = 1", 0, "found BEGIN SOLUTION without an end"),
        ("x = 1\n### END SOLUTION", 1, "found END SOLUTION with no beginning"),
        (
            "### BEGIN SOLUTION\n### BEGIN SOLUTION\n### END SOLUTION",
            1,
            "found BEGIN SOLUTION inside SOLUTION",
        ),
        (
            "### BEGIN SOLUTION\n### END HIDDEN TESTS\n### END SOLUTION",
            1,
            "found END HIDDEN TESTS inside SOLUTION",
        ),
        (
            "# BEGIN SOLUTION",
            0,
            "found '# BEGIN SOLUTION', expected '### BEGIN SOLUTION' alone",
        ),
    ],
)
def test_find_regions_with_a_fault(source, line, message):
    _, faults = find_regions(source)
    assert (line, message) in [tuple(fault) for fault in faults]
