"""What looking into a model costs: ratios, all taken in one run.

Run it in a kernel's environment, from the root of the checkout:

    .envs/pytorch/bin/python -m benchmarks.inspection pytorch

Machines differ, so read the ratios. Times are the least CPU seconds of several
rounds in which every way has its turn, in one thread, so that other processes
count little. A framework takes part with a module `inspection_<key>` beside
this one that has

- `SUBJECTS`: by name, a function that makes a model and its input;
- `PASSES`: by name, a context manager given the model, inside which a forward
  pass is timed; the first is the plain pass, and names ending in "by hand" are
  the hooks that a reader would write first;
- `CALLS`: by name, a function of model and input that makes its own pass;
- `STEPS`: by name, a context manager for a forward and a backward pass;
- `run_forward(model, x)` and `run_step(model, x)`.
"""

import argparse
import gc
import importlib
import time
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from functools import partial
from types import ModuleType
from typing import Any

from d2l_support.tables import Table, render_text

ROUNDS = 25
SECONDS = 0.05  # about how long one measurement takes


def main() -> None:
    """Prints a table for each model."""
    parser = argparse.ArgumentParser(description="What looking into a model costs.")
    parser.add_argument("framework", choices=("pytorch", "tensorflow", "jax", "mxnet"))
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    options = parser.parse_args()
    subject = importlib.import_module(f"benchmarks.inspection_{options.framework}")
    for name, build in subject.SUBJECTS.items():
        model, x = build()
        passes = time_passes(subject, model, x, options.rounds)
        print(render_text(make_table(f"{name}: one forward pass", passes)), "\n")
        step = partial(subject.run_step, model, x)
        steps = time_ways(open_all(subject.STEPS, model, step), options.rounds)
        print(render_text(make_table(f"{name}: forward and backward", steps)), "\n")


def time_passes(
    subject: ModuleType, model: Any, x: Any, rounds: int
) -> dict[str, float]:
    """Seconds of a forward pass in each way, the helpers' own passes included."""
    ways = open_all(subject.PASSES, model, partial(subject.run_forward, model, x))
    for name, call in subject.CALLS.items():
        ways[name] = nullcontext, partial(call, model, x)
    return time_ways(ways, rounds)


Way = tuple[Callable[[], Any], Callable[[], object]]  # what to enter, what to time


def open_all(
    contexts: Mapping[str, Callable[[Any], Any]], model: Any, work: Callable[[], object]
) -> dict[str, Way]:
    """The ways in which the same work is done inside a context manager."""
    return {name: (partial(enter, model), work) for name, enter in contexts.items()}


def time_ways(ways: Mapping[str, Way], rounds: int) -> dict[str, float]:
    """The least seconds of each way over the rounds."""
    least = dict.fromkeys(ways, float("inf"))
    repeats = 1
    gc.disable()
    for _ in range(rounds):
        for name, (enter, work) in ways.items():
            with enter():
                work()
                started = time.process_time()
                for _ in range(repeats):
                    work()
                seconds = (time.process_time() - started) / repeats
            least[name] = min(least[name], seconds)
        repeats = max(1, int(SECONDS / min(least.values())))
        gc.collect()
    gc.enable()
    return least


def make_table(title: str, times: Mapping[str, float]) -> Table:
    """Milliseconds, ratio to the first, and overhead beside that by hand."""
    (first, plain), *_ = times.items()
    by_hand = {n: s - plain for n, s in times.items() if n.endswith("by hand")}
    rows = [
        (
            name,
            f"{1000 * seconds:.3f}",
            f"{seconds / plain:.3f}",
            "-" if name == first else f"{1e6 * (seconds - plain):.0f}",
            *(
                "-" if name == first else f"{o / (seconds - plain):.1f}"
                for o in by_hand.values()
            ),
        )
        for name, seconds in times.items()
    ]
    columns = [f"{name.removesuffix(' by hand')}/this" for name in by_hand]
    header = ("way", "ms", "ratio", "more, us", *columns)
    return Table(title, header, tuple(rows), align="<" + ">" * (len(header) - 1))


if __name__ == "__main__":
    main()
