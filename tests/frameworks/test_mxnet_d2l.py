"""Models, data and trainers of the package d2l, seen by the book's helpers."""

import math
from types import ModuleType

import pytest
from mxnet import autograd, gluon, init, np


def make_regression(reference: ModuleType, lr: float):
    """A regression on the base class of d2l, without its drawing."""

    class Regression(reference.Module):
        def __init__(self) -> None:
            super().__init__()
            self.net = gluon.nn.Sequential()
            self.net.add(gluon.nn.Dense(8, activation="relu"), gluon.nn.Dense(1))
            self.net.initialize(init.Normal(0.1))

        def loss(self, predicted, y):
            return ((predicted - y) ** 2 / 2).mean()

        def configure_optimizers(self):
            rate = {"learning_rate": lr}
            return gluon.Trainer(self.collect_params(), "sgd", rate)

        def plot(self, *values, **named) -> None:
            """Draws nothing: a test has no notebook to draw into."""

    return Regression()


@pytest.fixture
def build(d2l, reference):
    """Makes a trainer, a model and data, all of d2l, from one seed."""

    def build_from_seed(lr: float = 0.03) -> tuple:
        d2l.set_seed(0)
        slopes = np.array([2, -3.4])
        data = reference.SyntheticRegressionData(slopes, 4.2, num_train=96, num_val=32)
        model = make_regression(reference, lr)
        model(data.X[:2])
        return reference.Trainer(max_epochs=2), model, data

    return build_from_seed


def weights(model) -> list:
    """All numbers of a model."""
    parameters = model.collect_params().values()
    return [parameter.data().asnumpy().tolist() for parameter in parameters]


@pytest.fixture
def images():
    return np.random.normal(size=(2, 1, 28, 28))


@pytest.fixture
def resnet(reference, images):
    """Two residual blocks of d2l and a head, the second with a dead weight."""
    net = gluon.nn.Sequential()
    net.add(
        reference.Residual(4, use_1x1conv=True),
        reference.Residual(4),
        gluon.nn.GlobalAvgPool2D(),
        gluon.nn.Dense(3),
    )
    net.initialize()
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
    shapes = {row.label: row.shape for row in report.rows}
    assert shapes["net.0.act"] == (2, 6, 28, 28)
    assert shapes["net.3"] == (2, 16, 5, 5)
    assert shapes["net.6"] == out.shape == (2, 10)
    assert (lenet(images) == out).all()


def test_record_activations_of_a_resnet_reaches_into_its_blocks(d2l, resnet, images):
    names = [row.label for row in d2l.record_activations(resnet, images).rows]
    assert names.index("0.conv1") < names.index("0.bn1") < names.index("0.conv3")
    assert names.index("0") < names.index("1.conv1") < names.index("1")


def test_find_nonfinite_in_a_resnet_names_the_layer(d2l, resnet, images):
    assert "finite" in str(d2l.find_nonfinite(resnet, images))
    resnet[1].conv2.weight.data()[0] = np.nan
    told = str(d2l.find_nonfinite(resnet, images))
    assert "1.conv2 (Conv2D) makes it" in told
    assert "1.conv2.weight holds 36 NaN of 144" in told


def test_gradient_norms_of_lenet_are_those_of_a_pass_by_hand(d2l, lenet, images):
    report = d2l.gradient_norms(lenet, images, loss=lambda y: (y**2).mean())
    with autograd.record(train_mode=False):
        loss = (lenet(images) ** 2).mean()
    loss.backward()
    by_hand = float(np.linalg.norm(lenet.net[6].weight.grad().reshape(-1)))
    norms = {row.label: row.norm for row in report.parameters}
    assert norms["net.6.weight"] == pytest.approx(by_hand, rel=1e-5)


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
    assert own == ["net.0.act", "net.1"]


def test_find_nonfinite_watches_a_trainer_of_d2l_diverge(d2l, build):
    trainer, model, data = build(lr=1e6)
    with d2l.find_nonfinite(model) as seen:
        trainer.fit(model, data)
    assert "net.1 (Dense) makes it" in str(seen.report)
    assert not all(math.isfinite(number) for number in weights(model)[-1])
