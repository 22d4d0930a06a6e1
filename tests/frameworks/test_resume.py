"""The contract of a resumed training, the same in all four frameworks."""

from functools import partial

import numpy as np
import pytest

from d2l_support.resume.checkpoint import CheckpointError
from d2l_support.resume.plain import equal_data

TOTAL = 7
LOADERS = ("StatefulLoader", "ReplayingLoader")


@pytest.fixture
def prove(d2l, training):
    """The proof for this framework's training."""
    return partial(d2l.prove_resume, **training.PROOF)


@pytest.mark.parametrize("loader", LOADERS)
@pytest.mark.parametrize("stops", [(2,), (3,), (2, 4)])
def test_resumed_training_equals_the_uninterrupted_one(
    d2l, training, prove, loader, stops
):
    build = partial(training.Training, loader=getattr(d2l, loader))
    report = prove(build, TOTAL, stops)
    assert report.equal, str(report)


@pytest.mark.parametrize(
    "item", ["model", "optimizer", "scheduler", "loader position", "random streams"]
)
def test_item_left_out_shows_at_its_step(training, prove, item):
    first = prove(training.build, TOTAL, (4,), leave_out=item).first
    assert (first.step, first.loaded, first.name) == training.SHOWS[item]
    assert float(first.uninterrupted) != float(first.resumed)


def test_new_process_resumes_as_well(training, prove):
    report = prove(training.build, 4, (2,), new_process=True)
    assert report.equal, str(report)


def test_saving_leaves_no_trace(d2l, training):
    report = d2l.prove_resume(training.build, TOTAL, (4,), undisturbed=False)
    assert report.equal, str(report)


def test_report_names_the_items(framework, training, prove):
    report = prove(training.build, 3, (2,))
    assert report.framework == framework
    assert [row.name for row in report.rows][-5:] == list(training.SHOWS)
    assert max(map(len, str(report).splitlines())) <= 78
    assert str(report) == str(prove(training.build, 3, (2,)))


def test_checkpoint_is_an_archive_that_numpy_reads(d2l, training, prove, tmp_path):
    prove(training.build, TOTAL, (4,), folder=tmp_path)
    with np.load(tmp_path / "step-4.npz", allow_pickle=False) as archive:
        assert all(archive[name] is not None for name in archive.files)
    items = d2l.load_checkpoint(tmp_path / "step-4.npz")
    assert list(items) == list(training.SHOWS)


def step(trained, count):
    return [trained.step() for _ in range(count)]


def test_checkpoint_by_hand(d2l, training, tmp_path):
    """What the proof does, in the steps that a reader would write."""
    d2l.set_seed(0)
    trained = training.build()
    step(trained, 2)
    saved = {name: item.save() for name, item in trained.items().items()}
    d2l.save_checkpoint(tmp_path / "step-2.npz", saved)
    losses = step(trained, 3)
    d2l.set_seed(99)
    resumed = training.build()
    saved = d2l.load_checkpoint(tmp_path / "step-2.npz")
    for name, item in resumed.items().items():
        item.load(saved[name])
    assert step(resumed, 3) == losses


def test_items_are_copies(d2l, training):
    d2l.set_seed(0)
    trained = training.build()
    step(trained, 1)
    items = dict(list(trained.items().items())[:-1])  # reading streams may reseed
    before = {name: item.save() for name, item in items.items()}
    again = {name: item.save() for name, item in items.items()}
    assert equal_data(before, again)
    step(trained, 1)
    assert equal_data(before, again)
    assert not equal_data(before, {name: item.save() for name, item in items.items()})


def test_model_of_another_shape_is_refused(d2l, training):
    trained = training.build()
    step(trained, 1)
    arrays = trained.values()
    name = list(arrays)[-1]
    broken = arrays | {name: np.zeros((2, 3), np.float32)}
    item = trained.items()["model"]
    with pytest.raises(CheckpointError, match=r"model: found for .* shape \(2, 3\)"):
        item.load(broken)
    assert equal_data(trained.values(), arrays)


def test_model_with_other_names_is_refused(training):
    trained = training.build()
    step(trained, 1)
    arrays = trained.values()
    item = trained.items()["model"]
    with pytest.raises(CheckpointError, match="model: found arrays other, expected"):
        item.load({"other": np.zeros(1)})
    assert equal_data(trained.values(), arrays)


@pytest.mark.parametrize("loader", LOADERS)
def test_loader_gives_every_example_once_an_epoch(d2l, training, loader):
    trained = training.Training(loader=getattr(d2l, loader))
    epochs = [
        np.concatenate([np.asarray(trained.loader.next_batch()[1]) for _ in range(3)])
        for _ in range(3)
    ]
    first = np.sort(epochs[0], axis=None).tolist()
    assert [np.sort(epoch, axis=None).tolist() for epoch in epochs] == [first] * 3
    assert epochs[0].tolist() != epochs[1].tolist()


@pytest.mark.parametrize("loader", LOADERS)
@pytest.mark.parametrize("taken", [0, 1, 3, 5])
def test_loader_goes_on_where_it_was(d2l, training, loader, taken):
    def take(trained, count):
        batches = [trained.loader.next_batch() for _ in range(count)]
        return [np.asarray(part).tolist() for batch in batches for part in batch]

    trained, other = (training.Training(loader=getattr(d2l, loader)) for _ in range(2))
    take(trained, taken)
    position = trained.loader.save()
    following = take(trained, 5)
    take(other, 4)
    other.loader.load(position)
    assert take(other, 5) == following


def test_both_loaders_give_the_same_order(d2l, training):
    orders = [
        [np.asarray(trained.loader.next_batch()[1]).tolist() for _ in range(7)]
        for trained in (training.Training(getattr(d2l, name)) for name in LOADERS)
    ]
    assert orders[0] == orders[1]


@pytest.mark.parametrize("loader", LOADERS)
def test_loading_moves_no_stream_of_the_process(d2l, training, loader):
    trained = training.Training(loader=getattr(d2l, loader))
    d2l.set_seed(3)
    for _ in range(4):
        trained.loader.next_batch()
    trained.loader.load(trained.loader.save())
    moved = [row.name for row in d2l.random_inventory().streams if row.moved]
    assert moved == []
