"""Proof that an interrupted and resumed training equals an uninterrupted one.

Both trainings run, step by step, and every number is compared bit for bit.
The interrupted one is saved to a real file at each stop, thrown away, built
anew in a process whose random streams have been seeded with something else,
loaded from the file, and continued.
"""

import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from d2l_support.resume.process import run_in_new_process
from d2l_support.resume.report import ResumeReport, compare_histories
from d2l_support.resume.training import History, Segment, Training, run_segment

STRIDE = 1_000_003  # between the seeds of the parts of an interrupted training


def make_prover(framework: str, note: str = "") -> Callable[..., ResumeReport]:
    """The function `prove_resume` of one framework.

    Args:
        framework: The framework's key.
        note: What the reader of each report should know.
    """

    def prove_resume(
        build: Callable[[], Training],
        total: int,
        stops: Iterable[int],
        *,
        leave_out: str | None = None,
        undisturbed: bool = True,
        folder: str | Path | None = None,
        seed: int = 0,
        new_process: bool = False,
    ) -> ResumeReport:
        """What agrees bit for bit between a resumed and an uninterrupted training.

        Args:
            build: Builds a training from the start.
            total: How many steps each of the two trainings takes.
            stops: After which steps the second one is saved and built anew.
            leave_out: The name of an item that is saved, but not loaded.
            undisturbed: Whether the first one is left alone; False lets it
                save at the same steps. A stream that is seeded anew when it
                is saved, as MXNet's is, can agree only then.
            folder: Where to keep the checkpoints; None for a folder that goes.
            seed: What the process is seeded with at the start of both.
            new_process: Whether each part of the second one runs in a process
                of its own; `build` then has to be a function in a file.

        Raises:
            ValueError: A stop or the item to leave out does not exist.

        State touched: all streams that `set_seed` reaches.
        Source: section Saving and resuming random state.
        """
        marks = check_stops(total, stops)
        run = run_in_new_process if new_process else run_segment
        whole = Segment(framework, seed, 0, total, saves=() if undisturbed else marks)
        reference = run_segment(build, whole)
        check_item(leave_out, reference.items)
        resumed = History()
        with _open_folder(folder) as place:
            for part in list_segments(framework, seed, total, marks, place, leave_out):
                resumed.join(run(build, part))
        title = describe_plan(marks, total, leave_out, undisturbed)
        return compare_histories(framework, title, reference, resumed, note)

    return prove_resume


def check_item(name: str | None, items: Collection[str]) -> None:
    """Refuses to leave out an item that a training does not have.

    Raises:
        ValueError: There is none of this name.
    """
    if name is not None and name not in items:
        raise ValueError(f"leave_out is {name!r}: give one of {', '.join(items)}.")


def check_stops(total: int, stops: Iterable[int]) -> tuple[int, ...]:
    """The stops in order, without repetitions.

    Raises:
        ValueError: There is none, or one is not a step before the last.
    """
    marks = tuple(sorted(set(stops)))
    if not marks or not 1 <= marks[0] <= marks[-1] < total:
        raise ValueError(f"stops are {marks}: give steps from 1 to {total - 1}.")
    return marks


def list_segments(
    framework: str,
    seed: int,
    total: int,
    stops: tuple[int, ...],
    folder: Path,
    leave_out: str | None,
) -> Iterator[Segment]:
    """The parts of an interrupted training, each with another seed."""
    files = [str(folder / f"step-{stop}.npz") for stop in stops]
    ends = zip((0, *stops), (*stops, total), strict=True)
    links = zip((None, *files), (*files, None), strict=True)
    for index, ((first, last), (source, target)) in enumerate(
        zip(ends, links, strict=True)
    ):
        other = (seed + index * STRIDE) % 2**32
        yield Segment(framework, other, first, last, source, target, leave_out)


@contextmanager
def _open_folder(folder: str | Path | None) -> Iterator[Path]:
    """The folder for checkpoints; one of our own is taken away afterwards."""
    if folder is not None:
        yield Path(folder)
        return
    with tempfile.TemporaryDirectory(prefix="d2l-") as place:
        yield Path(place)


def describe_plan(
    stops: tuple[int, ...], total: int, leave_out: str | None, undisturbed: bool
) -> str:
    """What is compared, in words."""
    steps = " and ".join(map(str, stops))
    what = f"{total} steps; saved, built anew and loaded after step {steps}"
    if leave_out is not None:
        what += f", but for the {leave_out}"
    return f"{what}." + ("" if undisturbed else " Both trainings save there.")
