"""Looking into a model without changing it: what needs no framework.

The notebooks call six helpers, under the same names in all four frameworks:

    record_activations(model, *inputs)         -> Activations
    find_nonfinite(model, *inputs, loss=...)   -> Nonfinite
    gradient_norms(model, *inputs, loss=...)   -> Gradients
    count_macs(model, *inputs)                 -> Macs
    record_trace(model, *inputs)               -> Trace
    find_divergence(a, b, *inputs)             -> Divergence

Each makes one pass that leaves no trace. Called without inputs, the first five
give a watch for passes of the reader's own, which always detaches:

    with d2l.find_nonfinite(net) as seen:
        train(net)
    print(seen.report)

**Here** are values and what follows from them: `runs` (what a pass showed),
`leaves` (tensors in nested values), `coverage`, `origins` (who made it, who
only carries it), a module for each report, `traces`, `differences`, `finding`,
`formats`, `plots`; and what all frameworks do alike: `gauges` (what a helper
wants to know of a pass), `watching` (where a pass ends, and which is reported),
`passes` (what one has collected, as `sights`, and the run it makes), `places`
(names, and why a module is silent), `looks` (the two passes of
`find_nonfinite`). **In a folder for each framework** is what looks.

What a framework implements
---------------------------
A package `inspection/<key>/` with the six functions, which
`d2l_support/<key>.py` offers to notebooks. They take named arguments of the
model as `kwargs={...}`. It extends `Watch`, `Pass` and `Places`, which turn a
pass into a `Run` and give it to a builder:

- `Run.calls`: one `Call` for each call of a module, in order of *ending*, so
  that children come before parents. `names` are all the dotted names of the
  module ("" is the model, "layers.3.body" a part of it); `number` counts the
  calls of one module in one phase from 1.
- Slots: (path, index of a value). An output's path is "" for a bare tensor,
  else the step in Python, as `leaves.walk_leaves` gives it: "[0]", ".h"; an
  argument's begins with its name: "mask", "states[1]". The same tensor has the
  same index, so a container shares its last child's. A tensor that was written
  to is another value. `inputs=None` says that arguments were not looked at.
- `Value.numbers`, measured on the device in float32 or wider:
    `build_activations`: mean, unbiased std, min, max, share of zeros
        (None: there is no such number);
    `build_nonfinite`: counts of NaN, +inf, -inf, and the place of the first in
        C order; (0 or 1, 0 or 1, 0 or 1, -1) after a look that did not count;
    `build_gradients`: Euclidean norm and mean absolute value, of gradients;
    `build_macs`: none, shapes will do; it takes a function that counts a call;
    `build_trace`: none, but `Value.data`: the bytes in C order, little end
        first, of arguments, outputs and weights.
- `Value.skipped`: why a tensor has no numbers ("int64: no floating point").
- `Run.gradients`: (index of the activation, its gradient) in order of arrival;
  `Run.weight_gradients`: by all names of the parameter, in order of arrival.
- `Run.weights`: parameters and buffers by all their names.
- `Run.coverage`: how many modules were seen, and of every other one why not.
- `Run.raised`: where an exception ended the pass. The exception goes on to the
  caller, with a note that says the same.

What every helper promises, and `tests/frameworks/test_inspection.py` holds
-----------------------------------------------------------------------------
1. Outputs are equal bit by bit with and without it; random streams, mode,
   running averages and gradients are as before, also after an exception.
2. Nothing is left attached, and no activation or graph is kept.
3. Numbers come to the host once in a pass, not once in a module.
4. No dtype, layout or object in an output makes it raise.
5. What it cannot see, it says; what it cannot do at all, it refuses with an
   error that says what to do instead.
"""

from d2l_support.inspection.activations import (
    Activation,
    Activations,
    build_activations,
)
from d2l_support.inspection.coverage import Coverage
from d2l_support.inspection.differences import Difference, Tolerance
from d2l_support.inspection.divergence import Divergence, Parting, build_divergence
from d2l_support.inspection.gradients import Gradient, Gradients, build_gradients
from d2l_support.inspection.leaves import walk_leaves
from d2l_support.inspection.macs import Layer, Macs, build_macs
from d2l_support.inspection.nonfinite import Nonfinite, build_nonfinite
from d2l_support.inspection.runs import BACKWARD, FORWARD, RECOMPUTE, Call, Run, Value
from d2l_support.inspection.suspects import Suspect
from d2l_support.inspection.traces import Trace, build_trace, load_trace

__all__ = [
    "BACKWARD",
    "FORWARD",
    "RECOMPUTE",
    "Activation",
    "Activations",
    "Call",
    "Coverage",
    "Difference",
    "Divergence",
    "Gradient",
    "Gradients",
    "Layer",
    "Macs",
    "Nonfinite",
    "Parting",
    "Run",
    "Suspect",
    "Tolerance",
    "Trace",
    "Value",
    "build_activations",
    "build_divergence",
    "build_gradients",
    "build_macs",
    "build_nonfinite",
    "build_trace",
    "load_trace",
    "walk_leaves",
]
