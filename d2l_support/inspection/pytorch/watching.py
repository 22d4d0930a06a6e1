"""The passes of a watched model: where one ends, and which one is reported."""

import sys
from collections.abc import Callable, Mapping
from functools import partial
from types import TracebackType
from typing import Any, Generic, Self

import torch
from torch import Tensor, nn
from torch._C import _current_graph_task_id as find_backward_task

from d2l_support.inspection.gauges import Gauge, Report
from d2l_support.inspection.pytorch.collecting import Pass, Weight, read_state
from d2l_support.inspection.pytorch.hooking import Hooks
from d2l_support.inspection.pytorch.keeping import backpropagate, check_effects
from d2l_support.inspection.pytorch.modules import Places, check_model
from d2l_support.inspection.pytorch.runs import build_run
from d2l_support.inspection.runs import FORWARD, RECOMPUTE


class Watch(Generic[Report]):
    """Watches a model's modules from `with` until the end of the block.

    A pass ends where the next one begins, or with the block. Nothing is copied
    to the host before that, and then all at once. Where gradients are followed,
    it takes in the backward pass, so that two calls may share one; calls that
    no backward pass follows count as one pass, unless they are under no_grad.

    Attributes:
        passes: How many passes were seen.

    State touched: the global module hooks of PyTorch, until the block ends.
    """

    def __init__(self, model: nn.Module, gauge: Gauge[Report]):
        self._model, self._gauge = check_model(model), gauge
        self._places = Places(model)
        enter = self._enter if gauge.inputs else None
        self._hooks = Hooks(self._places.modules.values(), enter, self._leave)
        self._handles: list[Any] = []
        self._weights = self._places.list_weights() if gauge.weights else []
        self._parameters = self._places.list_parameters() if gauge.gradients else []
        self._reset()

    def _reset(self) -> None:
        """Forgets all passes."""
        self.passes = 0
        self._now: Pass | None = None
        self._kept: Pass | None = None
        self._stopped = False
        self._raised = (0, "")  # the id of an exception, and where it was raised

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
        return self._gauge.build(build_run(self._places, self._kept))

    def run(
        self,
        inputs: tuple[Any, ...],
        kwargs: Mapping[str, Any] | None,
        loss: Callable[[Any], Tensor] | None = None,
    ) -> Report:
        """Runs the model once, and back from its loss if there is one.

        Returns:
            The report on that pass.
        """
        if loss is not None:
            check_effects(self._model, (inputs, kwargs))
        with self:
            output = self._model(*inputs, **(kwargs or {}))
            if loss is not None:
                backpropagate(loss, output)
        return self.report

    def __enter__(self) -> Self:
        if self._hooks.attached:
            raise RuntimeError(
                "found a watch that is on already, expected one that is off. "
                "Make another one for the block inside."
            )
        self._reset()
        self._outer = id(sys.exc_info()[1])
        self._hooks.attach()
        for names, x in self._parameters:
            hook = partial(self._accumulated, names)
            self._handles.append(x.register_post_accumulate_grad_hook(hook))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._hooks.detach()
        for handle in self._handles:
            handle.remove()
        self._handles = []
        where = self._raised[1] if self._raised[0] == id(error) else ""
        self._settle(final=True)
        if error is not None:
            self._kept.raised = where or "an exception outside its modules"
            told = self._gauge.summary(self._build())
            error.add_note(f"d2l_support: {self._kept.raised}. {told}".rstrip())

    def _enter(self, place: int, args: tuple, kwargs: Mapping) -> None:
        now = self._now
        if now is None or now.left:
            now = self._take_pass(find_phase())
        if now is not None:
            now.enter(place, args, kwargs)

    def _leave(self, place: int, kwargs: Mapping, output: object) -> None:
        now, phase = self._now, find_phase()
        if now is None or now.left:
            now = self._take_pass(phase)
        if now is None:
            return
        if output is None:
            self._note_exception(now, place)
        now.leave(place, phase, kwargs, output)
        if place == id(self._model) and phase is FORWARD:
            now.left = True
            now.awaits = self._gauge.gradients and torch.is_grad_enabled()

    def _accumulated(self, names: tuple[str, ...], parameter: Tensor) -> None:
        if now := self._take_pass(RECOMPUTE):
            now.look_at_gradient(names, parameter)

    def _take_pass(self, phase: str) -> Pass | None:
        """The pass under way, or a new one; None once the watch has stopped."""
        if self._stopped:
            return None
        now = self._now
        if now is None or (phase is FORWARD and now.is_over()):
            self._settle()
            if self._stopped:
                return None
            self.passes += 1
            now = self._now = self._make_pass()
        return now

    def _note_exception(self, now: Pass, place: int) -> None:
        """Remembers the innermost module that a new exception came from."""
        error = id(sys.exc_info()[1])
        if error not in (id(None), self._outer, self._raised[0]):
            after = f"after {len(now.calls)} calls of modules had ended"
            told = f"raised in {self._places.label(place)}, {after}"
            self._raised = (error, told)

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
        if self._gauge.gradients:
            kept.note_missing(self._parameters)
        if final:
            kept.look_at_weights(self._list_unwritten(kept))
        found = kept.settle(self._gauge.fetch)
        alarms = self._gauge.alarms
        if not self._stopped and alarms and alarms(found):
            self._stopped = self._gauge.stops(self._build())
        if self._stopped:
            kept.look_at_weights(self._list_unwritten(kept))
            kept.skip_weights(self._weights)
        elif final:
            kept.look_at_weights(self._weights)
        if self._stopped or final:
            kept.settle(self._gauge.fetch)

    def _list_unwritten(self, kept: Pass) -> list[Weight]:
        """The parameters and buffers that are as they were in a pass."""
        pairs = zip(self._weights, kept.weight_states, strict=True)
        return [weight for weight, state in pairs if read_state(weight[1]) == state]

    def _make_pass(self) -> Pass:
        """An empty pass."""
        states = [read_state(x) for _, x in self._weights]
        gauge = self._gauge
        return Pass(self.passes, gauge.measure, gauge.gradients, states)


def find_phase() -> str:
    """Whether this call is a forward pass or part of a backward pass."""
    return FORWARD if find_backward_task() < 0 else RECOMPUTE
