"""What each helper wants to know of a pass, and of Keras besides."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from d2l_support.inspection import gauges
from d2l_support.inspection.gauges import Report


@dataclass(frozen=True)
class Gauge(gauges.Gauge[Report]):
    """What a helper wants to know of a pass, and what it makes of it.

    Attributes:
        measure_weights: Measures parameters and buffers in another way.
        renumber: Whether names that Keras made up are counted anew.
    """

    measure_weights: Callable[[Any], Any] | None = None
    renumber: bool = False
