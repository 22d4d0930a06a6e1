"""``d2l-support grade``: an nbgrader course, graded in one command."""

import os
from argparse import ArgumentParser, Namespace
from pathlib import Path

from rich.console import Console

from d2l_support.build.files import write_whole
from d2l_support.build.isolation.outcome import Limits
from d2l_support.build.kernels import ensure_kernels
from d2l_support.build.layout import Book
from d2l_support.build.numbers import positive, positive_whole
from d2l_support.build.printing import print_plain
from d2l_support.build.progress import show_installation
from d2l_support.build.scripts import path_with_scripts, require_nbgrader

MIB = 2**20
USUAL = Limits()


def add_options(parser: ArgumentParser) -> None:
    """Adds the options of ``d2l-support grade``."""
    parser.add_argument("course", metavar="COURSE", type=Path, help="its folder")
    parser.add_argument(
        "--assignment",
        action="append",
        metavar="NAME",
        help="one assignment; may be given again; all if none is given",
    )
    parser.add_argument(
        "--again", action="store_true", help="grade also what is unchanged"
    )
    parser.add_argument(
        "--jobs",
        type=positive_whole,
        default=os.cpu_count() or 1,
        metavar="N",
        help="notebooks at a time (default: the cores, %(default)s here)",
    )
    parser.add_argument(
        "--address",
        metavar="tcp://HOST:PORT",
        help="run them on the workers of this Dask scheduler",
    )
    parser.add_argument(
        "--isolation",
        choices=("auto", "sandbox", "process"),
        default="auto",
        help="sandbox: bubblewrap, or nothing is run; auto: a sandbox where one works",
    )
    for name, usual, unit in (
        ("cell-seconds", USUAL.cell_seconds, "seconds for one cell"),
        ("seconds", USUAL.seconds, "seconds for one notebook"),
        ("memory", USUAL.memory / MIB, "MiB of a kernel and what it starts"),
        ("output", USUAL.output / MIB, "MiB of a notebook's outputs"),
    ):
        parser.add_argument(
            f"--{name}",
            type=positive,
            default=usual,
            metavar="N",
            help=f"{unit} (default: %(default)g)",
        )


def run_grade(arguments: Namespace, book: Book, console: Console) -> int:
    """Grades what students handed in, each in a process and kernel of its own.

    Only what is new is graded; manual grades stay. Points go to the course's
    gradebook.db, feedback to its feedback folder, and what became of each
    submission to grades.csv and report.txt.
    """
    require_nbgrader("grade")
    os.environ["PATH"] = path_with_scripts()  # nbgrader calls alembic by name
    from d2l_support.build.grading.course import Course
    from d2l_support.build.grading.grades import build_csv
    from d2l_support.build.grading.report import show_lines, show_progress, write_text
    from d2l_support.build.grading.session import grade_course

    course = Course.open(arguments.course)
    terms = read_terms(arguments)
    run = make_runner(arguments, book, terms, console)
    lines = grade_course(
        course,
        arguments.assignment,
        run,
        terms,
        arguments.again,
        lambda jobs: show_progress(jobs, console),
    )
    show_lines(lines, console)
    write_whole(course.root / "report.txt", write_text(lines))
    write_whole(course.root / "grades.csv", build_csv(course, lines))
    print_plain(
        console,
        f"grades: {course.root / 'grades.csv'}; report: {course.root / 'report.txt'}; "
        f"feedback: {course.feedback}",
    )
    return 1 if any(line.look for line in lines) else 0


def read_terms(arguments: Namespace):
    """On what terms notebooks are run, as the options say."""
    from d2l_support.build.grading.pool import Terms

    limits = Limits(
        arguments.cell_seconds,
        arguments.seconds,
        int(arguments.memory * MIB),
        int(arguments.output * MIB),
    )
    return Terms(limits, arguments.isolation)


def make_runner(arguments: Namespace, book: Book, terms, console: Console):
    """What runs the notebooks: this machine, or a cluster."""
    if arguments.address:
        from d2l_support.build.grading.cluster import make_cluster_runner

        return make_cluster_runner(arguments.address, str(book.root), terms)
    from d2l_support.build.grading.pool import make_local_runner

    run = make_local_runner(book, terms, arguments.jobs)

    def run_with_kernels(jobs, *told) -> None:
        with show_installation(console) as report:
            ensure_kernels(book, [job.framework for job in jobs], report)
        run(jobs, *told)

    return run_with_kernels
