"""What `d2l-support check` finds in exercises."""

import pytest

from d2l_support.build.check import check_section
from d2l_support.build.problems import ContentError

SOME = ("python\n", "python\n:framework: pytorch, tensorflow, jax\n")
MUTANTS = ("one", "other", "sound")


def test_check_section_finds_nothing_in_a_whole_exercise(make_section):
    assert check_section(make_section()) == []


@pytest.mark.parametrize(
    ("part", "old", "new", "message"),
    [
        ("tests", "", "", "found exercise 'double' without tests"),
        ("tests", ":points: 2\n", "", "found tests without points"),
        ("written", '"points": 2, ', "", "found written without points"),
        ("solution", "    ### END SOLUTION\n", "", "BEGIN SOLUTION without an end"),
        ("tests", "### END HIDDEN TESTS\n", "", "BEGIN HIDDEN TESTS without an end"),
        ("tests", "HIDDEN TESTS", "SOLUTION", "SOLUTION in a cell of grade tests"),
        (
            "one",
            "double-answer",
            "tripled",
            "found a mutant of 'tripled', expected one",
        ),
        ("one", ":fault: always two\n", "", "expected either its fault in words or s"),
        ("one", "", "", "found 1 wrong mutants of exercise 'double', expected 2"),
        ("one", "fault: always two", "sound: true", "found 1 wrong mutants"),
        ("opening", '"minutes": 5, ', "", "found no minutes, expected one in exercise"),
        ("opening", ', "difficulty": "easy"', "", "found no difficulty, expected one"),
        ("opening", "## Twice", "Twice", "found no heading (##)"),
        ("opening", ":label: double", ":label: other", "found no statement"),
        ("opening", "", "", "found grade solution in no exercise"),
        (
            "written",
            '"1: names the sum", ',
            "",
            "found a rubric of 1 points, expected 2",
        ),
        ("solution", "### BEGIN SOLUTION\n    return 2 * x\n    ###", "###", "no begi"),
    ],
)
def test_check_section_with_a_fault(make_section, part, old, new, message):
    found = [str(problem) for problem in check_section(make_section((part, old, new)))]
    assert any(message in text for text in found), found


def test_check_section_with_an_exercise_twice(make_section):
    again = '+++ {"exercise": "double", "minutes": 5, "difficulty": "easy"}\n\n## A\n'
    found = [str(p) for p in check_section(make_section(("written", "", again)))]
    assert any("found the exercise 'double' 2 times" in text for text in found)


def test_check_section_names_the_line_of_a_region(make_section):
    section = make_section(("solution", "    ### END SOLUTION\n", ""))
    [problem] = [p for p in check_section(section) if "without an end" in str(p)]
    (cell,) = [cell for cell in section.cells if cell.step == "double-answer"]
    # The fence, two options, the first line of code.
    assert problem.line == cell.line + 4


def test_check_section_with_a_framework_that_has_no_solution(make_section):
    section = make_section(("solution", *SOME), ("tests", *SOME))
    found = [str(problem) for problem in check_section(section)]
    assert any(
        "(mxnet): found no solution of exercise 'double', expected one, or a word "
        'on why there is none, after +++ {"framework": "mxnet", "id": '
        '"double-answer"}' in text
        for text in found
    )


def test_check_section_with_a_framework_that_says_why_it_has_none(make_section):
    words = '```\n\n+++ {{"framework": "mxnet", "id": "double-{}"}}\n\nIt cannot.\n'
    section = make_section(
        *((part, *SOME) for part in ("solution", "tests", *MUTANTS)),
        ("solution", "```\n", words.format("answer")),
        ("tests", "```\n", words.format("tests")),
    )
    assert check_section(section) == []


def test_check_section_with_other_points_in_a_framework(make_section):
    more = "```\n\n```{code-cell} python\n:framework: mxnet\n:id: double-tests\n"
    more += ":grade: tests\n:points: 3\nassert double(1) == 2\n```\n"
    section = make_section(("tests", *SOME), ("tests", "```\n", more))
    found = [str(problem) for problem in check_section(section)]
    assert any("(mxnet): found 3 points, expected 2" in text for text in found)


def test_check_section_with_mutants_in_some_frameworks_only(make_section):
    found = [str(p) for p in check_section(make_section(("other", *SOME)))]
    assert len(found) == 1
    assert "(mxnet): found 1 wrong mutants" in found[0]


@pytest.mark.parametrize(
    ("part", "old", "new", "message"),
    [
        ("tests", "grade: tests", "grade: test", "found grade 'test', expected one"),
        ("tests", "points: 2", "points: 0", "found points 0, expected 1, 2, 3"),
        ("tests", "points: 2", "points: true", "found points True, expected 1, 2"),
        ("solution", ":grade: solution", ":grade: solution\n:points: 1", "points wit"),
        ("one", ":grade: mutant\n", "", "found of without grade mutant"),
        ("sound", "sound: true", "sound: maybe", "found sound 'maybe', expected true"),
        ("opening", '"easy"', '"simple"', "found difficulty 'simple', expected one"),
        ("opening", "5", '"five"', "found minutes 'five', expected 1, 2, 3"),
        ("opening", '"exercise": "double", ', "", "minutes without exercise"),
        ("written", '"1: names the sum"', '"the sum"', "found the rubric 'the sum'"),
    ],
)
def test_read_section_with_an_option_that_is_none(
    make_section, part, old, new, message
):
    with pytest.raises(ContentError) as raised:
        make_section((part, old, new))
    assert message in str(raised.value)
