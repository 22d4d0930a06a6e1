"""`count_macs` of MXNet, by hand."""

import mxnet as mx
import pytest
from mxnet.gluon import Block, Parameter, nn, rnn

from d2l_support import mxnet as d2l


def count(layer, *shape):
    layer.initialize()
    x = mx.np.ones(shape)
    layer(x)
    return d2l.count_macs(layer, x).total


@pytest.mark.parametrize(
    ("layer", "shape", "expected"),
    [
        (nn.Dense(7), (3, 4, 5), 3 * 7 * 20),
        (nn.Dense(7, flatten=False), (3, 4, 5), 3 * 4 * 7 * 5),
        (nn.Conv1D(6, 3, padding=1), (2, 4, 9), 2 * 6 * 9 * 4 * 3),
        (
            nn.Conv2D(6, (3, 2), strides=2, groups=2),
            (2, 4, 9, 9),
            2 * 6 * 4 * 4 * 2 * 6,
        ),
        (nn.Conv2D(6, 3, dilation=2), (1, 4, 9, 9), 6 * 5 * 5 * 4 * 9),
        (nn.Conv3D(3, 2), (1, 2, 4, 4, 4), 3 * 27 * 2 * 8),
        (nn.Conv2DTranspose(6, 3, strides=2, groups=2), (2, 4, 5, 5), 200 * 3 * 9),
        (rnn.LSTM(7), (4, 3, 5), 4 * 3 * 4 * 7 * (5 + 7)),
        (rnn.LSTM(7, layout="NTC"), (4, 3, 5), 4 * 3 * 4 * 7 * (5 + 7)),
        (rnn.GRU(7, 2), (4, 3, 5), 4 * 3 * 3 * 7 * (5 + 7 + 7 + 7)),
        (
            rnn.RNN(7, 2, bidirectional=True),
            (4, 3, 5),
            4 * 3 * 2 * 7 * (5 + 7 + 2 * 7 + 7),
        ),
    ],
)
def test_layers_count_as_by_hand(layer, shape, expected):
    assert count(layer, *shape) == expected


@pytest.mark.parametrize(
    ("cell", "gates"), [(rnn.RNNCell, 1), (rnn.GRUCell, 3), (rnn.LSTMCell, 4)]
)
def test_cells_count_each_step(cell, gates):
    cell = cell(7, input_size=5)
    cell.initialize()
    x = mx.np.ones((2, 3, 5))
    cell.unroll(3, x, merge_outputs=True)
    with d2l.count_macs(cell) as seen:
        cell(x[:, 0], cell.begin_state(batch_size=2))
    assert seen.report.total == 2 * gates * 7 * (5 + 7)


def test_unrolled_cell_counts_every_call():
    class Unrolled(Block):
        def __init__(self):
            super().__init__()
            self.cell = rnn.GRUCell(7, input_size=5)
            self.initialize()

        def forward(self, x):
            return self.cell.unroll(3, x, merge_outputs=True)[0]

    report = d2l.count_macs(Unrolled(), mx.np.ones((2, 3, 5)))
    assert [layer.label for layer in report.layers] == [
        f"cell, call {step}" for step in (1, 2, 3)
    ]
    assert report.total == 3 * 2 * 3 * 7 * (5 + 7)


def test_what_does_not_multiply_is_free():
    net = nn.Sequential()
    net.add(
        nn.Embedding(5, 4), nn.LayerNorm(), nn.PReLU(), nn.BatchNorm(), nn.Dropout(0.5)
    )
    net.initialize()
    x = mx.np.array([0, 1])
    net(x)
    report = d2l.count_macs(net, x)
    assert (report.total, report.layers) == (0, ())


def test_layer_without_a_rule_is_told():
    class Own(Block):
        def __init__(self):
            super().__init__()
            self.weight = Parameter("weight", shape=(4, 4))

        def forward(self, x):
            return mx.np.dot(x, self.weight.data())

    net = nn.Sequential()
    net.add(Own(), nn.Dense(2, in_units=4))
    net.initialize()
    report = d2l.count_macs(net, mx.np.ones((1, 4)))
    assert report.total == 8
    assert "Not counted: 0 (it has parameters, but there is no rule" in str(report)


def test_tied_layers_count_each_call():
    layer = nn.Dense(4, in_units=4, use_bias=False)
    net = nn.Sequential()
    net.add(layer, layer)
    net.initialize()
    report = d2l.count_macs(net, mx.np.ones((1, 4)))
    assert report.total == 2 * 16
    assert [layer.label for layer in report.layers] == [
        "0 = 1, call 1",
        "0 = 1, call 2",
    ]
