"""`count_macs` of TensorFlow, by hand and against TensorFlow's own profiler."""

import keras
import pytest
import tensorflow as tf
from keras import layers

from d2l_support import tensorflow as d2l


def count(layer, *shapes, **kwargs):
    """The report on a layer, on ones of these shapes."""
    inputs = [tf.ones(shape) for shape in shapes]
    layer(*inputs)
    return d2l.count_macs(layer, *inputs, kwargs=kwargs or None)


@pytest.mark.parametrize(
    ("layer", "shape", "expected"),
    [
        (layers.Dense(7), (3, 4, 5), 3 * 4 * 5 * 7),
        (layers.EinsumDense("abc,cde->abde", (4, 6, 7)), (3, 4, 5), 3 * 4 * 5 * 42),
        (layers.Conv1D(6, 3, padding="same"), (2, 9, 4), 2 * 9 * 6 * 3 * 4),
        (layers.Conv2D(6, (3, 2), strides=2), (2, 9, 9, 4), 2 * 4 * 4 * 6 * 3 * 2 * 4),
        (layers.Conv3D(3, 2), (1, 4, 4, 4, 2), 27 * 3 * 8 * 2),
        (layers.DepthwiseConv2D(3), (2, 5, 5, 4), 2 * 3 * 3 * 4 * 9),
        (layers.SeparableConv2D(6, 3), (2, 5, 5, 4), 2 * 9 * (4 * 9 + 4 * 6)),
        (layers.Conv2DTranspose(6, 3, strides=2), (2, 5, 5, 4), 2 * 25 * 4 * 9 * 6),
    ],
)
def test_layers_count_what_their_formula_says(layer, shape, expected):
    assert count(layer, shape).total == expected


def test_backbone_counts_as_tensorflows_own_profiler():
    from tensorflow.python.profiler.model_analyzer import profile
    from tensorflow.python.profiler.option_builder import ProfileOptionBuilder

    net = keras.applications.MobileNetV2(
        input_shape=(32, 32, 3), alpha=0.35, weights=None, classes=10
    )
    x = tf.ones((1, 32, 32, 3))
    graph = tf.function(net).get_concrete_function(x).graph
    options = ProfileOptionBuilder(ProfileOptionBuilder.float_operation())
    kinds = [".*Conv2D.*", ".*MatMul.*", ".*Depthwise.*"]
    options = options.account_displayed_op_only(True).with_empty_output()
    options = options.with_accounted_types(kinds).build()
    flops = profile(graph, options=options).total_float_ops
    assert d2l.count_macs(net, x).flops == pytest.approx(flops, rel=1e-3)


def test_recurrent_layers_count_their_steps_and_the_one_that_keras_adds():
    steps = 4 + 1  # the cell is called once more, to see what it gives
    assert count(layers.LSTM(7), (3, 4, 5)).total == steps * 3 * 4 * 7 * (5 + 7)
    assert count(layers.GRU(7), (3, 4, 5)).total == steps * 3 * 3 * 7 * (5 + 7)


@pytest.mark.parametrize("scores", [False, True])
def test_attention_counts_projections_scores_and_sums(scores):
    layer = layers.MultiHeadAttention(2, 4)
    shapes = (3, 5, 8), (3, 6, 8)
    report = count(layer, *shapes, return_attention_scores=scores)
    projections = 3 * (5 + 6 + 6 + 5) * 8 * 8
    assert report.total == projections + 2 * 3 * 5 * 6 * 8


def test_code_of_ones_own_counts_where_it_stands():
    class Own(keras.Layer):
        def __init__(self):
            super().__init__()
            self.kernel, self.inner = self.add_weight((4, 4)), layers.Dense(2)

        def call(self, x):
            return self.inner(x @ self.kernel)

    report = count(Own(), (3, 4))
    assert [(row.label, row.macs) for row in report.layers] == [
        ("inner", 3 * 4 * 2),
        ("(model)", 3 * 4 * 4),
    ]


def test_what_does_not_multiply_is_free():
    net = keras.Sequential(
        [layers.Embedding(5, 4), layers.LayerNormalization(), layers.PReLU()]
    )
    report = count(net, (2, 3))
    assert (report.total, report.layers) == (0, ())


def test_operations_in_a_graph_are_told():
    class Fast(keras.Layer):
        @tf.function
        def call(self, x):
            return x @ x

    report = count(keras.Sequential([keras.Input((4,)), Fast(name="fast")]), (4, 4))
    assert report.total == 0
    text = "Not counted: fast (it runs a tf.function, whose operations do not show)."
    assert text in report.notes


def test_tied_layers_count_each_call():
    layer = layers.Dense(4)
    inputs = keras.Input((4,))
    net = keras.Model(inputs, layer(layer(inputs)))
    assert count(net, (1, 4)).total == 2 * 16


def test_passes_of_ones_own_report_the_last():
    net = keras.Sequential([keras.Input((4,)), layers.Dense(2)])
    with d2l.count_macs(net) as seen:
        net(tf.ones((1, 4)))
        net(tf.ones((5, 4)))
        tf.ones((9, 9)) @ tf.ones((9, 9))
    assert (seen.passes, seen.report.total) == (2, 5 * 4 * 2)
