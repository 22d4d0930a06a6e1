"""The package d2l, which `make d2l` puts beside the kernel's own packages."""

import importlib
import importlib.metadata
import sys
from pathlib import Path
from types import ModuleType

ENVIRONMENTS = Path(__file__).parents[3] / ".envs"
RELEASE = "1.0.3"


def load_reference(framework: str) -> ModuleType:
    """`d2l.mxnet` or `d2l.tensorflow` of the release that the book was tried with.

    Raises:
        FileNotFoundError: It is not there.
    """
    folder = ENVIRONMENTS / f"d2l-{framework}"
    if not (folder / "d2l").is_dir():
        raise FileNotFoundError(f"{folder}: found no d2l, expected one. Run: make d2l")
    if str(folder) not in sys.path:
        sys.path.append(str(folder))  # the kernel's own packages come first
    assert importlib.metadata.version("d2l") == RELEASE
    return importlib.import_module(f"d2l.{framework}")
