"""Has nbgrader make the release versions, in a process of its own."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from d2l_support.build.assign.course import Course
from d2l_support.build.problems import CannotWork
from d2l_support.build.scripts import GRADING_TOOL, path_with_scripts

GENERATE = Path(__file__).with_name("generate.py")

ASSOCIATED = "there are submissions associated with it"
"""nbgrader's words where graded submissions rest on other cells."""


@dataclass(frozen=True)
class Release:
    """What became of an assignment.

    Attributes:
        name: The assignment.
        problem: Why nbgrader made none, or the empty text.
    """

    name: str
    problem: str = ""


def nbgrader_environment() -> dict[str, str]:
    """The variables with which nbgrader runs as this interpreter's own.

    It calls ``alembic`` by name, and reads nobody's Jupyter configuration.
    """
    return {**os.environ, "PATH": path_with_scripts(), "JUPYTER_NO_CONFIG": "1"}


def generate_releases(course: Course, names: list[str]) -> list[Release]:
    """Makes the release versions, and says what became of each.

    Args:
        course: The course, whose sources are written.
        names: Assignments.

    Raises:
        CannotWork: nbgrader does not run here.
    """
    run = subprocess.run(
        [sys.executable, "-P", str(GENERATE), *names],
        cwd=course.root,
        env=nbgrader_environment(),
        capture_output=True,
        text=True,
    )
    said = {}
    for line in run.stdout.splitlines():
        if line.startswith('{"name"'):
            result = json.loads(line)
            said[result["name"]] = result
    if run.returncode or said.keys() != set(names):
        reason = (run.stderr.strip().splitlines() or ["no message"])[-1]
        raise CannotWork(
            f"found that nbgrader does not run here ({reason}), expected it in this "
            f"environment. Run: make grading, then {GRADING_TOOL}"
        )
    return [Release(name, _explain(said[name])) for name in names]


def _explain(result: dict) -> str:
    if result["success"]:
        return ""
    error = result.get("error", "") + result.get("log", "")
    if ASSOCIATED in error:
        return (
            "found graded submissions of the version before, which has other cells, "
            "expected none; that version stays. For the new one use another course"
        )
    errors = [line for line in error.splitlines() if line and line[0] not in " ["]
    return f"nbgrader: {errors[-1] if errors else 'no message'}"
