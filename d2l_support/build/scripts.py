"""What this interpreter's environment has: nbgrader, and scripts called by name."""

import os
import sys
from importlib.util import find_spec
from pathlib import Path

from d2l_support.build.problems import CannotWork

GRADING_TOOL = ".envs/grading/bin/d2l-support"
"""Our command in the environment that assigns and grades, from a checkout."""


def require_nbgrader(command: str) -> None:
    """Refuses to work in an environment that can neither assign nor grade.

    Args:
        command: Who asks.

    Raises:
        CannotWork: nbgrader is not installed here.
    """
    if find_spec("nbgrader") is None:
        raise CannotWork(
            "found no nbgrader in this environment, expected the one that grades. "
            f"Run: make grading, then {GRADING_TOOL} {command} ..."
        )


def path_with_scripts() -> str:
    """The search path, with this environment's own scripts first.

    A command is often called by its path, without its environment activated;
    nbgrader then does not find ``alembic``.
    """
    # The folder as it is called: a virtual environment's python is a link.
    beside = str(Path(sys.executable).parent)
    return os.pathsep.join([beside, os.environ.get("PATH", os.defpath)])
