"""PyTorch: workers, schedulers, optimizers, and the price of each way."""

from functools import partial

import numpy as np
import pytest
import torch
from torch import nn
from torch.optim import lr_scheduler

from d2l_support import pytorch as d2l

LOADERS = (d2l.StatefulLoader, d2l.ReplayingLoader)


@pytest.fixture(autouse=True)
def one_thread():
    """The trainings are small; threads would only wait for each other."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.mark.parametrize("loader", LOADERS)
@pytest.mark.parametrize("stops", [(2,), (3,), (2, 4)])
def test_two_workers_resume(training, loader, stops):
    build = partial(training.Training, loader=loader, workers=2)
    report = d2l.prove_resume(build, 7, stops)
    assert report.equal, str(report)


def test_workers_are_other_processes(training):
    class Rows(training.NoisyRows):
        def __getitem__(self, index):
            worker = torch.utils.data.get_worker_info()
            return -1 if worker is None else worker.id

    generator = torch.Generator().manual_seed(1)
    loader = d2l.StatefulLoader(Rows(), 4, generator, num_workers=2)
    assert [loader.next_batch()[0].item() for _ in range(4)] == [0, 1, 0, 0]


@pytest.mark.parametrize("loader", LOADERS)
def test_number_of_workers_changes_nothing(training, loader):
    losses = []
    for workers in (0, 2):
        d2l.set_seed(0)
        trained = training.Training(loader=loader, workers=workers)
        losses.append([trained.step() for _ in range(4)])
    assert losses[0] == losses[1]


def test_draws_in_workers_survive_a_replay_only(training):
    """Inside an epoch; at its end both ways begin with the same worker seed."""
    proofs = {}
    for loader in LOADERS:
        build = partial(
            training.Training, loader=loader, dataset=training.DrawnRows, workers=2
        )
        inside, at_end = (d2l.prove_resume(build, 5, (stop,)) for stop in (2, 3))
        proofs[loader] = (inside.equal, at_end.equal)
    assert proofs == {
        d2l.StatefulLoader: (False, True),
        d2l.ReplayingLoader: (True, True),
    }


def test_draws_in_the_main_process_survive_both_ways(training):
    # Because random streams are put back last, after the replay.
    for loader in LOADERS:
        build = partial(training.Training, loader=loader, dataset=training.DrawnRows)
        assert d2l.prove_resume(build, 7, (2,)).equal


def test_streams_put_back_before_a_replay_are_moved_by_it(training):
    class Hasty(training.Training):
        def items(self):
            return dict(reversed(super().items().items()))

    build = partial(Hasty, loader=d2l.ReplayingLoader, dataset=training.DrawnRows)
    report = d2l.prove_resume(build, 7, (2,))
    assert (report.first.step, report.first.name) == (3, "loss")


def test_sampler_is_ahead_of_the_training(training):
    # Two workers with two batches each in advance: the order of all three
    # batches is handed to them before the first one comes back.
    generator = torch.Generator().manual_seed(1)
    taken = []

    class Watched(list):
        def __iter__(self):
            for index in super().__iter__():
                taken.append(index)
                yield index

    rows = Watched(range(12))
    batches = iter(
        torch.utils.data.DataLoader(
            training.NoisyRows(), 4, sampler=rows, num_workers=2, generator=generator
        )
    )
    next(batches)
    assert len(taken) == 12


def test_loading_leaves_the_global_stream_alone(training):
    for loader in LOADERS:
        generator = torch.Generator().manual_seed(1)
        before = torch.get_rng_state()
        rows = loader(training.NoisyRows(), 4, generator)
        rows.next_batch()
        rows.load(rows.save())
        assert torch.equal(torch.get_rng_state(), before)


@pytest.mark.parametrize(
    ("make", "step"),
    [
        # Halves every second step: after step 4 a new one is in step again.
        (lambda optimizer: lr_scheduler.StepLR(optimizer, 2, gamma=0.5), None),
        # Multiplies the optimizer's own rate, which has been put back.
        (lambda optimizer: lr_scheduler.ExponentialLR(optimizer, 0.9), None),
        (lambda optimizer: lr_scheduler.StepLR(optimizer, 3, gamma=0.5), 7),
        (lambda optimizer: lr_scheduler.LambdaLR(optimizer, lambda n: 1 / (n + 1)), 6),
        (lambda optimizer: lr_scheduler.MultiStepLR(optimizer, [6]), 7),
    ],
)
def test_forgotten_scheduler_may_not_show(training, make, step):
    class Scheduled(training.Training):
        def __init__(self):
            super().__init__()
            self.optimizer.param_groups[0].pop("initial_lr")
            self.scheduler = make(self.optimizer)

    assert d2l.prove_resume(Scheduled, 8, (4,)).equal
    first = d2l.prove_resume(Scheduled, 8, (4,), leave_out="scheduler").first
    assert (first and first.step) == step


def test_plateau_scheduler_survives(training):
    class NeverBetter(lr_scheduler.ReduceLROnPlateau):
        def step(self):
            super().step(1.0)

    class Plateau(training.Training):
        def __init__(self):
            super().__init__()
            self.scheduler = NeverBetter(self.optimizer, patience=0)

    assert Plateau().scheduler.state_dict()["best"] == float("inf")
    assert d2l.prove_resume(Plateau, 6, (3,)).equal


@pytest.mark.parametrize(
    "make",
    [
        partial(torch.optim.SGD, lr=0.1),
        partial(torch.optim.SGD, lr=0.1, momentum=0.9, nesterov=True),
        partial(torch.optim.Adam, lr=0.1, amsgrad=True),
        partial(torch.optim.AdamW, lr=0.1, betas=(0.8, 0.9)),
        partial(torch.optim.RMSprop, lr=0.1, centered=True),
        partial(torch.optim.Adagrad, lr=0.1),
        partial(torch.optim.Adafactor, lr=0.1),
    ],
)
def test_moments_of_other_optimizers_survive(training, make, tmp_path):
    class Optimized(training.Training):
        def __init__(self):
            super().__init__()
            self.optimizer = make(self.model.parameters())
            self.scheduler = lr_scheduler.StepLR(self.optimizer, 2)

    report = d2l.prove_resume(Optimized, 6, (3,))
    assert report.equal, str(report)


def test_groups_of_an_optimizer_survive():
    one, two = nn.Linear(2, 2), nn.Linear(2, 2)
    groups = [{"params": one.parameters(), "lr": 0.5}, {"params": two.parameters()}]
    optimizer = torch.optim.SGD(groups, lr=0.1, momentum=0.9)
    two(one(torch.ones(1, 2))).sum().backward()
    optimizer.step()
    data = d2l.read_optimizer(optimizer)
    other = torch.optim.SGD(
        [{"params": one.parameters()}, {"params": two.parameters()}], lr=9.0
    )
    d2l.restore_optimizer(other, data)
    assert [group["lr"] for group in other.param_groups] == [0.5, 0.1]
    moment = other.state[two.bias]["momentum_buffer"]
    assert torch.equal(moment, optimizer.state[two.bias]["momentum_buffer"])


def test_optimizer_with_other_groups_is_refused():
    model = nn.Linear(2, 2)
    data = d2l.read_optimizer(torch.optim.SGD(model.parameters(), lr=0.1))
    other = torch.optim.SGD([{"params": [each]} for each in model.parameters()], lr=0.1)
    with pytest.raises(ValueError, match="different number of parameter groups"):
        d2l.restore_optimizer(other, data)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float64])
def test_model_in_another_precision_survives(dtype, tmp_path):
    model, other = nn.Linear(3, 2).to(dtype), nn.Linear(3, 2).to(dtype)
    d2l.save_checkpoint(tmp_path / "model.npz", {"model": d2l.read_model(model)})
    saved = d2l.load_checkpoint(tmp_path / "model.npz")
    d2l.restore_model(other, saved["model"])
    assert torch.equal(model.weight, other.weight)
    assert other.weight.dtype == dtype


def test_restored_model_keeps_its_parameters():
    # The optimizer holds these very tensors, so they must stay the same ones.
    model = nn.Linear(3, 2)
    weight = model.weight
    d2l.restore_model(model, d2l.read_model(nn.Linear(3, 2)))
    assert model.weight is weight
    assert weight.requires_grad


def test_buffers_that_are_not_persistent_are_not_saved():
    model = nn.Linear(3, 2)
    model.register_buffer("seen", torch.ones(2), persistent=False)
    model.register_buffer("kept", torch.ones(2))
    assert list(d2l.read_model(model)) == ["weight", "bias", "kept"]


def test_drop_last_leaves_out_the_rest(training):
    generator = torch.Generator().manual_seed(1)
    loader = d2l.StatefulLoader(training.NoisyRows(), 5, generator, drop_last=True)
    shapes = [loader.next_batch()[0].shape[0] for _ in range(5)]
    assert shapes == [5] * 5
    position = loader.save()
    following = [loader.next_batch()[1] for _ in range(3)]
    other = d2l.StatefulLoader(
        training.NoisyRows(), 5, torch.Generator(), drop_last=True
    )
    other.load(position)
    again = [other.next_batch()[1] for _ in range(3)]
    assert all(map(torch.equal, following, again))


def test_persistent_workers_resume(training):
    class Persistent(training.Training):
        def __init__(self):
            super().__init__()
            generator = torch.Generator().manual_seed(1)
            self.loader = d2l.ReplayingLoader(
                training.NoisyRows(),
                4,
                generator,
                num_workers=2,
                persistent_workers=True,
            )

    assert d2l.prove_resume(Persistent, 5, (2,)).equal


def test_float_of_a_moment_is_not_rounded():
    weight = nn.Parameter(torch.tensor([0.1]))
    optimizer = torch.optim.SGD([weight], lr=0.1, momentum=0.9)
    weight.sum().backward()
    optimizer.step()
    moment = d2l.read_optimizer(optimizer)["state"][0]["momentum_buffer"]
    assert moment.dtype == np.float32
