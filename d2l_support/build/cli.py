"""The command ``d2l-support``.

Exit codes: 0 fine, 1 a problem in the content, 2 the command cannot work,
3 there is no GPU, 128 + n ended by signal n: 130 after Ctrl-C, 143 after SIGTERM.
"""

import argparse
import os
import sys
from signal import SIGINT

from rich.console import Console

from d2l_support.build import commands, elsewhere
from d2l_support.build.assign import command as assign_command
from d2l_support.build.execute import CELL_TIMEOUT
from d2l_support.build.exercises.command import run_exercise
from d2l_support.build.exercises.trial import TRIAL_TIMEOUT
from d2l_support.build.export import command as export_command
from d2l_support.build.frameworks import ALL_KEYS
from d2l_support.build.gpu.command import run_gpu
from d2l_support.build.grading import command as grade_command
from d2l_support.build.interruption import Terminated, raise_terminations
from d2l_support.build.layout import Book
from d2l_support.build.live import command as live_command
from d2l_support.build.numbers import positive_whole
from d2l_support.build.pdf import command as pdf_command
from d2l_support.build.problems import BookError, ContentError
from d2l_support.build.survey.command import run_survey
from d2l_support.build.survey.explain import run_explain
from d2l_support.build.survey.settings import SETTINGS
from d2l_support.build.web.command import run_bundle

EXAMPLES = """examples:
  d2l-support kernels                         the four kernels and their health
  d2l-support kernels --create                make those that are not ready
  d2l-support bundle                          the scripts of widgets and live cells
  d2l-support check                           what is wrong, with no kernel
  d2l-support record seeds --framework jax    run what is stale, keep its outputs
  d2l-support diff --jobs 2                   run again, compare by the rules
  d2l-support survey --setting one-core       how the outputs fare on one core
  d2l-support exercise ste-exercises          what known answers score
  d2l-support assign --section ste --to ../course   an nbgrader course
  d2l-support grade ../course                 what students handed in
  d2l-support execute seeds --gateway http://gpu-host:8888   in kernels elsewhere
  d2l-support explain seeds                   why numbers differ on this machine
  d2l-support gpu --framework pytorch         how the outputs fare on the GPU
  d2l-support export seeds --to notebooks     whole notebooks for Jupyter and Colab
  d2l-support live --open                     run the cells in the page
  d2l-support pdf --framework jax             the built book on paper

exit codes: 0 fine, 1 a problem in the content, 2 the command cannot work,
3 there is no GPU, 130 after Ctrl-C, 143 after SIGTERM
"""


def build_parser() -> argparse.ArgumentParser:
    """The parser of the command line."""
    parser = argparse.ArgumentParser(
        prog="d2l-support",
        description="Runs, records and checks the notebooks of this book.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    subparsers = parser.add_subparsers(required=True, metavar="COMMAND")

    kernels = _add(subparsers, "kernels", commands.run_kernels, "list or make kernels")
    kernels.add_argument(
        "--create",
        action="store_true",
        help="make every kernel anew that is missing, outdated or broken",
    )
    _add_framework(kernels)
    _add(subparsers, "bundle", run_bundle, "make what pages load on first use")
    check = _add(subparsers, "check", commands.run_check, "find problems, no kernel")
    _add_choice(check)
    execute = _add(subparsers, "execute", commands.run_execute, "run in fresh kernels")
    execute.add_argument(
        "--output", metavar="FOLDER", help="write the executed notebooks there"
    )
    elsewhere.add_options(execute)
    record = _add(subparsers, "record", commands.run_record, "run, keep the outputs")
    record.add_argument(
        "--force", action="store_true", help="run also what is not stale"
    )
    record.add_argument(
        "--device",
        choices=("cpu", "gpu"),
        default="cpu",
        help="gpu: run all on this machine's GPU, keep its outputs beside the CPU's",
    )
    diff = _add(subparsers, "diff", commands.run_diff, "compare a run with the record")
    diff.add_argument(
        "--against",
        metavar="FOLDER",
        help="run nothing; compare with what `execute --output FOLDER` wrote",
    )
    survey = _add(subparsers, "survey", run_survey, "measure where the rules hold")
    survey.add_argument("--list", action="store_true", help="name the settings")
    survey.add_argument(
        "--setting",
        action="append",
        choices=tuple(SETTINGS),
        help="one setting; may be given again; all if none is given",
    )
    survey.add_argument(
        "--force", action="store_true", help="observe also what the ledger has"
    )
    exercise = _add(subparsers, "exercise", run_exercise, "try every known answer")
    exercise.add_argument(
        "--exercise",
        action="append",
        metavar="NAME",
        help="one exercise; may be given again; all if none is given",
    )
    assign = _add(subparsers, "assign", assign_command.run_assign, "fill a course")
    assign_command.add_options(assign)
    grade = _add(subparsers, "grade", grade_command.run_grade, "grade a course")
    grade_command.add_options(grade)
    export = _add(
        subparsers, "export", export_command.run_export, "write whole notebooks"
    )
    export_command.add_options(export)
    _add_choice(export)
    explain = _add(subparsers, "explain", run_explain, "say why outputs differ here")
    gpu = _add(subparsers, "gpu", run_gpu, "run on this machine's GPU and compare")
    for command in (record, gpu):
        _add_machine(command)
    live = _add(subparsers, "live", live_command.run_live, "serve the book, cells live")
    live_command.add_options(live)
    pdf = _add(subparsers, "pdf", pdf_command.run_pdf, "print the built book")
    pdf_command.add_options(pdf)
    _add_framework(pdf)
    for command in (execute, record, diff, survey, explain, gpu, exercise):
        _add_choice(command)
        _add_timeout(command)
    exercise.set_defaults(timeout=TRIAL_TIMEOUT)
    for command in (execute, record, diff, survey, explain, exercise):
        _add_jobs(command)
    return parser


def _add(subparsers, name: str, run, summary: str) -> argparse.ArgumentParser:
    parser = subparsers.add_parser(
        name,
        help=summary,
        description=run.__doc__,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(run=run)
    return parser


def _add_choice(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "sections",
        nargs="*",
        metavar="SECTION",
        help="a section, a part or a source file; all if none is given",
    )
    _add_framework(parser)


def _add_framework(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--framework",
        action="append",
        choices=ALL_KEYS,
        help="one framework; may be given again; all if none is given",
    )


def _add_machine(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--python",
        metavar="FILE",
        help="on a GPU: the interpreter that has the frameworks (default: this one)",
    )
    parser.add_argument(
        "--report",
        metavar="FOLDER",
        default="_build/gpu",
        help="on a GPU: where the reports go (default: %(default)s)",
    )


def _add_jobs(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--jobs",
        type=positive_whole,
        default=os.cpu_count() or 1,
        metavar="N",
        help="kernels at a time (default: the cores, %(default)s here)",
    )


def _add_timeout(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--timeout",
        type=positive_whole,
        default=CELL_TIMEOUT,
        metavar="SECONDS",
        help="limit for one cell (default: %(default)s)",
    )


def main(argv: list[str] | None = None) -> int:
    """Runs one command and returns its exit code, a small whole number."""
    arguments = build_parser().parse_args(argv)
    errors = Console(stderr=True)
    try:
        with raise_terminations():
            return arguments.run(arguments, Book.find(), Console())
    except ContentError as error:
        text, code = str(error), error.exit_code
    except BookError as error:
        text, code = f"d2l-support: {error}", error.exit_code
    except OSError as error:
        text, code = f"d2l-support: found that it cannot go on ({error})", 2
    except KeyboardInterrupt as error:
        text = "interrupted; every record is as it was before or whole"
        code = 128 + (error.number if isinstance(error, Terminated) else SIGINT)
    errors.print(text, markup=False, highlight=False, soft_wrap=True)
    return code


if __name__ == "__main__":
    sys.exit(main())
