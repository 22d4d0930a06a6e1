"""MXNet's stream: it cannot be saved, only agreed upon anew."""

import mxnet as mx
import pytest

from d2l_support import mxnet as d2l


def draw(count=3):
    return mx.np.random.normal(size=(count,)).asnumpy().tolist()


def test_save_says_why_it_needs_reseed(tmp_path):
    with pytest.raises(d2l.RandomStateError) as caught:
        d2l.save_random_state(tmp_path / "state.json")
    assert str(caught.value) == (
        "found no reseed, expected one, because MXNet has no call that reads the "
        "state of its generators. Call it with reseed=1, say: MXNet is seeded with "
        "it now, and again when the state is loaded."
    )
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("reseed", "error"), [(-1, ValueError), (2**32, ValueError), ("1", TypeError)]
)
def test_save_refuses_what_is_no_seed(tmp_path, reseed, error):
    with pytest.raises(error, match="give an int"):
        d2l.save_random_state(tmp_path / "state.json", reseed=reseed)


def test_running_and_resumed_process_agree_from_there_on(tmp_path):
    d2l.set_seed(3)
    draw(4)
    d2l.save_random_state(tmp_path / "state.json", reseed=11)
    running = draw()
    d2l.set_seed(9)
    d2l.load_random_state(tmp_path / "state.json")
    assert draw() == running


def test_saving_costs_the_draws_that_would_have_come(tmp_path):
    d2l.set_seed(3)
    draw(4)
    unsaved = draw()
    d2l.set_seed(3)
    draw(4)
    d2l.save_random_state(tmp_path / "state.json", reseed=11)
    assert draw() != unsaved


def test_the_same_reseed_repeats_the_same_draws(tmp_path):
    d2l.save_random_state(tmp_path / "one.json", reseed=11)
    first = draw()
    d2l.save_random_state(tmp_path / "two.json", reseed=11)
    assert draw() == first


def test_nothing_is_seeded_when_the_file_cannot_be_written(tmp_path):
    d2l.set_seed(3)
    unsaved = draw()
    d2l.set_seed(3)
    with pytest.raises(FileNotFoundError):
        d2l.save_random_state(tmp_path / "no" / "state.json", reseed=11)
    assert draw() == unsaved


def test_inventory_knows_the_new_seed(tmp_path):
    d2l.set_seed(3)
    d2l.save_random_state(tmp_path / "state.json", reseed=11)
    assert d2l.random_inventory().streams[2].seeded_by == 11
    d2l.set_seed(3)
    d2l.load_random_state(tmp_path / "state.json")
    assert d2l.random_inventory().streams[2].seeded_by == 11
