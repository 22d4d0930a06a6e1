"""The two passes of `find_nonfinite`: a quick look at everything, then a close one.

The quick look asks of each tensor only which kinds there are. Only if something
is not finite, a second pass from the same state takes the close look, which
counts each kind and finds the places. So a sound model pays for the quick look
alone, and nothing of the quick look is taken for a fact.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from d2l_support.inspection.gauges import Gauge
from d2l_support.inspection.nonfinite import Nonfinite, build_nonfinite

UNSEEN = (
    "A second pass from the same state was finite, so nothing is counted: the "
    "model draws or remembers something that is {}."
)


@dataclass(frozen=True)
class Looks:
    """How a framework looks for what is not finite.

    Attributes:
        quick: Makes the gauge of the quick look from what it lacks here. Its
            numbers are those of `build_nonfinite`, none of them counted.
        close: Makes that of the close look.
        unreached: What going back does not reach: "no buffer".
    """

    quick: Callable[..., Gauge[Nonfinite]]
    close: Callable[..., Gauge[Nonfinite]]
    unreached: str

    def make_quick_gauge(
        self, allow_neginf: Collection[str], inputs: bool, gradients: bool
    ) -> Gauge[Nonfinite]:
        """The gauge that stops at the first bad pass."""
        return self.quick(
            build=partial(build_nonfinite, allow_neginf=list_allowed(allow_neginf)),
            inputs=inputs,
            gradients=gradients,
            weights=True,
            alarms=lambda found: any(nan or pos or neg for nan, pos, neg, _ in found),
            stops=lambda report: report.found,
            summary=summarise,
        )

    def make_close_gauge(
        self, allow_neginf: Collection[str], gradients: bool
    ) -> Gauge[Nonfinite]:
        """The gauge that counts what is not finite, and finds the first."""
        return self.close(
            build=partial(build_nonfinite, allow_neginf=list_allowed(allow_neginf)),
            inputs=True,
            gradients=gradients,
            weights=True,
            summary=summarise,
        )

    def take(
        self,
        run: Callable[[Gauge[Nonfinite]], Nonfinite],
        rewind: Callable[[], Any],
        allow_neginf: Collection[str],
        gradients: bool,
    ) -> Nonfinite:
        """The report on a pass, made twice if there is something to count.

        Args:
            run: Makes the pass, with a gauge.
            rewind: Goes back to the state before it.
            allow_neginf: Where -inf is meant; see `find_suspects`.
            gradients: Whether the pass has gradients.
        """
        inputs = bool(list_allowed(allow_neginf))
        report = run(self.make_quick_gauge(allow_neginf, inputs, gradients))
        if not report.found:
            return report
        rewind()
        counted = run(self.make_close_gauge(allow_neginf, gradients))
        if counted.found:
            return counted
        told = UNSEEN.format(self.unreached)
        return replace(report, explanation=(*report.explanation, told))


def list_allowed(allow_neginf: Collection[str]) -> tuple[str, ...]:
    """The names where -inf is meant; a text is one of them."""
    return (allow_neginf,) if isinstance(allow_neginf, str) else tuple(allow_neginf)


def summarise(report: Nonfinite) -> str:
    """What an exception should tell of the values before it."""
    return " ".join(report.explanation)
