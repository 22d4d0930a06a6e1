"""The proof of a resumed training, on a training in NumPy alone."""

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest

from d2l_support.resume.checkpoint import load_checkpoint
from d2l_support.resume.proof import check_stops, describe_plan, make_prover
from d2l_support.resume.training import Item

prove_resume = make_prover("toy")
SAMPLE = Path(__file__).parents[1] / "samples" / "toy_training.py"


@pytest.fixture(scope="module")
def toy():
    """The module with the training."""
    spec = importlib.util.spec_from_file_location("toy_training", SAMPLE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module
    sys.modules.pop("d2l_support.toy")


@pytest.mark.parametrize("stops", [(2,), (3,), (1, 5), (6, 3), range(1, 7)])
def test_resumed_training_equals_the_uninterrupted_one(toy, stops):
    report = prove_resume(toy.build, 7, stops)
    assert report.equal
    assert report.first is None
    assert [row.name for row in report.rows] == [
        "loss",
        "weight",
        "model",
        "optimizer",
        "scheduler",
        "loader position",
        "random streams",
    ]


@pytest.mark.parametrize(
    ("item", "step", "loaded", "name"),
    [
        ("model", 4, True, "weight"),
        ("optimizer", 5, False, "weight"),
        ("scheduler", 5, False, "weight"),
        ("loader position", 5, False, "loss"),
        ("random streams", 5, False, "loss"),
    ],
)
def test_item_left_out_shows_at_its_step(toy, item, step, loaded, name):
    report = prove_resume(toy.build, 7, (4,), leave_out=item)
    assert not report.equal
    first = report.first
    assert (first.step, first.loaded, first.name) == (step, loaded, name)
    assert first.uninterrupted != first.resumed
    assert "but for the " + item in report.plan


def test_numbers_of_the_first_difference_are_those_of_the_trainings(toy):
    report = prove_resume(toy.build, 7, (4,), leave_out="optimizer")
    toy.TOY.set_seed(0)
    training = toy.build()
    for _ in range(5):
        training.step()
    index = int(report.first.place.strip("[]"))
    assert report.first.uninterrupted == str(training.weight[index])


def test_several_stops_lose_something_at_the_first_one(toy):
    report = prove_resume(toy.build, 7, (2, 5), leave_out="optimizer")
    assert report.first.step == 3


def test_another_seed_starts_another_training(toy):
    reports = [
        prove_resume(toy.build, 7, (4,), leave_out="model", seed=seed)
        for seed in (0, 0, 1)
    ]
    assert str(reports[0]) == str(reports[1]) != str(reports[2])


def test_streams_of_the_process_do_not_matter(toy):
    one = prove_resume(toy.build, 7, (4,), leave_out="random streams")
    np.random.seed(99)
    two = prove_resume(toy.build, 7, (4,), leave_out="random streams")
    assert one == two


def test_what_is_drawn_and_not_saved_shows(toy):
    class Unsaved(toy.Training):
        def __init__(self):
            super().__init__()
            self.y = np.random.normal(size=12)  # other data in another process

    report = prove_resume(Unsaved, 7, (4,))
    assert (report.first.step, report.first.name) == (5, "loss")


def test_checkpoints_are_real_files(toy, tmp_path):
    prove_resume(toy.build, 7, (2, 5), folder=tmp_path)
    names = sorted(file.name for file in tmp_path.iterdir())
    assert names == ["step-2.npz", "step-5.npz"]
    items = load_checkpoint(tmp_path / "step-5.npz")
    assert items["scheduler"] == {"count": 5}
    assert items["model"]["weight"].shape == (6,)


def test_new_processes_agree_as_well(toy):
    assert prove_resume(toy.build, 7, (4,), new_process=True).equal


def test_new_processes_show_what_is_left_out(toy):
    here = prove_resume(toy.build, 7, (4,), leave_out="optimizer")
    there = prove_resume(toy.build, 7, (4,), leave_out="optimizer", new_process=True)
    assert str(there) == str(here)


def test_saving_that_disturbs_is_seen(toy):
    class Disturbed(toy.Training):
        def items(self):
            def save():
                self.weight = self.weight + 1
                return {}

            return super().items() | {"noise": Item(save, lambda data: None)}

    # The process that saved is thrown away, so its loss does not show,
    assert prove_resume(Disturbed, 7, (4,)).equal
    # unless the other training saves as well, and lives on.
    report = prove_resume(Disturbed, 7, (4,), undisturbed=False)
    assert (report.first.step, report.first.name) == (5, "loss")
    assert report.plan.endswith("Both trainings save there.")


@pytest.mark.parametrize("stops", [(), (0,), (7,), (2, 8), (-1,)])
def test_stops_have_to_lie_inside(stops):
    with pytest.raises(ValueError, match="give steps from 1 to 6"):
        check_stops(7, stops)


def test_item_to_leave_out_has_to_exist(toy):
    names = "model, optimizer, scheduler, loader position, random streams"
    message = f"^leave_out is 'loader': give one of {names}\\.$"
    with pytest.raises(ValueError, match=message):
        prove_resume(toy.build, 7, (4,), leave_out="loader")


def test_plan_in_words():
    assert describe_plan((2, 4), 6, None, True) == (
        "6 steps; saved, built anew and loaded after step 2 and 4."
    )
