"""`record_trace` and `find_divergence` of PyTorch."""

import copy
import hashlib
import subprocess
import sys

import numpy as np
import pytest
import torch
from torch import nn

from d2l_support import pytorch as d2l

X = torch.linspace(-1, 1, 12).reshape(3, 4)


def build():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Dropout(0.5), nn.Linear(8, 2))


class Gives(nn.Module):
    def __init__(self, thing):
        super().__init__()
        self.thing = thing

    def forward(self, x):
        return self.thing


def test_digest_is_that_of_the_bytes_numpy_sees():
    net = build().eval()
    trace = d2l.record_trace(net, X)
    output = net(X).detach().numpy()
    expected = hashlib.sha256(b"float32 [3, 2]\n" + output.tobytes()).hexdigest()
    assert trace.digests[trace.run.calls[-1].outputs[0][1]] == expected


@pytest.mark.parametrize(
    "x",
    [
        torch.arange(6).reshape(2, 3).t(),
        torch.ones(2, dtype=torch.bfloat16),
        torch.ones(3).to(torch.float8_e4m3fn),
        torch.tensor([True, False]),
        torch.tensor([1 + 2j]).conj(),
        torch.ones(1).expand(4),
        torch.tensor(3.0, dtype=torch.float16),
        torch.empty(0, 2),
    ],
)
def test_every_plain_dtype_is_traced(x):
    trace = d2l.record_trace(Gives(x), X)
    value = trace.run.values[trace.run.calls[-1].outputs[0][1]]
    assert value.skipped == ""
    assert len(value.data) == x.numel() * x.element_size()
    if x.dtype not in (torch.bfloat16, torch.float8_e4m3fn):
        assert value.data == np.ascontiguousarray(x.resolve_conj().numpy()).tobytes()


def test_what_has_no_bytes_is_told():
    report = d2l.find_divergence(Gives(torch.eye(2).to_sparse()), Gives(None), X)
    assert "Not checked: (model) (layout sparse_coo)." in report.notes


def test_same_model_agrees_with_itself_in_training_mode():
    net = build().train()
    assert not d2l.find_divergence(net, net, X).found


def test_other_random_state_is_told():
    net = build().train()
    first = d2l.record_trace(net, X)
    torch.manual_seed(7)
    report = d2l.find_divergence(first, net, X)
    assert report.first == "2"
    assert "Random streams that began differently: PyTorch cpu." in report.notes


def test_other_mode_is_found_at_the_layer_that_minds():
    report = d2l.find_divergence(build().eval(), build().train(), X)
    assert report.first == "2"
    assert report.explanation[1] == (
        "2 (Dropout) makes it: its inputs are equal, its output is not."
    )


def test_buffer_that_differs_is_told():
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4)).eval()
    other = copy.deepcopy(net)
    other[1].running_mean += 0.5
    report = d2l.find_divergence(net, other, X)
    assert report.first == "1"
    assert report.explanation[-1] == "Its own values differ: 1.running_mean."


def test_code_of_a_container_is_found():
    class Scaled(nn.Module):
        def __init__(self, scale):
            super().__init__()
            torch.manual_seed(0)
            self.scale, self.head, self.tail = scale, nn.Linear(4, 4), nn.Linear(4, 4)

        def forward(self, x):
            return self.tail(self.head(x) * self.scale)

    report = d2l.find_divergence(Scaled(1.0), Scaled(1.5), X)
    assert report.first == "(model)"
    assert report.explanation[1] == (
        "The code of (model) (Scaled) makes it and gives it to tail as input."
    )


def test_tolerance_decides_what_counts():
    net = build().eval()
    other = copy.deepcopy(net)
    with torch.no_grad():
        other[0].weight *= 1 + 1e-6
    assert d2l.find_divergence(net, other, X).first == "0"
    assert not d2l.find_divergence(net, other, X, rtol=1e-4, atol=1e-6).found


def test_one_ulp_is_one_ulp():
    x = torch.tensor([1.0, 2.0])
    y = torch.tensor([1.0, np.nextafter(np.float32(2), np.float32(3))])
    report = d2l.find_divergence(Gives(x), Gives(y), X)
    assert report.rows[0].difference.ulps == 1
    assert report.rows[0].difference.place == (1,)


def test_another_process_is_compared_through_a_file(tmp_path):
    code = (
        "import sys, torch\n"
        "from torch import nn\n"
        "from d2l_support import pytorch as d2l\n"
        "torch.manual_seed(0)\n"
        "net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Dropout(0.5), "
        "nn.Linear(8, 2)).eval()\n"
        "x = torch.linspace(-1, 1, 12).reshape(3, 4)\n"
        "torch.use_deterministic_algorithms(True)\n"
        "d2l.record_trace(net, x).save(sys.argv[1])\n"
    )
    path = tmp_path / "other.trace"
    subprocess.run([sys.executable, "-c", code, path], check=True)
    report = d2l.find_divergence(path, build().eval(), X)
    assert not report.found
    setting = "flags.torch.use_deterministic_algorithms: True and not set"
    assert f"Settings that differ: {setting}." in report.notes


def test_watch_gives_a_trace_of_a_pass_of_your_own():
    net = build().eval()
    with d2l.record_trace(net) as seen:
        net(X)
    assert not d2l.find_divergence(seen.report, net, X).found


def test_a_file_that_is_no_trace_is_refused(tmp_path):
    torch.save(build().state_dict(), tmp_path / "weights.pt")
    with pytest.raises(ValueError, match=r"weights\.pt: found no trace"):
        d2l.find_divergence(tmp_path / "weights.pt", build(), X)


def test_tied_and_checkpointed_calls_are_matched_by_their_keys():
    from torch.utils.checkpoint import checkpoint

    class Twice(nn.Module):
        def __init__(self):
            super().__init__()
            torch.manual_seed(0)
            self.first = nn.Linear(4, 4)
            self.second = self.first

        def forward(self, x):
            return checkpoint(self.second, self.first(x), use_reentrant=False)

    traces = []
    for factor in (1.0, 2.0):
        net = Twice()
        with d2l.record_trace(net) as seen:
            net(X * factor).sum().backward()
        traces.append(seen.report)
    assert not d2l.find_divergence(traces[0], traces[0]).found
    assert d2l.find_divergence(*traces).first == "x"
    keys = [call.key for call in traces[0].run.calls]
    assert keys == [
        (("first", "second"), 1, "forward"),
        (("first", "second"), 2, "forward"),
        (("",), 1, "forward"),
        (("first", "second"), 1, "recompute"),
    ]
