"""Prints what commands say: as it is, without markup, a line a problem."""

from collections.abc import Iterable

from rich.console import Console

from d2l_support.build.problems import Problem


def print_plain(console: Console, text: object) -> None:
    """Prints a text as it stands: no markup, no colours, no breaks of ours."""
    console.print(str(text), markup=False, highlight=False, soft_wrap=True)


def show_problems(problems: Iterable[Problem], console: Console) -> int:
    """Prints each on a line of its own; returns the exit code."""
    code = 0
    for problem in problems:
        print_plain(console, problem)
        code = 1
    return code
