"""The inspection helpers for MXNet: what `d2l_support.mxnet` offers.

From the outside in: `activations`, `nonfinite`, `gradients`, `divergence` and
`macs` each hold one helper and say what it measures (a `Gauge`). `watching`
knows passes: where one ends, which is reported. `hooking` sets Gluon's hooks
and takes them away, `relaying` serves hybridized blocks; `backward` is told of
backward passes, `returning` looks at what they brought, `marking` keeps the
gradient of an activation. `collecting` gathers small arrays during a pass;
`arrays` measures one array and brings numbers to the host. `keeping` runs a
pass that leaves no trace, `blocks` knows names and why one is silent.

MXNet cannot tell two things that others can: where its own random stream is,
and whether an array was written to. `keeping` and `collecting` say what
follows from that.
"""

from d2l_support.inspection.mxnet.activations import record_activations
from d2l_support.inspection.mxnet.divergence import find_divergence, record_trace
from d2l_support.inspection.mxnet.gradients import gradient_norms
from d2l_support.inspection.mxnet.macs import count_macs
from d2l_support.inspection.mxnet.nonfinite import find_nonfinite

__all__ = [
    "count_macs",
    "find_divergence",
    "find_nonfinite",
    "gradient_norms",
    "record_activations",
    "record_trace",
]
