"""The first code cell of an exported notebook: it looks before it installs.

Whatever the runtime has and the notebook can work with stays as it is. What is
missing is installed, the helpers from the wheel that lies beside the notebook.
The cell stands alone: it cannot import what it is there to install.
"""

import textwrap
from collections.abc import Iterable

from d2l_support.build.export.wheel import PACKAGE
from d2l_support.build.section import Cell

RANGES = {
    "pytorch": ("torch>=2.8",),
    "tensorflow": ("tensorflow>=2.19", "keras>=3.10"),
    "jax": ("jax>=0.8.1", "flax>=0.12.6", "optax>=0.2.5"),
    "mxnet": ("numpy", "requests"),
}
"""The releases that a notebook takes as it finds them. Flax 0.12.6 is the first
with ``nnx.capture``."""

FIRST = """\
# What this runtime has, stays. What is missing is installed, and nothing else.
import pathlib, subprocess, sys
from importlib.metadata import PackageNotFoundError, version
from packaging.requirements import Requirement

def is_there(line):
    need = Requirement(line)
    for name in (need.name, f"{{need.name}}-cpu"):
        try:
            return need.specifier.contains(version(name), prereleases=True)
        except PackageNotFoundError:
            pass
    return False

missing = [line for line in {needed} if not is_there(line)]
{helpers}if missing:
    subprocess.run([sys.executable, "-m", "pip", "install", "-q", *missing], check=True)
{mxnet}print({notice})
"""

WHEEL = """\
if not is_there("d2l-support"):
    beside = sorted(pathlib.Path().resolve().glob("d2l_support-*.whl"))
    missing += [str(beside[-1]) if beside else "{address}"]
"""

MXNET = """\

# The last MXNet asks for the NumPy of its time: it is installed without that wish,
# and names that NumPy has removed since are put back.
if not is_there("mxnet"):
    command = [sys.executable, "-m", "pip", "install", "-q", "--no-deps"]
    subprocess.run([*command, "mxnet==2.0.0b1"], check=True)
from d2l_support import numpy_names
numpy_names.restore_names()
"""

WIDTH = 72

NOWHERE = "d2l-support"
"""What the cell asks pip for where the book is published nowhere and no wheel
lies beside: pip's answer names it."""


def write_setup(
    framework: str, code: Iterable[Cell], notice: str, wheel_address: str = ""
) -> str:
    """The source of the first code cell.

    Args:
        framework: The framework key.
        code: The notebook's code, which says what it needs.
        notice: Which cells may print other numbers, and why; one line.
        wheel_address: Where the helpers' wheel is published, or nothing.
    """
    text = "\n".join(cell.source for cell in code)
    needed = list_needed(framework, text)
    is_mxnet = framework == "mxnet"
    uses_helpers = is_mxnet or PACKAGE in text
    return FIRST.format(
        needed=f"[{', '.join(repr(line) for line in needed)}]".replace("'", '"'),
        helpers=WHEEL.format(address=wheel_address or NOWHERE) if uses_helpers else "",
        mxnet=MXNET if is_mxnet else "",
        notice=_wrap_text(notice),
    ).rstrip()


def _wrap_text(text: str) -> str:
    """A text as a Python expression: one string, or some in lines that fit."""
    lines = textwrap.wrap(text, WIDTH) or [""]
    pieces = [repr(f"{line} ") for line in lines[:-1]] + [repr(lines[-1])]
    inside = "\n".join(f"    {piece}" for piece in pieces)
    return f"\n{inside}\n" if len(pieces) > 1 else pieces[0]


def list_needed(framework: str, text: str) -> list[str]:
    """What pip must have, beside the helpers, for code in a framework.

    Args:
        framework: The framework key.
        text: The code.
    """
    needed = [*RANGES[framework]]
    if "matplotlib" in text or PACKAGE in text:
        needed.append("matplotlib")
    if "steppers" in text:
        needed.append("ipywidgets")
    return needed
