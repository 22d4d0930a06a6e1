"""The command ``d2l-support assign``."""

import shlex
from argparse import ArgumentParser, Namespace
from pathlib import Path

from rich.console import Console

from d2l_support.build.assign.choice import choose_assignments
from d2l_support.build.assign.course import Course, prepare_course
from d2l_support.build.assign.guide import write_config, write_guide
from d2l_support.build.assign.writing import (
    EDITED,
    FAILED,
    Written,
    write_assignments,
)
from d2l_support.build.files import write_whole
from d2l_support.build.frameworks import ALL_KEYS
from d2l_support.build.layout import Book, select_frameworks
from d2l_support.build.printing import print_plain
from d2l_support.build.scripts import GRADING_TOOL, require_nbgrader

EXAMPLES = """examples:
  d2l-support assign --framework jax --section ste --to ../course
  d2l-support assign --framework jax --framework pytorch --section hooks --to ../course
  d2l-support assign --section loader-workers --exercise noise-mend --to ../course
  d2l-support assign --to ../course            every exercise, in every framework

What is in the course and did not change is left alone, as is what you edited
there; what was handed in or graded is never touched.
"""

SAID = {
    "new": "written",
    "changed": "written anew, it has changed in the book",
    "unchanged": "as it was, nothing has changed",
    EDITED: "left as it is, it was edited in the course; to have the book's, move "
    "its folder in source/ away and run this again",
}


def add_options(parser: ArgumentParser) -> None:
    """Adds the options of the command to its parser."""
    parser.epilog = EXAMPLES
    parser.add_argument(
        "--section",
        action="extend",
        nargs="+",
        default=[],
        metavar="SECTION",
        help="sections with exercises, or parts; all if none is given",
    )
    parser.add_argument(
        "--framework",
        action="extend",
        nargs="+",
        choices=ALL_KEYS,
        metavar="FRAMEWORK",
        help=f"of {', '.join(ALL_KEYS)}; all if none is given",
    )
    parser.add_argument(
        "--exercise",
        action="extend",
        nargs="+",
        metavar="NAME",
        help="these exercises alone; all if none is given",
    )
    parser.add_argument(
        "--to",
        required=True,
        metavar="COURSE",
        help="the folder of the course; made if there is none",
    )


def run_assign(arguments: Namespace, book: Book, console: Console) -> int:
    """Writes assignments into an nbgrader course.

    Each is the exercises of one section in one framework: a source with
    solutions and hidden tests, and the release version made from it.
    """
    require_nbgrader("assign")
    # What makes Markdown plain is not in every environment of this command.
    from d2l_support.build.assign.drafting import draft_assignments

    frameworks = select_frameworks(arguments.framework)
    assignments = choose_assignments(
        book, arguments.section, frameworks, arguments.exercise
    )
    drafts = draft_assignments(book, assignments)
    course = prepare_course(Path(arguments.to))
    with course.hold():
        if not course.config.exists():
            write_whole(course.config, write_config(course))
        written = write_assignments(course, drafts)
        guide = write_guide(course, describe_command(arguments, course))
        write_whole(course.guide, guide)
    show_written(course, written, console)
    return 1 if any(each.state == FAILED for each in written) else 0


def describe_command(arguments: Namespace, course: Course) -> str:
    """The command as it was called, for the guide."""
    words = [GRADING_TOOL, "assign"]
    for name in ("framework", "section", "exercise"):
        if chosen := getattr(arguments, name):
            words += [f"--{name}", *chosen]
    return shlex.join([*words, "--to", str(course.root)])


def show_written(course: Course, written: list[Written], console: Console) -> None:
    """Prints a line for each assignment, and what comes next."""
    for each in written:
        line = f"{each.name}: {each.detail or SAID[each.state]}"
        if each.state == "changed" and (handed := course.submissions(each.name)):
            line += f"; {len(handed)} handed in were made for the one before"
        print_plain(console, line)
    print_plain(console, f"next: {course.guide}")
