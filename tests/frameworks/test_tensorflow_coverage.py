"""Which Keras layers are seen, why others are not, and where a pass ended."""

import keras
import numpy as np
import pytest
import tensorflow as tf
from keras import layers

from d2l_support import tensorflow as d2l
from d2l_support.inspection.tensorflow.modules import Places

X = tf.reshape(tf.linspace(-1.0, 1.0, 12), (3, 4))
HELPERS = [d2l.record_activations, d2l.find_nonfinite, d2l.record_trace, d2l.count_macs]


class Chain(keras.Model):
    """Layers one after the other."""

    def __init__(self, *parts):
        super().__init__()
        self.parts = parts

    def call(self, x):
        for part in self.parts:
            x = part(x)
        return x


def build():
    keras.utils.set_random_seed(0)
    parts = layers.Dense(4, name="a"), layers.ReLU(name="b"), layers.Dense(2, name="c")
    return keras.Sequential([keras.Input((4,)), *parts])


def tell(report):
    """The text of a report, without the breaks of its lines."""
    return str(report).replace("\n  ", " ")


def test_layers_that_are_not_called_are_silent():
    net = Chain(layers.Dense(4))
    net.spare = layers.Dense(4)
    net(X)
    notes = d2l.record_activations(net, X).notes
    assert "Seen: 2 of 3 modules." in notes
    assert "Silent: spare (not called in this pass, or called as" in " ".join(notes)


def test_layers_that_only_hold_others_are_not_counted():
    class Holder(keras.Layer):
        def __init__(self):
            super().__init__()
            self.inner = layers.Dense(4)

    class Uses(keras.Model):
        def __init__(self):
            super().__init__()
            self.holder = Holder()

        def call(self, x):
            return self.holder.inner(x)

    net = Uses()
    net(X)
    assert "Seen: 2 of 2 modules." in d2l.record_activations(net, X).notes


def test_call_that_goes_round_the_wrapper_is_told():
    net = build()
    with d2l.record_activations(net) as seen:
        net.call(X)
    text = tell(seen.report)
    assert "Silent: (model) (not called in this pass, or called as layer.call" in text
    assert {row.label for row in seen.report.rows} == {"a", "b", "c"}
    with d2l.record_activations(net.layers[0]) as seen:
        net.layers[0].call(X)
    assert "No layer was called in Python." in tell(seen.report)


def test_time_distributed_goes_round_the_wrapper():
    net = layers.TimeDistributed(layers.Dense(3))
    net(tf.ones((2, 5, 4)))
    assert "Silent: layer (not called" in tell(
        d2l.record_activations(net, tf.ones((2, 5, 4)))
    )


# Graphs


@pytest.mark.parametrize("helper", HELPERS)
def test_function_that_is_traced_in_the_block_is_told_and_not_changed(helper):
    net = build()
    expected = tf.function(lambda x: net(x)).get_concrete_function(X)
    with helper(net) as seen:
        function = tf.function(lambda x: net(x)).get_concrete_function(X)
        assert np.array_equal(function(X), expected(X))
    kinds = [
        [node.op for node in made.graph.as_graph_def().node]
        for made in (expected, function)
    ]
    assert kinds[0] == kinds[1]
    assert seen.passes == 0
    text = tell(seen.report)
    assert "Seen: 0 of 4 modules." in text
    assert "(called while a tf.function was traced, where there are no values)" in text
    assert "every value" not in text.lower()


@pytest.mark.parametrize("method", ["fit", "predict", "evaluate"])
def test_fit_and_predict_are_graphs_and_that_is_told(method):
    net = build()
    net.compile("sgd", "mse")
    data = (X.numpy(),) if method == "predict" else (X.numpy(), np.ones((3, 2)))
    for _ in range(2):  # the second time, nothing is traced
        with d2l.find_nonfinite(net) as seen:
            getattr(net, method)(*data, verbose=0)
        assert (seen.passes, seen.report.found) == (0, False)
        assert seen.report.explanation == (
            "No call of a module was seen, so no activation was checked.",
        )
    assert "run_eagerly=True" in tell(seen.report)
    net.compile("sgd", "mse", run_eagerly=True)
    with d2l.find_nonfinite(net) as seen:
        getattr(net, method)(*data, verbose=0)
    assert seen.passes == 1
    assert "Seen: 4 of 4 modules." in seen.report.notes


def test_model_whose_call_is_a_graph_is_refused():
    net = build()
    net.call = tf.function(net.call)
    with pytest.raises(
        ValueError, match=r"call is a tf\.function.*run_functions_eager"
    ):
        d2l.record_activations(net, X)
    tf.config.run_functions_eagerly(True)
    try:
        assert "Seen: 4 of 4 modules." in d2l.record_activations(net, X).notes
    finally:
        tf.config.run_functions_eagerly(False)


def test_layer_whose_call_is_a_graph_is_told():
    class Fast(keras.Layer):
        def __init__(self):
            super().__init__()
            self.inner = layers.Dense(4)

        @tf.function
        def call(self, x):
            return self.inner(x)

    net = Chain(Fast())
    net(X)
    report = d2l.record_activations(net, X)
    assert {row.label for row in report.rows} == {"parts.0", "(model)"}
    reason = "(the call of parts.0 is a tf.function that was traced before)"
    assert f"Silent: parts.0.inner {reason}" in tell(report)


def test_what_is_no_model_is_refused(tmp_path):
    with pytest.raises(
        TypeError, match=r"found a tf\.function, expected a Keras model"
    ):
        d2l.record_activations(tf.function(build()), X)
    tf.saved_model.save(build(), tmp_path / "saved")
    loaded = tf.saved_model.load(tmp_path / "saved")
    with pytest.raises(TypeError, match=r"expected a keras\.Model.*saved_model\.load"):
        d2l.find_nonfinite(loaded, X)
    box = layers.TFSMLayer(tmp_path / "saved", call_endpoint="serving_default")
    assert "Seen: 1 of 1 modules." in d2l.record_activations(box, X).notes


def test_places_name_arguments_of_any_call():
    places = Places(layers.Dense(4))
    place = next(iter(places.names))
    assert (places.argument(place, 0), places.argument(place, 5)) == (
        "inputs",
        "args[5]",
    )


# Exceptions


class Boom(keras.Layer):
    def call(self, x):
        raise ValueError("boom")


def test_exception_names_the_innermost_layer():
    net = Chain(layers.ReLU(), Chain(layers.ReLU(), Boom()))
    with pytest.raises(ValueError, match="boom") as raised:
        d2l.record_activations(net, X)
    assert raised.value.__notes__ == [
        "d2l_support: raised in parts.1.parts.1 (Boom), after 2 calls of modules had "
        "ended."
    ]


def test_exception_tells_what_was_not_finite_before_it():
    net = Chain(layers.Lambda(lambda x: x / 0), Boom())
    with pytest.raises(ValueError, match="boom") as raised:
        d2l.find_nonfinite(net, X)
    assert "First: the output of parts.0 holds NaN" in raised.value.__notes__[0] or (
        "First: the output of parts.0 holds +inf" in raised.value.__notes__[0]
    )


def test_exception_that_the_model_handles_is_not_reported():
    class Careful(keras.Model):
        def __init__(self):
            super().__init__()
            self.bad, self.good = Boom(), layers.ReLU()

        def call(self, x):
            try:
                return self.bad(x)
            except ValueError:
                return self.good(x)

    net = Careful()
    report = d2l.record_activations(net, X)
    assert "ended early" not in str(report)
    assert "Seen: 3 of 3 modules." in report.notes
