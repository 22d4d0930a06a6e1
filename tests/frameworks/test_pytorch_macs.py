"""`count_macs` of PyTorch, by hand and against PyTorch's own counter."""

import pytest
import torch
from torch import nn
from torch.utils.flop_counter import FlopCounterMode

from d2l_support import pytorch as d2l


@pytest.mark.parametrize(
    ("layer", "shape"),
    [
        (nn.Linear(5, 7), (3, 4, 5)),
        (nn.Conv1d(4, 6, 3, padding=1), (2, 4, 9)),
        (nn.Conv2d(4, 6, (3, 2), stride=2, groups=2, dilation=2), (2, 4, 9, 9)),
        (nn.Conv3d(2, 3, 2), (1, 2, 4, 4, 4)),
        (nn.ConvTranspose2d(4, 6, 3, stride=2, groups=2), (2, 4, 5, 5)),
        (nn.GRU(5, 7, num_layers=2), (4, 3, 5)),
        (nn.RNN(5, 7, bidirectional=True), (4, 3, 5)),
        (nn.GRUCell(5, 7), (3, 5)),
        (nn.LSTMCell(5, 7), (3, 5)),
    ],
)
def test_layers_count_as_pytorchs_own_counter(layer, shape):
    x = torch.randn(shape)
    with FlopCounterMode(display=False) as counter:
        layer(x)
    assert d2l.count_macs(layer, x).flops == counter.get_total_flops()


def test_lstm_counts_four_gates_at_each_step():
    layer = nn.LSTM(5, 7, num_layers=2, bidirectional=True, batch_first=True)
    first, second = 4 * 7 * (5 + 7), 4 * 7 * (2 * 7 + 7)
    expected = 3 * 4 * 2 * (first + second)  # batch, time, directions
    assert d2l.count_macs(layer, torch.randn(3, 4, 5)).total == expected


@pytest.mark.parametrize("batch_first", [True, False])
def test_attention_counts_projections_scores_and_sums(batch_first):
    layer = nn.MultiheadAttention(8, 2, batch_first=batch_first)
    q, k = torch.randn(3, 5, 8), torch.randn(3, 6, 8)
    if not batch_first:
        q, k = q.transpose(0, 1), k.transpose(0, 1)
    projections = 3 * (5 + 6 + 6 + 5) * 8 * 8
    attention = 2 * 3 * 5 * 6 * 8
    assert d2l.count_macs(layer, q, k, k).total == projections + attention


def test_packed_sequences_count_the_steps_there_are():
    packed = nn.utils.rnn.pack_sequence([torch.randn(3, 5), torch.randn(2, 5)])
    assert d2l.count_macs(nn.RNN(5, 7), packed).total == 5 * 7 * (5 + 7)


def test_what_does_not_multiply_is_free():
    net = nn.Sequential(nn.Embedding(5, 4), nn.LayerNorm(4), nn.PReLU(), nn.Dropout())
    report = d2l.count_macs(net, torch.tensor([0, 1]))
    assert (report.total, report.layers) == (0, ())


def test_layer_without_a_rule_is_told():
    class Own(nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = nn.Parameter(torch.ones(4, 4))

        def forward(self, x):
            return x @ self.weight

    report = d2l.count_macs(nn.Sequential(Own(), nn.Linear(4, 2)), torch.ones(1, 4))
    assert report.total == 8
    assert "Not counted: 0 (it has parameters, but there is no rule" in str(report)


def test_tied_layers_and_recomputation_count_each_call():
    from torch.utils.checkpoint import checkpoint

    layer = nn.Linear(4, 4, bias=False)
    net = nn.Sequential(layer, layer)
    assert d2l.count_macs(net, torch.ones(1, 4)).total == 2 * 16
    with d2l.count_macs(net) as seen:
        x = torch.ones(1, 4, requires_grad=True)
        checkpoint(net, x, use_reentrant=True).sum().backward()
    labels = [row.label for row in seen.report.layers]
    assert labels == [
        "0 = 1, call 1",
        "0 = 1, call 2",
        "0 = 1, recompute, call 1",
        "0 = 1, recompute, call 2",
    ]
