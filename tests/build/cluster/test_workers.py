"""Who is there, as the scheduler itself knows it."""

import distributed
import pytest

from d2l_support.build.cluster.workers import Need, Workers

MODULE = "d2l_support.build.cluster.checkout"


@pytest.fixture
def need(plain_kernels) -> Need:
    return Need("execute", MODULE, (str(plain_kernels.root), ["jax"]))


def test_refresh_keeps_workers_of_which_the_client_knows_nothing(make_cluster, need):
    with distributed.Client(
        make_cluster(1).scheduler_address, set_as_default=False
    ) as client:
        workers = Workers(client, need)
        (name,) = workers.slots
        # What the client's heartbeat leaves between a question and its answer.
        client.scheduler_info = lambda n_workers=0: {"workers": {}}
        workers.refresh()
        assert workers.slots == {name: 1}


class Fickle:
    """A client of a cluster whose only worker is there, gone, and there again."""

    def __init__(self):
        self.looks = [["one"], [], ["one"]]

    def nthreads(self):
        return dict.fromkeys(self.looks.pop(0), 2)

    def run(self, function, *arguments, workers, on_error):
        return dict.fromkeys(workers, "")


def test_refresh_takes_back_a_worker_that_returns(need):
    workers = Workers(Fickle(), need)
    workers.refresh()
    assert workers.slots == {}
    workers.refresh()
    assert workers.slots == {"one": 2}
