"""What a helper wants to know of a pass, whatever the framework."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from d2l_support.inspection.runs import Run

Report = TypeVar("Report")


@dataclass(frozen=True)
class Gauge(Generic[Report]):
    """What a helper wants to know of a pass, and what it makes of it.

    Attributes:
        measure: Gives small tensors about a tensor, or says why not.
        fetch: Brings those of a whole pass to the host in one copy.
        build: Makes the report of a run.
        inputs: Whether the arguments of modules are looked at.
        gradients: Whether gradients are looked at as they come back.
        weights: Whether parameters and buffers are looked at.
        alarms: Whether the numbers of a pass are worth making its report; None
            if they never are.
        stops: Whether that report is the one to keep, so that watching ends.
        summary: What an exception should tell about the pass up to there.
    """

    measure: Callable[[Any], Any]
    fetch: Callable[[list[Any]], list[Any]]
    build: Callable[[Run], Report]
    inputs: bool = False
    gradients: bool = False
    weights: bool = False
    alarms: Callable[[list[Any]], bool] | None = None
    stops: Callable[[Report], bool] = lambda report: False
    summary: Callable[[Report], str] = lambda report: ""
