"""What an instructor's words choose."""

import pytest

from d2l_support.build.assign.choice import choose_assignments, choose_sections
from d2l_support.build.frameworks import ALL_KEYS
from d2l_support.build.problems import CannotWork, ContentError

BESIDE = ["section-exercises", "section-more-exercises"]


def names(places):
    return [place.name for place in places]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ([], ["other-exercises", *BESIDE]),
        (["section"], BESIDE),
        (["section-exercises"], ["section-exercises"]),
        (["section-more"], ["section-more-exercises"]),
        (["section-more", "section"], [BESIDE[1], BESIDE[0]]),
        (["part"], ["other-exercises", *BESIDE]),
        (["chapters/part/section-exercises.md"], ["section-exercises"]),
    ],
)
def test_choose_sections_takes_words(exercise_book, words, expected):
    assert names(choose_sections(exercise_book, words)) == expected


def test_choose_sections_of_an_unknown_word_suggests_one(exercise_book):
    with pytest.raises(
        CannotWork,
        match=r"found no section 'secton' with exercises; did you mean 'section'\? "
        "these have: other, section, section-more",
    ):
        choose_sections(exercise_book, ["secton"])


def test_choose_sections_of_a_section_without_exercises_says_which_have(exercise_book):
    with pytest.raises(
        CannotWork,
        match="found no exercises beside section 'lonely'; these have: other",
    ):
        choose_sections(exercise_book, ["lonely"])


def test_choose_assignments_makes_one_for_each_section_and_framework(exercise_book):
    chosen = choose_assignments(exercise_book, ["section"], ["jax", "mxnet"])
    assert [each.name for each in chosen] == [
        "section-exercises-jax",
        "section-exercises-mxnet",
        "section-more-exercises-jax",
    ]
    by_name = {each.name: [one.name for one in each.exercises] for each in chosen}
    assert by_name["section-exercises-jax"] == ["double", "half"]
    assert by_name["section-exercises-mxnet"] == ["double"]


def test_choose_assignments_of_some_exercises(exercise_book):
    (one,) = choose_assignments(exercise_book, ["section-exercises"], ["jax"], ["half"])
    assert [exercise.name for exercise in one.exercises] == ["half"]


def test_choose_assignments_of_an_unknown_exercise_suggests_one(exercise_book):
    with pytest.raises(
        CannotWork, match=r"no exercise 'halve'; did you mean 'half'\? exercises: dou"
    ):
        choose_assignments(exercise_book, ["section"], ["jax"], ["halve"])


def test_choose_assignments_with_nothing_in_a_framework_says_where_it_is(exercise_book):
    with pytest.raises(
        CannotWork,
        match="found nothing to assign in mxnet from section-more-exercises, expected "
        "an exercise there; half is in pytorch, tensorflow, jax",
    ):
        choose_assignments(exercise_book, ["section-more"], ["mxnet"])


def test_choose_assignments_of_a_faulty_section_makes_none(
    exercise_book, edit_exercises
):
    edit_exercises(":points: 2\n", "")
    with pytest.raises(ContentError, match="found tests without points"):
        choose_assignments(exercise_book, ["section"], [*ALL_KEYS])


def test_choose_assignments_takes_a_question_without_code(
    exercise_book, edit_exercises
):
    path = edit_exercises("# Exercises", "# Exercises")
    head, mark, rest = path.read_text().partition('+++ {"exercise": "double"')
    opening, _, rest = (mark + rest).partition("```{code-cell}")
    question = rest[rest.index('+++ {"grade": "written"') :]
    question = question.partition('+++ {"exercise": "half"')[0]
    path.write_text(head + opening + question, encoding="utf-8")
    (one,) = choose_assignments(exercise_book, ["section-exercises"], ["mxnet"])
    assert [exercise.name for exercise in one.exercises] == ["double"]
