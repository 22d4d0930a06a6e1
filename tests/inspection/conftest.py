"""Runs that no framework made."""

from collections.abc import Callable

import pytest

from d2l_support.inspection import Call, Coverage, Run, Value

FINE, NAN, NEGINF = (0, 0, 0, 0), (2, 0, 0, 1), (0, 0, 3, 0)


@pytest.fixture
def make_run() -> Callable[..., Run]:
    """Makes a run of the calls given as (name, inputs, outputs).

    Inputs and outputs are indices of values. A name may be a tuple.
    """

    def make(*calls, numbers=(), shape=(2, 3), inputs=True, **rest):
        made = tuple(
            Call(
                name if isinstance(name, tuple) else (name,),
                rest.pop(f"kind_{name}", "Layer"),
                1,
                "forward",
                tuple(("x", i) for i in taken) if inputs else None,
                tuple(("", i) for i in given),
            )
            for name, taken, given in calls
        )
        values = tuple(Value(shape, "float32", tuple(n)) for n in numbers)
        coverage = rest.pop("coverage", Coverage(len(made)))
        return Run("none", made, values, coverage, **rest)

    return make
