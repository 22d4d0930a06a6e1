"""The inspection helpers for PyTorch: what `d2l_support.pytorch` offers.

From the outside in: `activations`, `nonfinite`, `gradients`, `divergence` and
`macs` each hold one helper and say what it measures (a `Gauge`). `watching`
knows passes: where one ends, which is reported. `hooking` sets PyTorch's hooks
and takes them away. `collecting` gathers small tensors during a pass;
`tensors` measures one tensor and brings numbers to the host. `keeping` runs a
pass that leaves no trace, `modules` knows names and why a module is silent.
"""

from d2l_support.inspection.pytorch.activations import record_activations
from d2l_support.inspection.pytorch.divergence import find_divergence, record_trace
from d2l_support.inspection.pytorch.gradients import gradient_norms
from d2l_support.inspection.pytorch.macs import count_macs
from d2l_support.inspection.pytorch.nonfinite import find_nonfinite

__all__ = [
    "count_macs",
    "find_divergence",
    "find_nonfinite",
    "gradient_norms",
    "record_activations",
    "record_trace",
]
