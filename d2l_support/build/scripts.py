"""The scripts of this interpreter's environment, for what calls them by name."""

import os
import sys
from pathlib import Path


def path_with_scripts() -> str:
    """The search path, with this environment's own scripts first.

    A command is often called by its path, without its environment activated;
    nbgrader then does not find ``alembic``.
    """
    # The folder as it is called: a virtual environment's python is a link.
    beside = str(Path(sys.executable).parent)
    return os.pathsep.join([beside, os.environ.get("PATH", os.defpath)])
