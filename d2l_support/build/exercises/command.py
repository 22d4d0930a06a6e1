"""``d2l-support exercise``: every known answer gets what it must get."""

from argparse import Namespace

from rich.console import Console
from rich.table import Table
from rich.text import Text

from d2l_support.build.check import check_section, load_section
from d2l_support.build.exercises.exercise import find_exercises
from d2l_support.build.exercises.submissions import make_submissions
from d2l_support.build.exercises.trial import Run, Trial, to_job, try_submissions
from d2l_support.build.kernels import ensure_kernels
from d2l_support.build.layout import Book, select_frameworks
from d2l_support.build.printing import print_plain
from d2l_support.build.problems import ContentError, Problem
from d2l_support.build.progress import show_execution, show_installation


def run_exercise(arguments: Namespace, book: Book, console: Console) -> int:
    """Runs worked solutions, untouched starters and planted answers.

    Each runs in a fresh kernel. The solution and the sound variants must get
    every point of the tests, the starter none, and each wrong one fewer.
    """
    runs = plan_trials(
        book, arguments.sections, arguments.framework, arguments.exercise
    )
    if not runs:
        console.print("no exercise in these sections and frameworks")
        return 0
    with show_installation(console) as report:
        ensure_kernels(book, [run.framework for _, run in runs], report)
    with show_execution([to_job(run) for run in runs], console) as table:
        trials = try_submissions(
            book, runs, arguments.jobs, arguments.timeout, table.report
        )
    show_trials(trials, console)
    return 0 if all(trial.held for trial in trials) else 1


def plan_trials(
    book: Book,
    sections: list[str],
    frameworks: list[str] | None,
    exercises: list[str] | None = None,
) -> list[Run]:
    """What is to be run: every submission of every exercise that is asked for.

    Args:
        book: The checkout.
        sections: Words that name sections; none means all.
        frameworks: Framework keys; none means all four.
        exercises: Names of exercises; none means all.

    Raises:
        CannotWork: A word names no section or framework.
        ContentError: A source has problems; nothing is run.
    """
    runs: list[Run] = []
    problems: list[Problem] = []
    for name in book.select_sections(sections):
        section = load_section(book, name)
        found = find_exercises(section)
        problems += check_section(section) if found else []
        for exercise in found:
            if exercises and exercise.name not in exercises:
                continue
            for key in select_frameworks(frameworks):
                if exercise.runs_in(key):
                    submissions = make_submissions(exercise, key)
                    runs += [(section.path, each) for each in submissions]
    if problems:
        raise ContentError(problems)
    return runs


def show_trials(trials: list[Trial], console: Console) -> None:
    """Prints one table of all trials, and below it why some do not hold."""
    table = Table("exercise", "framework", "answer", "points", "expected", "")
    for trial in trials:
        submission = trial.submission
        most = submission.exercise.test_points(submission.framework)
        mark = Text("✓", "green") if trial.held else Text("✗", "red")
        table.add_row(
            submission.exercise.name,
            submission.framework,
            submission.name,
            f"{trial.points} of {most}",
            submission.expected,
            mark,
        )
    console.print(table)
    failed = [trial for trial in trials if not trial.held]
    for trial in failed:
        print_plain(console, describe_failure(trial))
    console.print(
        f"{len(trials)} answers: {len(failed)} scored otherwise than expected"
    )


def describe_failure(trial: Trial) -> str:
    """A line on a trial that does not hold: what was found and expected."""
    submission = trial.submission
    why = f" ({trial.detail})" if trial.detail else ""
    return (
        f"{submission} ({submission.framework}): found {trial.points} points{why}, "
        f"expected {submission.expected}."
    )
