"""The inspection helpers for TensorFlow: what `d2l_support.tensorflow` offers.

From the outside in: `activations`, `nonfinite`, `gradients`, `divergence` and
`macs` each hold one helper and say what it measures (`gauges`). `watching`
knows passes: where one ends, which is reported. `wrapping` stands around the
calls of Keras layers, which have no hooks, and around `tape.gradient`;
`counting` sees single operations. `collecting` gathers small tensors during a
pass; `tensors` measures one tensor and brings numbers to the host. `keeping`
and `streams` run a pass that leaves no trace, `checking` refuses models that
cannot be looked into, `modules` knows names and why a layer is silent.

A watch sees layers that are called eagerly. In a `tf.function`, and so in
`fit` and `predict` of a model that is not compiled with `run_eagerly=True`,
there are no values to look at while Python runs, and the report says so.
"""

from d2l_support.inspection.tensorflow.activations import record_activations
from d2l_support.inspection.tensorflow.divergence import find_divergence, record_trace
from d2l_support.inspection.tensorflow.gradients import gradient_norms
from d2l_support.inspection.tensorflow.macs import count_macs
from d2l_support.inspection.tensorflow.nonfinite import find_nonfinite

__all__ = [
    "count_macs",
    "find_divergence",
    "find_nonfinite",
    "gradient_norms",
    "record_activations",
    "record_trace",
]
