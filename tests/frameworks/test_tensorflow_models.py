"""TensorFlow helpers on the kinds of model that people have."""

import keras
import numpy as np
import pytest
import tensorflow as tf
from keras import layers

from d2l_support import tensorflow as d2l

X = tf.random.stateless_normal((2, 5, 4), (0, 0))


def test_backbone_of_keras_applications_is_seen_whole():
    keras.utils.set_random_seed(0)
    net = keras.applications.MobileNetV3Small(
        input_shape=(32, 32, 3), weights=None, classes=10
    )
    x = tf.random.normal((2, 32, 32, 3))
    kwargs = {"training": True}  # else batch norm shrinks all to nothing
    report = d2l.record_activations(net, x, kwargs=kwargs)
    names = [x.name for x in net.operations if not isinstance(x, layers.InputLayer)]
    assert {row.names[0] for row in report.rows} == {*names, ""}
    probe = keras.Model(net.input, net.get_layer("conv_1").output)
    net.trainable = False  # so that the probe leaves its averages alone
    expected = probe(x, training=False).numpy().std(ddof=1)
    found = d2l.record_activations(net, x)["conv_1"].std
    assert found == pytest.approx(expected, rel=1e-4)
    net.get_layer("expanded_conv_3_project").kernel.assign_add(
        np.full((1, 1, 96, 40), np.inf)
    )
    assert d2l.find_nonfinite(net, x).first == "expanded_conv_3_project"


@pytest.mark.parametrize("kind", [layers.LSTM, layers.GRU])
def test_recurrent_layers_show_output_state_and_every_step(kind):
    layer = kind(3, return_sequences=True, return_state=True, name="rnn")
    outputs = layer(X)
    report = d2l.record_activations(layer, X)
    assert report["(model)[0]"].std == pytest.approx(outputs[0].numpy().std(ddof=1))
    assert len([r for r in report.rows if r.label.startswith("(model)")]) == len(
        outputs
    )
    calls = {row.call for row in report.rows if row.names == ("cell",)}
    assert calls == {1, 2, 3, 4, 5, 6}  # Keras calls the cell once to see its output
    assert report["cell[0], call 2"].std == report["cell[0], call 1"].std


def test_nan_in_a_recurrent_kernel_is_found_in_the_cell():
    layer = layers.LSTM(3)
    layer(X)
    kernel = layer.cell.recurrent_kernel.numpy()
    kernel[0, 0] = np.nan
    layer.cell.recurrent_kernel.assign(kernel)
    report = d2l.find_nonfinite(layer, X)
    assert report.first == "cell"
    assert "cell.recurrent_kernel holds 1 NaN of 36" in " ".join(report.explanation)


def test_attention_shows_its_projections_and_tells_what_is_fused():
    layer = layers.MultiHeadAttention(2, 2)
    layer(X, X)
    report = d2l.record_activations(layer, X, X)
    names = [row.names[0] for row in report.rows]
    assert names == ["query", "key", "value", "attention_output", ""]
    assert "Silent: softmax, dropout (keras.layers.MultiHeadAttention" in str(report)
    kwargs = {"return_attention_scores": True}
    slow = d2l.record_activations(layer, X, X, kwargs=kwargs)
    assert slow["softmax"].mean == pytest.approx(1 / 5)


class Block(keras.Layer):
    """A transformer block."""

    def __init__(self, width, heads, **named):
        super().__init__(**named)
        self.norms = [layers.LayerNormalization(), layers.LayerNormalization()]
        self.attention = layers.MultiHeadAttention(heads, width // heads)
        self.mlp = keras.Sequential(
            [
                layers.Dense(4 * width, "gelu", name="up"),
                layers.Dense(width, name="down"),
            ]
        )

    def call(self, x, mask=None):
        h = self.norms[0](x)
        x = x + self.attention(h, h, attention_mask=mask, use_causal_mask=True)
        return x + self.mlp(self.norms[1](x))


def test_transformer_block_names_parts_by_attribute():
    block = Block(4, 2)
    block(X)
    report = d2l.record_activations(block, X)
    names = {row.names[0] for row in report.rows}
    assert {"norms.0", "attention.query", "attention", "mlp.up", "mlp"} <= names
    gradients = d2l.gradient_norms(block, X, loss=lambda out: tf.reduce_mean(out**2))
    assert {row.names[0] for row in gradients.parameters} >= {
        "norms.0.gamma",
        "attention.key.kernel",
        "mlp.up.bias",
    }
    up = block.mlp.get_layer("up")
    up.kernel.assign(up.kernel * np.inf)
    assert d2l.find_nonfinite(block, X).first == "mlp.up"


def test_batch_norm_in_training_is_not_moved():
    net = keras.Sequential(
        [keras.Input((4,)), layers.Dense(4), layers.BatchNormalization(name="norm")]
    )
    x, kwargs = tf.random.normal((8, 4)), {"training": True}
    before = [v.numpy() for v in net.variables]
    report = d2l.record_activations(net, x, kwargs=kwargs)
    assert report["norm"].mean == pytest.approx(0.0, abs=1e-5)
    after = [v.numpy() for v in net.variables]
    assert all(np.array_equal(*pair) for pair in zip(before, after, strict=True))
    net(x, training=True)
    assert not np.array_equal(before[-1], net.variables[-1])


def test_operations_of_a_functional_model_are_seen():
    inputs = keras.Input((4,))
    hidden = layers.Dense(4, name="dense")(inputs)
    total = keras.ops.add(inputs, hidden)
    net = keras.Model(inputs, total / (hidden - hidden))
    report = d2l.find_nonfinite(net, tf.ones((2, 4)))
    assert report.first.startswith(("divide", "true_divide"))
    assert (
        "makes it: its inputs are finite, its output is not." in report.explanation[1]
    )


def test_nested_functional_models_called_twice():
    i = keras.Input((4,))
    inner = keras.Model(i, layers.Dense(4, name="dense")(i), name="inner")
    j = keras.Input((4,))
    net = keras.Model(j, layers.Dense(2, name="head")(inner(inner(j))))
    labels = [row.label for row in d2l.record_activations(net, tf.ones((2, 4))).rows]
    assert labels == [
        "inner.dense, call 1",
        "inner, call 1",
        "inner.dense, call 2",
        "inner, call 2",
        "head",
        "(model)",
    ]
