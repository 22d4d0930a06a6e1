"""The passes of a watched model: where one ends, and which one is reported."""

from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any, Generic, Self

from mxnet import autograd
from mxnet.base import MXNetError
from mxnet.gluon import Block

from d2l_support.inspection.gauges import Gauge, Report
from d2l_support.inspection.mxnet.arrays import Array
from d2l_support.inspection.mxnet.backward import listen, unlisten
from d2l_support.inspection.mxnet.blocks import Places, check_model, list_arrays
from d2l_support.inspection.mxnet.collecting import Pass
from d2l_support.inspection.mxnet.hooking import Hooks
from d2l_support.inspection.mxnet.keeping import backpropagate, set_apart
from d2l_support.inspection.mxnet.returning import Returns
from d2l_support.inspection.mxnet.runs import build_run

OFFICIAL = "mxnet."  # the blocks of this package write to none of their inputs
FAILED = (
    "an operation failed on MXNet's engine, which tells only when its result is "
    "fetched. With MXNET_ENGINE_TYPE=NaiveEngine in the environment it tells at "
    "once, and which block it was."
)
STRANGERS = (
    "Calls that came from another thread, as out of the backward code of an "
    "autograd.Function, were not looked at: {}."
)


class Watch(Generic[Report]):
    """Watches a model's blocks from `with` until the end of the block.

    A pass ends where the next one begins, or with the block. Nothing is copied
    to the host before that, and then all at once. Where gradients are followed,
    it takes in the backward pass, so that two calls may share one; calls that
    no backward pass follows count as one pass, unless they were not recorded.

    Attributes:
        passes: How many passes were seen.

    State touched: the blocks' hooks, and the function of MXNet's library that
    runs backward passes, until the block ends. Outputs whose gradient is
    followed are marked meanwhile, so `attach_grad` on one of them raises.
    """

    def __init__(self, model: Block, gauge: Gauge[Report]):
        self._model, self._gauge = check_model(model), gauge
        self._places = Places(model)
        blocks = self._places.blocks.items()
        official = (i for i, b in blocks if type(b).__module__.startswith(OFFICIAL))
        self._sealed = frozenset(official)
        self._hooks = Hooks(self._places.blocks.values(), self._enter, self._leave)
        self._parameters = self._places.list_parameters()
        self._returns = Returns(
            self._parameters,
            gauge.gradients,
            lambda: None if self._stopped else self._now,
        )
        self._reset()

    def _reset(self) -> None:
        """Forgets all passes."""
        self.passes = 0
        self._now: Pass | None = None
        self._kept: Pass | None = None
        self._stopped = False

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
        often = self._hooks.strangers
        warnings = (STRANGERS.format(often),) if often else ()
        return self._gauge.build(build_run(self._places, self._kept, warnings))

    def run(
        self,
        inputs: tuple[Any, ...],
        kwargs: Mapping[str, Any] | None,
        loss: Callable[[Any], Array] | None = None,
    ) -> Report:
        """Runs the model once, and back from its loss if there is one.

        Returns:
            The report on that pass.
        """
        training, kwargs = autograd.is_training(), kwargs or {}
        with self:
            if loss is None:
                with autograd.pause(train_mode=training):
                    self._model(*inputs, **kwargs)
            else:
                inputs, kwargs = set_apart(inputs), set_apart(dict(kwargs))
                with autograd.record(train_mode=training):
                    value = loss(self._model(*inputs, **kwargs))
                backpropagate(value, training)
        return self.report

    def __enter__(self) -> Self:
        if self._hooks.attached:
            raise RuntimeError(
                "found a watch that is on already, expected one that is off. "
                "Make another one for the block inside."
            )
        self._reset()
        self._hooks.attach()
        if self._gauge.gradients or self._gauge.weights:
            listen(self._returns)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._hooks.detach()
        unlisten(self._returns)
        if error is None:
            self._finish()
            return
        ended = len(self._now.calls) if self._now else 0
        try:
            self._settle(final=True)
        except MXNetError:  # what failed on the engine fails again when fetched
            self._kept.give_up()
        where = self._find_raising(trace)
        after = f"after {ended} calls of modules had ended"
        told = f"raised in {where}, {after}" if where else ""
        self._kept.raised = told or "an exception outside its modules"
        told = self._gauge.summary(self._build())
        error.add_note(f"d2l_support: {self._kept.raised}. {told}".rstrip())

    def _finish(self) -> None:
        """Ends the last pass; what failed on MXNet's engine shows only here."""
        try:
            self._settle(final=True)
        except MXNetError as error:
            self._kept.give_up()
            self._kept.raised = "an operation that failed on MXNet's engine"
            error.add_note(f"d2l_support: {FAILED}")
            raise

    def _find_raising(self, trace: TracebackType | None) -> str:
        """The innermost block whose code an exception passed through."""
        where = ""
        while trace is not None:
            frame, trace = trace.tb_frame, trace.tb_next
            first = frame.f_code.co_varnames[:1]
            place = id(frame.f_locals.get(first[0])) if first else 0
            if place in self._places.blocks:
                where = self._places.label(place)
        return where

    def _enter(self, place: int, args: tuple) -> None:
        recording = autograd.set_recording(False)
        try:
            if now := self._take_pass():
                args = args if self._gauge.inputs else None
                now.enter(place, place in self._sealed, args)
        finally:
            autograd.set_recording(recording)

    def _leave(self, place: int, output: object) -> None:
        now = self._now
        if now is None or self._stopped:
            return
        recording = autograd.set_recording(False)
        try:
            follows = recording and self._gauge.gradients
            now.leave(place, output, follows)
            if place == id(self._model):
                now.left, now.awaits = True, follows
        finally:
            autograd.set_recording(recording)

    def _take_pass(self) -> Pass | None:
        """The pass under way, or a new one; None once the watch has stopped."""
        if self._stopped:
            return None
        now = self._now
        if now is None or now.is_over():
            self._settle()
            if self._stopped:
                return None
            self.passes += 1
            now = self._now = Pass(self.passes, self._gauge.measure)
        return now

    def _settle(self, final: bool = False) -> None:
        """Ends the pass that is under way, if there is one."""
        if self._now is None and not final:
            return
        recording = autograd.set_recording(False)
        try:
            self._settle_pass(final)
        finally:
            autograd.set_recording(recording)

    def _settle_pass(self, final: bool) -> None:
        """Brings the numbers of the pass to the host, and judges it.

        At the end of the watch, and with a pass that stops it, parameters are
        looked at. If a backward pass came after a bad one, an optimizer may
        have followed, and they would tell nothing about it.
        """
        empty = Pass(self.passes, self._gauge.measure)
        kept = self._kept = self._now or self._kept or empty
        self._now = None
        if self._gauge.gradients:
            kept.note_missing(self._returns.list_arrays())
        found = kept.settle(self._gauge.fetch)
        alarms = self._gauge.alarms
        if not self._stopped and alarms and alarms(found):
            self._stopped = self._gauge.stops(self._build())
        if self._gauge.weights and (self._stopped or final):
            weights = list_arrays(self._parameters)
            if self._stopped and kept.returned:
                kept.skip_weights(weights)
            kept.look_at_weights(weights)
            kept.settle(self._gauge.fetch)
