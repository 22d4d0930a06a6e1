"""Running each part of an interrupted training in a process of its own.

That is what a real interruption does: nothing survives but the checkpoint.
The new process has to find the training, so its builder has to be a function
in a file; one that was typed into a notebook cell exists nowhere else.
"""

import dataclasses
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from d2l_support.resume.checkpoint import load_checkpoint, save_checkpoint
from d2l_support.resume.training import History, Segment, Training, run_segment

START = "from d2l_support.resume.process import main; main()"
MODULE = "d2l_training"  # what the training's file is called in there
TAIL = 2000  # characters of a failed process's messages that are shown


def run_in_new_process(build: Callable[[], Training], part: Segment) -> History:
    """What is seen of a training from one stop to the next, in a new process.

    Args:
        build: A function at the top level of a Python file.
        part: Which part of the training to run.

    Raises:
        ValueError: The function is in no file that another process can read.
        RuntimeError: The process failed; the message has what it said last.
    """
    file = check_address(build)
    with tempfile.TemporaryDirectory(prefix="d2l-") as place:
        seen = Path(place) / "seen.npz"
        job = [str(file), build.__qualname__, dataclasses.asdict(part), str(seen)]
        command = [sys.executable, "-c", START, json.dumps(job)]
        paths = os.pathsep.join(path for path in sys.path if path)
        done = subprocess.run(
            command,
            env={**os.environ, "PYTHONPATH": paths},
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise RuntimeError(
                f"{file}: found a process that failed, expected one that "
                f"trains from step {part.first} to {part.last}. It said: "
                f"{done.stderr[-TAIL:]}"
            )
        return History(**load_checkpoint(seen))


def check_address(build: Callable[[], Training]) -> Path:
    """The file of a function that another process can import.

    Raises:
        ValueError: There is none.
    """
    file = Path(getattr(getattr(build, "__code__", None), "co_filename", ""))
    name = getattr(build, "__qualname__", repr(build))
    if not file.is_file() or not name.isidentifier():
        raise ValueError(
            f"build is {name}: give a function at the top level of a file, "
            "which another process can import. Write the training into a "
            "file, for example with %%writefile training.py, and import it."
        )
    return file.resolve()


def main() -> None:
    """Runs one segment in this process, as the command line says."""
    file, name, part, target = json.loads(sys.argv[1])
    spec = importlib.util.spec_from_file_location(MODULE, file)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    part["saves"] = tuple(part["saves"])
    seen = run_segment(getattr(module, name), Segment(**part))
    save_checkpoint(target, vars(seen))
