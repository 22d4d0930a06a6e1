"""A function's result in a fresh process, under other environment variables.

Many settings of a framework are read once, when it starts. To compare two of
them, a notebook needs two processes.
"""

import inspect
import json
import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any


def run_in_process(
    function: Callable[[], Any], *helpers: Callable, **variables: str
) -> tuple[Any, list[str]]:
    """What a function returns in a fresh process, and the lines it printed.

    The sources of the function and of its helpers go to the new process, so
    each must bring its own imports, and use no other name of the notebook.

    Args:
        function: Takes no argument and returns what JSON can hold.
        helpers: Functions that it calls.
        variables: Environment variables of the process, beside the present
            ones.

    Raises:
        RuntimeError: The process failed; the message is the last line that
            it wrote to stderr.
    """
    sources = [inspect.getsource(each) for each in (*helpers, function)]
    call = f"print(json.dumps({function.__name__}()))"
    run = subprocess.run(
        [sys.executable, "-c", "\n".join(["import json", *sources, call])],
        capture_output=True,
        text=True,
        env={**os.environ, **variables},
    )
    if run.returncode:
        written = run.stderr.strip().splitlines() or ["no message"]
        raise RuntimeError(f"{function.__name__} failed: {written[-1]}")
    *lines, last = run.stdout.splitlines()
    return json.loads(last), lines
