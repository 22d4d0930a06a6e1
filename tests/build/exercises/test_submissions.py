"""What becomes a notebook, what it must score, and what it did."""

import pytest
from nbformat import v4

from d2l_support.build.execute import Execution
from d2l_support.build.exercises.exercise import find_exercises
from d2l_support.build.exercises.submissions import make_submissions
from d2l_support.build.exercises.trial import judge_execution, to_job
from d2l_support.build.problems import Problem
from d2l_support.build.split import split_code


@pytest.fixture
def submissions(make_section):
    """The submissions of the exercise in one framework, by name."""
    (exercise,) = find_exercises(make_section())
    return {each.name: each for each in make_submissions(exercise, "jax")}


def run_by_hand(submission):
    """The notebook as a kernel would leave it."""
    notebook = submission.to_notebook()
    names = {}
    for node in notebook.cells:
        try:
            exec(node.source, names)  # noqa: S102 - our own cells
        except Exception as error:
            output = v4.new_output("error", ename=type(error).__name__)
            output.evalue, output.traceback = str(error), []
            node.outputs = [output]
    return notebook


def judge(submission, notebook=None, problem=None):
    job = to_job(("chapters/part/section-exercises.md", submission))
    return judge_execution(submission, Execution(job, 1.0, notebook, {}, problem))


def test_make_submissions_names_what_each_must_score(submissions):
    assert {name: each.expected for name, each in submissions.items()} == {
        "solution": "full",
        "starter": "nothing",
        "double-one": "less",
        "double-square": "less",
        "double-sum": "full",
    }


def test_make_submissions_puts_the_mutant_in_the_place_of_the_solution(submissions):
    cells = submissions["double-square"].to_notebook().cells
    assert [cell.id for cell in cells] == ["given", "double-answer", "double-tests"]
    assert cells[1].source == "def double(x):\n    return x * x"


@pytest.mark.parametrize(
    ("name", "points"),
    [
        ("solution", 2),
        ("starter", 0),
        ("double-one", 0),
        ("double-square", 0),
        ("double-sum", 2),
    ],
)
def test_judge_execution_counts_points(submissions, name, points):
    trial = judge(submissions[name], run_by_hand(submissions[name]))
    assert (trial.points, trial.held) == (points, True)


def test_judge_execution_of_a_wrong_answer_that_scores_all(submissions):
    trial = judge(submissions["double-one"], run_by_hand(submissions["double-sum"]))
    assert (trial.points, trial.held) == (2, False)


def test_judge_execution_of_a_wrong_answer_that_is_misspelt(submissions):
    notebook = submissions["double-one"].to_notebook()
    output = v4.new_output("error", ename="NameError", evalue="name 'y'")
    notebook.cells[1].outputs = [output]
    notebook.cells[2].outputs = [output]
    trial = judge(submissions["double-one"], notebook)
    assert not trial.held
    assert trial.detail == "cell 'double-answer' raised NameError: name 'y'"


def test_judge_execution_of_given_code_that_raises(submissions):
    notebook = submissions["double-one"].to_notebook()
    output = v4.new_output("error", ename="ValueError", evalue="no")
    notebook.cells[0].outputs = notebook.cells[2].outputs = [output]
    assert not judge(submissions["double-one"], notebook).held


@pytest.mark.parametrize(
    ("name", "code", "held"),
    [
        ("double-one", "timeout", True),
        ("double-one", "died", True),
        ("double-one", "kernel", False),
        ("solution", "timeout", False),
    ],
)
def test_judge_execution_that_did_not_end(submissions, name, code, held):
    trial = judge(submissions[name], problem=Problem(code, "found no end"))
    assert (trial.points, trial.held) == (0, held)


def test_split_code_leaves_planted_answers_out(make_section):
    cells = split_code(make_section(), "jax").cells
    assert [cell.id for cell in cells] == ["given", "double-answer", "double-tests"]


def test_find_exercises_counts_points(make_section):
    (exercise,) = find_exercises(make_section())
    assert (exercise.name, exercise.title) == ("double", "Twice as much")
    assert (exercise.test_points("jax"), exercise.written_points()) == (2, 2)
