"""TensorFlow's streams: what one call reaches, and what draws unseen."""

import random
import subprocess
import sys

import keras
import pytest
import tensorflow as tf

from d2l_support import tensorflow as d2l


def find_stream(name):
    return next(s for s in d2l.random_inventory().streams if s.name == name)


def run_python(code: str) -> str:
    """What a fresh interpreter prints when it runs the code."""
    command = [sys.executable, "-c", code]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_set_seed_equals_set_random_seed():
    assert d2l.set_seed(3) is None
    drawn = tf.random.normal([4]).numpy().tolist()
    tf.keras.utils.set_random_seed(3)
    assert tf.random.normal([4]).numpy().tolist() == drawn


def test_set_seed_does_not_reach_global_generator():
    generator = tf.random.get_global_generator()
    generator.reset_from_seed(7)
    d2l.set_seed(3)
    assert tf.random.get_global_generator() is generator
    reference = tf.random.Generator.from_seed(7)
    assert generator.normal([4]).numpy().tolist() == (
        reference.normal([4]).numpy().tolist()
    )
    assert "keeps its state" in find_stream("TensorFlow generator").note


def test_inventory_does_not_make_global_generator():
    code = (
        "from tensorflow.python.ops import stateful_random_ops as ops\n"
        "from d2l_support import tensorflow as d2l\n"
        "d2l.set_seed(3)\n"
        "print(d2l.random_inventory().streams[-1].note)\n"
        "print(ops.global_generator)\n"
    )
    assert run_python(code).splitlines() == [
        "tf.random.get_global_generator() is not made yet; it will start at random.",
        "None",
    ]


def test_global_generator_starts_at_random():
    code = (
        "import tensorflow as tf\n"
        "tf.keras.utils.set_random_seed(3)\n"
        "print(tf.random.get_global_generator().state.numpy().tolist())\n"
    )
    assert run_python(code) != run_python(code)


def test_existing_layer_is_not_reached():
    layer = keras.layers.Dropout(0.5)
    layer(tf.ones([64]), training=True)
    state = layer.seed_generator.state.numpy().tolist()
    d2l.set_seed(3)
    assert layer.seed_generator.state.numpy().tolist() == state


def test_new_layer_takes_its_seed_from_python():
    d2l.set_seed(3)
    layer = keras.layers.Dropout(0.5)
    first = random.Random(3).randint(1, 10**9)  # Keras asks for one like this
    assert layer.seed_generator.state.numpy().tolist() == [first, 0]


def test_weights_come_from_python_and_not_from_tensorflow():
    d2l.set_seed(3)
    keras.layers.Dense(2).build((None, 3))
    assert find_stream("Python random").moved is True
    assert find_stream("TensorFlow operations").moved is False


def test_keras_global_is_made_anew_from_python():
    d2l.set_seed(3)
    assert find_stream("Keras global").moved is False
    drawn = keras.random.normal([4]).numpy().tolist()
    assert find_stream("Keras global").moved is True
    assert find_stream("Python random").moved is True
    assert find_stream("TensorFlow operations").moved is False
    d2l.set_seed(3)
    assert find_stream("Keras global").moved is False
    assert keras.random.normal([4]).numpy().tolist() == drawn


def draw_with_own_seed():
    return tf.random.normal([1], seed=7)


@pytest.mark.parametrize(
    "draw", [draw_with_own_seed, tf.function(lambda: tf.random.normal([1]))]
)
def test_some_draws_do_not_show(draw):
    d2l.set_seed(3)
    first, second = draw().numpy(), draw().numpy()
    assert first != second
    operations = find_stream("TensorFlow operations")
    assert operations.moved is False
    assert "without moving it" in operations.note
    d2l.set_seed(3)
    assert draw().numpy() == first  # though set_seed does reach them


def test_generator_objects_are_listed():
    layer = keras.layers.Dropout(0.5)
    own = tf.random.Generator.from_seed(7)
    inventory = d2l.random_inventory(own=own, mask=layer.seed_generator)
    generator, mask = inventory.streams[-2:]
    assert (generator.library, generator.moved) == ("TensorFlow", None)
    assert (mask.library, mask.moved) == ("Keras", False)
    layer(tf.ones([4]), training=True)
    assert d2l.random_inventory(mask=layer.seed_generator).streams[-1].moved


def test_environment_lists_changed_switches():
    name = "keras.config.set_floatx"
    assert name not in d2l.describe_environment()["flags"]
    keras.config.set_floatx("float64")
    try:
        assert d2l.describe_environment()["flags"][name] == "float64"
    finally:
        keras.config.set_floatx("float32")


def test_environment_reads_threads_back(monkeypatch):
    monkeypatch.setenv("TF_NUM_INTRAOP_THREADS", "3")
    found = d2l.describe_environment()
    assert found["threads"] == 3
    assert found["flags"]["TF_NUM_INTRAOP_THREADS"] == "3"


def test_environment_lists_op_determinism():
    code = (
        "import tensorflow as tf\n"
        "from d2l_support import tensorflow as d2l\n"
        "tf.config.experimental.enable_op_determinism()\n"
        "print(d2l.describe_environment()['flags'])\n"
    )
    assert "'tf.config.experimental.enable_op_determinism': True" in run_python(code)
