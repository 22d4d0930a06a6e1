"""MXNet: what it can resume, and what it cannot."""

import os
from functools import partial

import mxnet as mx
import numpy as np
import pytest
from mxnet import autograd, gluon, lr_scheduler

from d2l_support import mxnet as d2l
from d2l_support.resume.checkpoint import CheckpointError

LOADERS = (d2l.StatefulLoader, d2l.ReplayingLoader)


def test_dropout_cannot_go_on_undisturbed(training):
    report = d2l.prove_resume(training.build, 7, (4,))
    assert (report.first.step, report.first.name) == (5, "loss")
    assert "The state of MXNet's own stream cannot be read" in str(report)


def test_dropout_agrees_with_a_training_that_was_reseeded_too(training):
    report = d2l.prove_resume(training.build, 7, (2, 4), undisturbed=False)
    assert report.equal, str(report)


def test_without_dropout_it_goes_on_undisturbed(training):
    build = partial(training.Training, rate=0.0)
    assert d2l.prove_resume(build, 7, (2, 4)).equal


@pytest.mark.parametrize("loader", LOADERS)
@pytest.mark.parametrize("stops", [(2,), (3,)])
def test_two_workers_resume(training, loader, stops):
    build = partial(training.Training, loader=loader, workers=2)
    report = d2l.prove_resume(build, 5, stops, undisturbed=False)
    assert report.equal, str(report)


def test_workers_are_other_processes(training):
    class Rows(training.NoisyRows):
        def __getitem__(self, index):
            return np.int64(os.getpid())

    loader = d2l.StatefulLoader(Rows(), 4, np.random.default_rng(1), num_workers=2)
    assert os.getpid() not in loader.next_batch().asnumpy().tolist()


def test_mask_repeats_after_the_same_reseed(training):
    d2l.read_random_state(reseed=5)
    drop = gluon.nn.Dropout(0.5)
    masks = []
    for _ in range(2):
        d2l.read_random_state(reseed=5)
        with autograd.record():
            masks.append(drop(mx.np.ones(20)).asnumpy().tolist())
    assert masks[0] == masks[1]


def test_each_saving_reseeds_with_another_number(training):
    trained = training.build()
    seeds = []
    for _ in range(2):
        trained.step()
        content = trained.items()["random streams"].save()
        seeds.append(content["process"]["MXNet"]["state"]["seed"])
    assert seeds == [1001, 1002]


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("sgd", {}),
        ("adam", {}),
        ("adamw", {}),
        ("rmsprop", {"centered": True}),
        ("nag", {"momentum": 0.9}),
    ],
)
def test_moments_of_other_optimizers_survive(training, name, options):
    class Optimized(training.Training):
        def __init__(self):
            super().__init__(rate=0.0)
            settings = {"learning_rate": 0.1, **options}
            self.trainer = gluon.Trainer(self.net.collect_params(), name, settings)

    report = d2l.prove_resume(Optimized, 5, (3,))
    assert report.equal, str(report)


@pytest.mark.parametrize(
    "make",
    [
        lambda: lr_scheduler.FactorScheduler(2, factor=0.5, base_lr=0.1),
        lambda: lr_scheduler.MultiFactorScheduler([2, 4], factor=0.5, base_lr=0.1),
        lambda: lr_scheduler.PolyScheduler(10, base_lr=0.1, warmup_steps=2),
    ],
)
def test_schedules_that_change_as_they_are_asked_survive(training, make):
    class Scheduled(training.Training):
        def __init__(self):
            super().__init__(rate=0.0)
            options = {"learning_rate": 0.1, "lr_scheduler": make()}
            self.trainer = gluon.Trainer(self.net.collect_params(), "sgd", options)

        def values(self):
            rate = {"rate": np.array(self.trainer.learning_rate)}
            return super().values() | rate

    report = d2l.prove_resume(Scheduled, 7, (3,))
    assert report.equal, str(report)
    assert not d2l.prove_resume(Scheduled, 7, (3,), leave_out="scheduler").equal


def test_parameters_that_wait_for_their_shape_are_filled():
    def build():
        net = gluon.nn.Dense(3)
        net.initialize()
        return net

    net, other = build(), build()
    net(mx.np.ones((1, 2)))
    d2l.restore_model(other, d2l.read_model(net))
    assert (
        other.weight.data().asnumpy().tolist() == net.weight.data().asnumpy().tolist()
    )


def test_filling_them_draws_nothing():
    net, other = gluon.nn.Dense(3), gluon.nn.Dense(3)
    for each in (net, other):
        each.initialize()
    net(mx.np.ones((1, 2)))
    d2l.set_seed(3)
    first = mx.np.random.normal(size=(3,)).asnumpy().tolist()
    d2l.set_seed(3)
    d2l.restore_model(other, d2l.read_model(net))
    other(mx.np.ones((1, 2)))
    assert mx.np.random.normal(size=(3,)).asnumpy().tolist() == first


def test_moments_of_another_optimizer_are_refused(training):
    trained = training.build()
    trained.step()
    data = d2l.read_optimizer(trained.trainer)
    other = gluon.Trainer(trained.net.collect_params(), "adam")
    with pytest.raises(CheckpointError, match="Use the optimizer that was saved"):
        d2l.restore_optimizer(other, data)


def test_trainer_of_its_own_writes_pickle(training, tmp_path):
    # Why the moments are not saved with the trainer's own method.
    trained = training.build()
    trained.step()
    trained.trainer.save_states(str(tmp_path / "trainer.states"))
    raw = (tmp_path / "trainer.states").read_bytes()
    assert raw[:1] == b"\x80"
    assert b"mxnet.optimizer" in raw
