"""The passes of a watched model: where one ends, and which one is reported."""

import sys
from collections.abc import Callable, Collection, Mapping
from types import TracebackType
from typing import Any, Generic, Self

from d2l_support.inspection.coverage import Coverage
from d2l_support.inspection.gauges import Gauge, Report
from d2l_support.inspection.passes import Pass, build_run
from d2l_support.inspection.places import Places, Weight

OUTSIDE = "an exception outside its modules"


class Watch(Generic[Report]):
    """Watches a model's modules from `with` until the end of the block.

    A framework's own watch tells it what happens, and sees to what is under
    the last heading below.

    Attributes:
        passes: How many passes were seen.
    """

    _places: Places
    _weights: list[Weight]
    _parameters: list[Weight]

    def __init__(self, model: Any, gauge: Gauge[Report]):
        self._model, self._gauge = model, gauge
        self._on = False
        self._reset()

    def _reset(self) -> None:
        """Forgets all passes."""
        self.passes = 0
        self._now: Any = None  # the pass under way
        self._kept: Any = None  # the pass to report on
        self._stopped = False
        self._raised: tuple[object, str] = (0, "")

    def __repr__(self) -> str:
        kind = type(self._model).__name__
        return f"<a watch over {kind}: use it in `with ... as seen:`, then seen.report>"

    @property
    def report(self) -> Report:
        """On the last pass, or on the first one that stopped the watch.

        Reading it ends the pass under way.

        Raises:
            RuntimeError: The watch was never on.
        """
        self._settle()
        if self._kept is None:
            raise RuntimeError(
                "found no pass to report on, expected one inside the block. "
                "Write: with d2l.record_activations(net) as seen: net(X)"
            )
        return self._build()

    def _build(self) -> Report:
        """The report on the pass that was kept."""
        coverage = self._cover({called.place for called in self._kept.calls})
        return self._gauge.build(build_run(self._places, self._kept, coverage))

    def run(
        self,
        inputs: tuple[Any, ...],
        kwargs: Mapping[str, Any] | None,
        loss: Callable[[Any], Any] | None = None,
    ) -> Report:
        """Runs the model once, and back from its loss if there is one.

        Returns:
            The report on that pass.
        """
        with self:
            self._run_model(inputs, kwargs or {}, loss)
        return self.report

    def __enter__(self) -> Self:
        if self._on:
            raise RuntimeError(
                "found a watch that is on already, expected one that is off. "
                "Make another one for the block inside."
            )
        self._reset()
        self._outer = id(sys.exc_info()[1])
        self._attach()
        self._on = True
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._detach()
        self._on = False
        where = self._find_raising(error, trace)
        self._finish(error)
        if error is not None:
            self._kept.raised = where or OUTSIDE
            told = self._gauge.summary(self._build())
            error.add_note(f"d2l_support: {self._kept.raised}. {told}".rstrip())

    # Exceptions

    def _note_exception(self, error: BaseException | None, place: int) -> None:
        """Remembers the innermost module that a new exception came from.

        It goes by the id, since the exception would keep the activations.
        """
        if id(error) not in (id(None), self._outer, self._raised[0]):
            self._raised = (id(error), self._say_where(place))

    def _find_raising(
        self, error: BaseException | None, trace: TracebackType | None
    ) -> str:
        """Where an exception was raised, in words; nothing if outside."""
        return self._raised[1] if self._raised[0] == id(error) else ""

    def _say_where(self, place: int) -> str:
        """That the pass under way was ended by a module."""
        ended = len(self._now.calls) if self._now else 0
        after = f"after {ended} calls of modules had ended"
        return f"raised in {self._places.label(place)}, {after}"

    # Passes

    def _take_pass(self, may_begin: bool = True) -> Any:
        """The pass under way, or a new one; None once the watch has stopped.

        Args:
            may_begin: Whether a new pass may follow one that is over.
        """
        if self._stopped:
            return None
        now = self._now
        if now is None or (may_begin and now.is_over()):
            self._settle()
            if self._stopped:
                return None
            self.passes += 1
            now = self._now = self._make_pass()
        return now

    def _finish(self, error: BaseException | None) -> None:
        """Ends the last pass, perhaps because of an exception."""
        self._settle(final=True)

    def _settle(self, final: bool = False) -> None:
        """Ends the pass that is under way, if there is one.

        At the end of the watch, and with a pass that stops it, parameters and
        buffers are looked at. Those that were written to after a bad pass, by
        an optimizer perhaps, would tell nothing about it.
        """
        if self._now is None and not final:
            return
        kept = self._kept = self._now or self._kept or self._make_pass()
        self._now = None
        kept.let_go()
        self._look_before(kept, final)
        found = kept.settle(self._gauge.fetch)
        alarms = self._gauge.alarms
        if not self._stopped and alarms and alarms(found):
            self._stopped = self._gauge.stops(self._build())
        if self._gauge.weights and (self._stopped or final):
            self._look_after(kept)
            kept.settle(self._gauge.fetch)

    def _look_before(self, kept: Pass, final: bool) -> None:
        """Looks at what is left to see, before the numbers are fetched."""
        kept.note_missing(self._parameters)
        if final:
            kept.look_at_weights(self._list_unwritten(kept))

    def _look_after(self, kept: Pass) -> None:
        """Looks at parameters and buffers, once the pass was judged."""
        if self._stopped:
            kept.look_at_weights(self._list_unwritten(kept))
            kept.skip_weights(self._weights)
        else:
            kept.look_at_weights(self._weights)

    # What a framework says

    def _run_model(
        self,
        inputs: tuple[Any, ...],
        kwargs: Mapping[str, Any],
        loss: Callable[[Any], Any] | None,
    ) -> None:
        """Calls the model, and runs it back from its loss if there is one."""
        raise NotImplementedError

    def _attach(self) -> None:
        """Begins to be told of calls."""
        raise NotImplementedError

    def _detach(self) -> None:
        """Is told no more."""
        raise NotImplementedError

    def _make_pass(self) -> Pass:
        """An empty pass."""
        raise NotImplementedError

    def _list_unwritten(self, kept: Pass) -> list[Weight]:
        """The parameters and buffers that are as they were in a pass."""
        raise NotImplementedError

    def _cover(self, called: Collection[int]) -> Coverage:
        """Which modules were seen, given the places of those that were called."""
        return self._places.cover(called)
