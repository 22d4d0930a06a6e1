"""The inspection helpers for JAX with Flax NNX: what `d2l_support.jax` offers.

From the outside in: `activations`, `nonfinite`, `gradients`, `divergence` and
`macs` each hold one helper and say what it measures (a `Gauge`). `watching`
knows passes: where one ends, which is reported. `wrapping` puts a wrapper
around the `__call__` of the model's classes and a number on its modules, and
takes both away. `collecting` gathers small arrays during a pass; `tapping`
catches gradients on their way back; `arrays` measures one array and brings
numbers to the host. `keeping` runs a pass that leaves no trace, `modules`
knows names and why a module is silent.
"""

from d2l_support.inspection.jax.activations import record_activations
from d2l_support.inspection.jax.divergence import find_divergence, record_trace
from d2l_support.inspection.jax.gradients import gradient_norms
from d2l_support.inspection.jax.macs import count_macs
from d2l_support.inspection.jax.nonfinite import find_nonfinite

__all__ = [
    "count_macs",
    "find_divergence",
    "find_nonfinite",
    "gradient_norms",
    "record_activations",
    "record_trace",
]
