"""Models, data and trainers of the package d2l, seen by the book's helpers."""

import math
from types import MethodType, ModuleType

import pytest
import tensorflow as tf


def make_regression(reference: ModuleType, lr: float):
    """A regression on the base class of d2l, without its drawing."""

    class Regression(reference.Module):
        def __init__(self) -> None:
            super().__init__()
            hidden = tf.keras.layers.Dense(8, activation="relu")
            self.net = tf.keras.Sequential([hidden, tf.keras.layers.Dense(1)])

        def loss(self, predicted, y):
            return tf.reduce_mean((predicted - y) ** 2 / 2)

        def configure_optimizers(self):
            return tf.keras.optimizers.SGD(lr)

        def plot(self, *values, **named) -> None:
            """Draws nothing: a test has no notebook to draw into."""

    model = Regression()
    assert model.loss is None, "Keras hides the method no more: put it back no more"
    model.loss = MethodType(Regression.loss, model)
    return model


@pytest.fixture
def build(d2l, reference):
    """Makes a trainer, a model and data, all of d2l, from one seed."""

    def build_from_seed(lr: float = 0.03) -> tuple:
        d2l.set_seed(0)
        slopes = tf.constant([2, -3.4])
        data = reference.SyntheticRegressionData(slopes, 4.2, num_train=96, num_val=32)
        model = make_regression(reference, lr)
        model(data.X[:2])
        return reference.Trainer(max_epochs=2), model, data

    return build_from_seed


def weights(model) -> list:
    """All numbers of a model."""
    return [variable.numpy().tolist() for variable in model.trainable_variables]


@pytest.fixture
def images():
    return tf.random.normal((2, 28, 28, 1))


@pytest.fixture
def resnet(reference, images):
    """Two residual blocks of d2l and a head."""
    layers = [
        reference.Residual(4, use_1x1conv=True),
        reference.Residual(4),
        tf.keras.layers.GlobalAveragePooling2D(),
        tf.keras.layers.Dense(3, name="head"),
    ]
    net = tf.keras.Sequential(layers)
    net(images)
    return net


@pytest.fixture
def lenet(reference, images):
    net = reference.LeNet()
    net(images)
    return net


def test_record_activations_of_lenet_names_every_layer(d2l, lenet, images):
    out = lenet(images)
    report = d2l.record_activations(lenet, images)
    shapes = [row.shape for row in report.rows if row.kind in ("Conv2D", "Dense")]
    assert shapes == [
        *((2, 28, 28, 6), (2, 10, 10, 16)),
        *((2, 120), (2, 84), (2, 10)),
    ]
    assert tf.reduce_all(lenet(images) == out)


def test_record_activations_of_a_resnet_reaches_into_its_blocks(d2l, resnet, images):
    rows = d2l.record_activations(resnet, images).rows
    kinds = [row.kind for row in rows]
    conv, norm = "Conv2D", "BatchNormalization"
    first = [conv, norm, conv, norm, conv, "Residual"]
    assert kinds[:11] == [*first, conv, norm, conv, norm, "Residual"]


def test_find_nonfinite_in_a_resnet_names_the_layer(d2l, resnet, images):
    assert "finite" in str(d2l.find_nonfinite(resnet, images))
    kernel = resnet.layers[1].conv2.kernel
    spoilt = kernel.numpy()
    spoilt[..., 0] = math.nan
    kernel.assign(spoilt)
    told = " ".join(str(d2l.find_nonfinite(resnet, images)).split())
    assert ".conv2 (Conv2D) makes it" in told
    assert ".conv2.kernel holds 36 NaN of 144" in told


def test_gradient_norms_of_lenet_are_those_of_a_pass_by_hand(d2l, lenet, images):
    report = d2l.gradient_norms(lenet, images, loss=lambda y: tf.reduce_mean(y**2))
    last = lenet.net.layers[-1].kernel
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(lenet(images) ** 2)
    by_hand = float(tf.norm(tape.gradient(loss, last)))
    [norm] = [row.norm for row in report.parameters if row.shape == (84, 10)]
    assert norm == pytest.approx(by_hand, rel=1e-5)


def test_set_seed_makes_a_trainer_of_d2l_repeat(build):
    seen = []
    for _ in range(2):
        trainer, model, data = build()
        trainer.fit(model, data)
        seen.append(weights(model))
    assert seen[0] == seen[1]


def test_a_watch_on_a_trainer_of_d2l_does_not_change_it(d2l, build):
    trainer, model, data = build()
    trainer.fit(model, data)
    plain = weights(model)
    trainer, model, data = build()
    with d2l.record_activations(model) as seen:
        trainer.fit(model, data)
    assert weights(model) == plain
    own = [row.label for row in seen.report.rows if not row.repeats]
    assert [label.partition("_")[0] for label in own] == ["net.dense"] * 2


def test_find_nonfinite_watches_a_trainer_of_d2l_diverge(d2l, build):
    trainer, model, data = build(lr=1e6)
    with d2l.find_nonfinite(model) as seen:
        trainer.fit(model, data)
    assert "(Dense) makes it" in str(seen.report)
    assert not all(math.isfinite(number) for number in weights(model)[-1])
