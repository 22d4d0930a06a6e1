"""The workers of a Dask cluster: who is there, and who has what is needed."""

import importlib
import sys
from dataclasses import dataclass

import cloudpickle
import distributed

from d2l_support.build.problems import CannotWork

CONNECT_SECONDS = 10

COMMAND = ".envs/grading/bin/dask worker ADDRESS"
"""How a worker is started that has this package."""


@dataclass(frozen=True)
class Need:
    """What a worker has to have.

    Attributes:
        verb: What it is to do, such as ``grade``.
        module: Where a worker finds ``find_missing``, which says what it lacks.
        arguments: What that is called with.
    """

    verb: str
    module: str
    arguments: tuple


def connect(address: str) -> distributed.Client:
    """A client of a scheduler.

    Raises:
        CannotWork: Nobody answers there.
    """
    try:
        return distributed.Client(
            address, timeout=CONNECT_SECONDS, set_as_default=False
        )
    except (OSError, ValueError, TypeError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise CannotWork(
            f"found no Dask scheduler at {address} ({reason}), expected one. Run: "
            "dask scheduler, and on each machine with the kernels: dask worker ADDRESS"
        ) from None


class Workers:
    """The workers of a cluster that can do the work.

    Args:
        client: The cluster's client.
        need: What they have to have.

    Raises:
        CannotWork: There is none, or some lack what a job needs.
    """

    def __init__(self, client: distributed.Client, need: Need):
        self.client, self.need = client, need
        there = self._list()
        if not there:
            raise CannotWork("found a Dask scheduler without workers, expected some")
        said = self._ask(list(there))
        faults = [f"worker {name}: {text}" for name, text in said.items() if text]
        if faults:
            text = "\n".join(faults)
            raise CannotWork(f"found workers that cannot {need.verb}:\n{text}")
        self.asked = set(said)
        self.slots = {name: there[name] for name in said}

    def _list(self) -> dict[str, int]:
        """Every worker that is there now, with its number of threads."""
        # Not `scheduler_info`, which the client's heartbeat empties at times.
        return dict(self.client.nthreads())

    def _ask(self, names: list[str]) -> dict[str, str]:
        module = sys.modules[__name__]
        # By value: the question whether the package is there must not need it.
        cloudpickle.register_pickle_by_value(module)
        try:
            need = self.need.module, self.need.arguments
            answers = self.client.run(
                ask_worker, *need, workers=names, on_error="return"
            )
        finally:
            cloudpickle.unregister_pickle_by_value(module)
        return {name: str(answer or "") for name, answer in answers.items()}

    def refresh(self) -> None:
        """Drops workers that are gone; takes in new ones that can do the work."""
        there = self._list()
        self.asked &= set(there)
        self.slots = {k: n for k, n in self.slots.items() if k in there}
        if new := sorted(set(there) - self.asked):
            self.asked |= set(new)
            said = self._ask(new)
            self.slots |= {k: there[k] for k in said if not said[k]}


def ask_worker(module: str, arguments: tuple) -> str:
    """What a worker lacks, in words, or ""."""
    try:
        find_missing = importlib.import_module(module).find_missing
    except ImportError as error:
        return (
            f"found that it cannot import d2l_support.build ({error}), expected this "
            f"checkout. Run there: {COMMAND}"
        )
    return find_missing(*arguments)
