"""The workers of a Dask cluster: who is there, and who can grade."""

import sys

import cloudpickle
import distributed

from d2l_support.build.problems import CannotWork

CONNECT_SECONDS = 10


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
    """The workers of a cluster that can grade.

    Args:
        client: The cluster's client.
        need: The checkout's folder, the frameworks and the isolation asked for.

    Raises:
        CannotWork: There is none, or some lack what a job needs.
    """

    def __init__(self, client: distributed.Client, need: tuple[str, list[str], str]):
        self.client, self.need = client, need
        there = self._list()
        if not there:
            raise CannotWork("found a Dask scheduler without workers, expected some")
        said = self._ask(list(there))
        faults = [f"worker {name}: {text}" for name, text in said.items() if text]
        if faults:
            raise CannotWork("found workers that cannot grade:\n" + "\n".join(faults))
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
            answers = self.client.run(
                ask_worker, *self.need, workers=names, on_error="return"
            )
        finally:
            cloudpickle.unregister_pickle_by_value(module)
        return {name: str(answer or "") for name, answer in answers.items()}

    def refresh(self) -> None:
        """Drops workers that are gone; takes in new ones that can grade."""
        there = self._list()
        self.slots = {k: n for k, n in self.slots.items() if k in there}
        if new := sorted(set(there) - self.asked):
            self.asked |= set(new)
            said = self._ask(new)
            self.slots |= {k: there[k] for k in said if not said[k]}


def ask_worker(root: str, frameworks: list[str], isolation: str) -> str:
    """What a worker lacks, in words, or "" if it can grade."""
    try:
        from d2l_support.build.grading.remote import find_missing
    except ImportError as error:
        return (
            f"found that it cannot import d2l_support.build ({error}), expected this "
            "checkout. Run there: .envs/grading/bin/dask worker ADDRESS"
        )
    return find_missing(root, frameworks, isolation)
