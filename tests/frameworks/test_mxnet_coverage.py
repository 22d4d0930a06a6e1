"""Which Gluon blocks are seen, why others are not, and where a pass ended."""

import math

import mxnet as mx
import pytest
from mxnet import autograd, gluon
from mxnet.gluon import Block, HybridBlock, nn, rnn

from d2l_support import mxnet as d2l
from d2l_support.inspection.mxnet.blocks import Places

X = mx.np.linspace(-1, 1, 12).reshape(3, 4)


def chain(*layers, kind=nn.HybridSequential):
    net = kind()
    net.add(*layers)
    return net


def build(*more):
    mx.np.random.seed(0)
    net = chain(nn.Dense(4, in_units=4), nn.Activation("relu"), *more)
    net.initialize()
    return net


class Attention(HybridBlock):
    """Attention with several heads, written by hand."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value, self.out = (
            nn.Dense(width, in_units=width, flatten=False) for _ in range(4)
        )

    def split(self, x):
        """(batch, time, width) as (batch, heads, time, part)."""
        batch, time, width = x.shape
        x = x.reshape(batch, time, self.heads, width // self.heads)
        return x.transpose(0, 2, 1, 3)

    def forward(self, x, mask=None):
        q, k, v = (self.split(f(x)) for f in (self.query, self.key, self.value))
        scores = mx.np.matmul(q, k.swapaxes(2, 3)) / math.sqrt(q.shape[-1])
        if mask is not None:
            scores = scores + mask
        mixed = mx.np.matmul(mx.npx.softmax(scores), v)
        return self.out(mixed.transpose(0, 2, 1, 3).reshape(*x.shape))


class Encoder(HybridBlock):
    """A transformer block."""

    def __init__(self, width, heads):
        super().__init__()
        self.attention = Attention(width, heads)
        self.norm1, self.norm2 = (nn.LayerNorm(in_channels=width) for _ in range(2))
        self.mlp = chain(
            nn.Dense(2 * width, in_units=width, flatten=False, activation="relu"),
            nn.Dense(width, in_units=2 * width, flatten=False),
        )

    def forward(self, x, mask=None):
        x = x + self.attention(self.norm1(x), mask)
        return x + self.mlp(self.norm2(x))


def test_transformer_block_is_seen_whole():
    net = Encoder(8, 2)
    net.initialize(mx.init.Xavier())
    x = mx.np.random.normal(size=(2, 5, 8))
    mask = mx.np.triu(mx.np.full((5, 5), -math.inf, dtype="float32"), 1)
    report = d2l.record_activations(net, x, mask)
    assert "Seen: 12 of 12 modules." in report.notes
    assert {"attention", "attention.query", "mlp.0.act"} <= {
        r.label for r in report.rows
    }
    assert d2l.find_nonfinite(net, x, mask).first == "mask"
    assert not d2l.find_nonfinite(net, x, mask, allow_neginf="mask").found
    norms = d2l.gradient_norms(net, x, mask, loss=lambda out: (out**2).mean())
    assert len(norms.parameters) == 16


def test_root_that_is_hybridized_is_refused_with_the_mend():
    net = build()
    net.hybridize()
    with pytest.raises(ValueError, match=r"Write net\.hybridize\(active=False\), look"):
        d2l.record_activations(net, X)
    net.hybridize(active=False)
    assert "Seen: 3 of 3 modules." in d2l.record_activations(net, X).notes


@pytest.mark.parametrize("options", [{}, {"static_alloc": True, "static_shape": True}])
def test_hybridized_child_is_seen_from_outside_only(options):
    inner = build(nn.Dense(2, in_units=4))
    net = chain(nn.Dense(4, in_units=4), inner, kind=nn.Sequential)
    net.initialize(force_reinit=True)
    expected = net(X).asnumpy().tobytes()
    inner.hybridize(**options)
    for _ in range(2):  # the first call traces the graph
        with d2l.record_activations(net) as seen:
            assert net(X).asnumpy().tobytes() == expected
        assert [row.label for row in seen.report.rows] == ["0", "1", "(model)"]
        told = "(inside the graph of 1: net.hybridize(active=False) opens it)"
        assert told in str(seen.report).replace("\n  ", " ")
    assert "Seen: 3 of 6 modules." in seen.report.notes
    assert "_call_cached_op" not in vars(inner)


def test_hybridized_child_is_blamed_for_what_comes_out_of_its_graph():
    inner = build(nn.Dense(2, in_units=4))
    net = chain(
        nn.Dense(4, in_units=4), inner, nn.Dense(1, in_units=2), kind=nn.Sequential
    )
    net.initialize(force_reinit=True)
    inner.hybridize()
    net(X)
    inner[2].bias.data()[1] = math.inf
    assert d2l.find_nonfinite(net, X).first == "1"
    with d2l.gradient_norms(net) as seen:
        with autograd.record():
            loss = net(X * 0).sum()
        loss.backward()
    assert {"0", "1", "2"} <= {row.label for row in seen.report.activations}


def test_symbol_block_cannot_have_hooks_but_is_seen(tmp_path):
    net = build()
    net.hybridize()
    net(X)
    net.export(str(tmp_path / "net"))
    files = (
        str(tmp_path / "net-symbol.json"),
        ["data"],
        str(tmp_path / "net-0000.params"),
    )
    block = gluon.SymbolBlock.imports(*files)
    # Gluon's own call of a hook fails here, which is why none is set.
    handle = block.register_forward_hook(lambda *_: None)
    with pytest.raises(TypeError, match="can only concatenate list"):
        block(X)
    handle.detach()
    with pytest.raises(ValueError, match=r"found a SymbolBlock.*cannot have hooks"):
        d2l.record_activations(block, X)
    around = chain(block, kind=nn.Sequential)
    report = d2l.record_activations(around, X)
    assert [row.label for row in report.rows] == ["0", "(model)"]


def test_what_is_no_block_is_refused():
    with pytest.raises(
        TypeError, match="found a model of type function, expected a gl"
    ):
        d2l.record_activations(lambda x: x, X)


def test_blocks_in_plain_lists_are_told():
    class Listed(Block):
        def __init__(self):
            super().__init__()
            self.layers = [nn.Dense(4, in_units=4)]
            self.layers[0].initialize()
            self.spare = nn.Dense(4, in_units=4)

        def forward(self, x):
            return self.layers[0](x)

    net = Listed()
    net.spare.initialize()
    notes = d2l.record_activations(net, X).notes
    assert notes[0] == "Seen: 1 of 2 modules."
    assert notes[1].startswith("Silent: spare (not called in this pass")
    assert notes[2].startswith("The blocks in the list or dictionary layers are not")


def test_cells_with_a_call_of_their_own_are_silent():
    net = rnn.SequentialRNNCell()
    net.add(rnn.GRUCell(3, input_size=4))
    net.initialize()
    net(X, net.begin_state(batch_size=3))
    with d2l.record_activations(net) as seen:
        net(X, net.begin_state(batch_size=3))
    assert [row.label for row in seen.report.rows] == ["0[0]", "0[1][0]"]
    assert "Silent: (model) (not called in this pass, or round" in str(seen.report)


def test_places_name_arguments():
    places = Places(Encoder(4, 2))
    place = next(iter(places.names))
    assert [places.argument(place, at) for at in (0, 1, 5)] == ["x", "mask", "args[5]"]


# Exceptions


class Boom(HybridBlock):
    def forward(self, x):
        raise ValueError("boom")


def test_exception_names_the_innermost_block():
    net = build(chain(nn.Activation("tanh"), Boom()))
    with pytest.raises(ValueError, match="boom") as raised:
        d2l.record_activations(net, X)
    assert raised.value.__notes__ == [
        "d2l_support: raised in 2.1 (Boom), after 3 calls of modules had ended."
    ]


def test_exception_tells_what_was_not_finite_before_it():
    net = build(Boom())
    net[0].bias.data()[1] = math.inf
    with pytest.raises(ValueError, match="boom") as raised:
        d2l.find_nonfinite(net, X)
    assert "First: the output of 0 holds +inf." in raised.value.__notes__[0]


def test_shape_that_does_not_fit_is_told_with_the_layer():
    net = build(nn.Dense(2, in_units=5))
    with pytest.raises(AssertionError) as raised:
        d2l.record_activations(net, X)
    assert "raised in 2 (Dense), after 2 calls" in raised.value.__notes__[0]


def test_exception_that_the_model_handles_is_not_reported():
    class Careful(Block):
        def __init__(self):
            super().__init__()
            self.bad, self.good = chain(Boom()), nn.Dense(4, in_units=4)
            self.initialize()

        def forward(self, x):
            try:
                return self.bad(x)
            except ValueError:
                return self.good(x)

    report = d2l.record_activations(Careful(), X)
    assert "ended early" not in str(report)
    assert [row.label for row in report.rows] == ["good", "(model)"]
    trace = d2l.record_trace(Careful(), X)
    assert [len(call.inputs) for call in trace.run.calls] == [1, 1]
