"""The passes of a watched model: where one ends, and which one is reported."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from types import TracebackType
from typing import Any

from mxnet import autograd
from mxnet.base import MXNetError
from mxnet.gluon import Block

from d2l_support.inspection import watching
from d2l_support.inspection.coverage import Coverage
from d2l_support.inspection.gauges import Gauge, Report
from d2l_support.inspection.mxnet.arrays import Array
from d2l_support.inspection.mxnet.backward import listen, unlisten
from d2l_support.inspection.mxnet.blocks import Places, check_model, list_arrays
from d2l_support.inspection.mxnet.collecting import Pass
from d2l_support.inspection.mxnet.hooking import Hooks
from d2l_support.inspection.mxnet.keeping import backpropagate, set_apart
from d2l_support.inspection.mxnet.returning import Returns

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


class Watch(watching.Watch[Report]):
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
        super().__init__(check_model(model), gauge)
        self._places = Places(model)
        blocks = self._places.modules.items()
        official = (i for i, b in blocks if type(b).__module__.startswith(OFFICIAL))
        self._sealed = frozenset(official)
        self._hooks = Hooks(self._places.modules.values(), self._enter, self._leave)
        self._named = self._places.list_parameters()
        self._returns = Returns(
            self._named,
            gauge.gradients,
            lambda: None if self._stopped else self._now,
        )

    def _run_model(
        self,
        inputs: tuple[Any, ...],
        kwargs: Mapping[str, Any],
        loss: Callable[[Any], Array] | None,
    ) -> None:
        training = autograd.is_training()
        if loss is None:
            with autograd.pause(train_mode=training):
                self._model(*inputs, **kwargs)
        else:
            inputs, kwargs = set_apart(inputs), set_apart(dict(kwargs))
            with autograd.record(train_mode=training):
                value = loss(self._model(*inputs, **kwargs))
            backpropagate(value, training)

    def _attach(self) -> None:
        self._hooks.attach()
        if self._gauge.gradients or self._gauge.weights:
            listen(self._returns)

    def _detach(self) -> None:
        self._hooks.detach()
        unlisten(self._returns)

    def _finish(self, error: BaseException | None) -> None:
        """Ends the last pass; what failed on MXNet's engine shows only here."""
        try:
            self._settle(final=True)
        except MXNetError as failure:  # after an error, that one over again
            self._kept.give_up()
            if error is None:
                self._kept.raised = "an operation that failed on MXNet's engine"
                failure.add_note(f"d2l_support: {FAILED}")
                raise

    def _find_raising(
        self, error: BaseException | None, trace: TracebackType | None
    ) -> str:
        """The innermost block whose code an exception passed through."""
        where = ""
        while trace is not None:
            frame, trace = trace.tb_frame, trace.tb_next
            first = frame.f_code.co_varnames[:1]
            place = id(frame.f_locals.get(first[0])) if first else 0
            if place in self._places.modules:
                where = self._say_where(place)
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

    def _make_pass(self) -> Pass:
        return Pass(self.passes, self._gauge.measure)

    def _settle(self, final: bool = False) -> None:
        """Ends the pass that is under way, if there is one."""
        recording = autograd.set_recording(False)
        try:
            super()._settle(final)
        finally:
            autograd.set_recording(recording)

    def _look_before(self, kept: Pass, final: bool) -> None:
        if self._gauge.gradients:
            kept.note_missing(self._returns.list_arrays())

    def _look_after(self, kept: Pass) -> None:
        """Looks at parameters, once the pass was judged.

        If a backward pass came after a bad one, an optimizer may have
        followed, and they would tell nothing about it.
        """
        weights = list_arrays(self._named)
        if self._stopped and kept.returned:
            kept.skip_weights(weights)
        kept.look_at_weights(weights)

    def _cover(self, called: Collection[int]) -> Coverage:
        cover, often = super()._cover(called), self._hooks.strangers
        warnings = (STRANGERS.format(often),) if often else ()
        return replace(cover, warnings=(*cover.warnings, *warnings))
