"""TensorFlow's states: what can be put back, and what starts again."""

import subprocess
import sys

import keras
import pytest
import tensorflow as tf
from keras.src.backend.common import global_state
from tensorflow.python.eager import context
from tensorflow.python.ops import stateful_random_ops

from d2l_support import tensorflow as d2l


@pytest.fixture(autouse=True)
def seeded(monkeypatch):
    """A seeded process without a global generator of TensorFlow's."""
    monkeypatch.setattr(stateful_random_ops, "global_generator", None)
    d2l.set_seed(3)


def draw(count=3):
    return tf.random.normal([count]).numpy().tolist()


def test_save_refuses_a_process_without_a_seed(tmp_path):
    code = (
        "import sys\n"
        "from d2l_support import tensorflow as d2l\n"
        "try:\n"
        "    d2l.save_random_state(sys.argv[1])\n"
        "except d2l.RandomStateError as error:\n"
        "    print(error)\n"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "never.json")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == (
        "found TensorFlow without a seed, so that its next draws cannot be saved, "
        "expected a seeded process. Call set_seed first.\n"
    )
    assert not list(tmp_path.iterdir())


def test_operations_go_on_where_they_were(tmp_path):
    draw(4)
    d2l.save_random_state(tmp_path / "state.json")
    following = draw()
    draw()
    d2l.load_random_state(tmp_path / "state.json")
    assert draw() == following


def test_putting_back_the_seeds_is_not_enough():
    # A kernel that has drawn with a pair of seeds goes on counting.
    state = context.context()._rng.getstate()
    first = draw()
    context.context()._rng.setstate(state)
    assert draw() != first


def test_draws_with_a_seed_of_their_own_start_again(tmp_path):
    def draw_seeded():
        return float(tf.random.normal([], seed=7))

    first, _ = draw_seeded(), draw_seeded()
    d2l.save_random_state(tmp_path / "state.json")
    third = draw_seeded()
    d2l.load_random_state(tmp_path / "state.json")
    assert draw_seeded() == first != third


def test_draws_in_a_function_start_again(tmp_path):
    draw_compiled = tf.function(lambda: tf.random.normal([]))
    first, _ = float(draw_compiled()), float(draw_compiled())
    d2l.save_random_state(tmp_path / "state.json")
    third = float(draw_compiled())
    d2l.load_random_state(tmp_path / "state.json")
    assert float(draw_compiled()) == first != third


def test_generator_object_in_a_function_goes_on(tmp_path):
    generator = tf.random.Generator.from_seed(7)
    draw_compiled = tf.function(lambda: generator.normal([]))
    draw_compiled()
    d2l.save_random_state(tmp_path / "state.json", generator=generator)
    following = float(draw_compiled())
    d2l.load_random_state(tmp_path / "state.json", generator=generator)
    assert float(draw_compiled()) == following


def test_keras_global_is_put_back_in_place(tmp_path):
    keras.random.normal((2,))
    d2l.save_random_state(tmp_path / "state.json")
    generator = global_state.get_global_attribute("global_seed_generator")
    following = keras.random.normal((2,)).numpy().tolist()
    d2l.load_random_state(tmp_path / "state.json")
    assert global_state.get_global_attribute("global_seed_generator") is generator
    assert keras.random.normal((2,)).numpy().tolist() == following


def test_keras_global_that_was_not_made_is_not_made(tmp_path):
    d2l.save_random_state(tmp_path / "state.json")
    following = keras.random.normal((2,)).numpy().tolist()
    d2l.load_random_state(tmp_path / "state.json")
    assert global_state.get_global_attribute("global_seed_generator") is None
    assert keras.random.normal((2,)).numpy().tolist() == following


def test_keras_global_is_made_without_drawing(tmp_path):
    keras.random.normal((2,))
    d2l.save_random_state(tmp_path / "state.json")
    following = keras.random.normal((2,)).numpy().tolist()
    d2l.set_seed(9)  # takes the generator away
    d2l.load_random_state(tmp_path / "state.json")
    assert keras.random.normal((2,)).numpy().tolist() == following


def test_global_generator_is_put_back_in_place(tmp_path):
    generator = tf.random.get_global_generator()
    d2l.save_random_state(tmp_path / "state.json")
    following = generator.normal([2]).numpy().tolist()
    d2l.load_random_state(tmp_path / "state.json")
    assert tf.random.get_global_generator() is generator
    assert generator.normal([2]).numpy().tolist() == following


def test_global_generator_is_made(tmp_path):
    d2l.set_seed(3)
    tf.random.get_global_generator().reset_from_seed(5)
    d2l.save_random_state(tmp_path / "state.json")
    following = tf.random.get_global_generator().normal([2]).numpy().tolist()
    tf.random.set_global_generator(None)
    d2l.load_random_state(tmp_path / "state.json")
    assert tf.random.get_global_generator().normal([2]).numpy().tolist() == following


def test_global_generator_that_was_not_made_is_taken_away(tmp_path):
    d2l.save_random_state(tmp_path / "state.json")
    tf.random.get_global_generator()
    d2l.load_random_state(tmp_path / "state.json")
    assert stateful_random_ops.global_generator is None


def test_generator_of_another_algorithm_is_another_kind():
    philox = tf.random.Generator.from_seed(7, alg="philox")
    content = d2l.read_random_state(own=philox)
    message = (
        r"\(algorithm 1\)', expected that of 'tf.random.Generator \(algorithm 2\)'"
    )
    with pytest.raises(d2l.RandomStateError, match=message):
        d2l.restore_random_state(
            content, own=tf.random.Generator.from_seed(7, alg="threefry")
        )


def test_model_stands_for_the_generators_inside(tmp_path):
    def build():
        layers = [keras.layers.Dropout(0.5), keras.layers.Dense(3)]
        return keras.Sequential([keras.Input((4,)), *layers, keras.layers.Dropout(0.5)])

    model, ones = build(), tf.ones((2, 4))
    model(ones, training=True)
    d2l.save_random_state(tmp_path / "state.json", model=model)
    following = model(ones, training=True).numpy().tolist()
    other = build()
    other.set_weights(model.get_weights())
    d2l.load_random_state(tmp_path / "state.json", model=other)
    assert other(ones, training=True).numpy().tolist() == following


def test_layer_that_does_not_draw_is_refused():
    message = "found plain, which has no seed generator, expected a layer that draws"
    with pytest.raises(d2l.RandomStateError, match=message):
        d2l.read_random_state(layer=keras.layers.Dense(3, name="plain"))


def test_model_with_other_layers_is_another_kind():
    content = d2l.read_random_state(mask=keras.layers.Dropout(0.5))
    two = keras.Sequential([keras.layers.Dropout(0.5), keras.layers.Dropout(0.5)])
    message = "with 1 seed generators', expected that of 'keras.Layer with 2"
    with pytest.raises(d2l.RandomStateError, match=message):
        d2l.restore_random_state(content, mask=two)
