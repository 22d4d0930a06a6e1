"""The passes of a watched model: where one ends, and which one is reported."""

import sys
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn
from torch._C import _current_graph_task_id as find_backward_task

from d2l_support.inspection import watching
from d2l_support.inspection.gauges import Gauge, Report
from d2l_support.inspection.places import Weight
from d2l_support.inspection.pytorch.collecting import Pass, read_state
from d2l_support.inspection.pytorch.hooking import Hooks
from d2l_support.inspection.pytorch.keeping import backpropagate, check_effects
from d2l_support.inspection.pytorch.modules import Places, check_model
from d2l_support.inspection.runs import FORWARD, RECOMPUTE


class Watch(watching.Watch[Report]):
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
        super().__init__(check_model(model), gauge)
        self._places = Places(model)
        enter = self._enter if gauge.inputs else None
        self._hooks = Hooks(self._places.modules.values(), enter, self._leave)
        self._handles: list[Any] = []
        self._weights = self._places.list_weights() if gauge.weights else []
        self._parameters = self._places.list_parameters() if gauge.gradients else []

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
        return super().run(inputs, kwargs, loss)

    def _run_model(
        self,
        inputs: tuple[Any, ...],
        kwargs: Mapping[str, Any],
        loss: Callable[[Any], Tensor] | None,
    ) -> None:
        output = self._model(*inputs, **kwargs)
        if loss is not None:
            backpropagate(loss, output)

    def _attach(self) -> None:
        self._hooks.attach()
        for names, x in self._parameters:
            hook = partial(self._accumulated, names)
            self._handles.append(x.register_post_accumulate_grad_hook(hook))

    def _detach(self) -> None:
        self._hooks.detach()
        for handle in self._handles:
            handle.remove()
        self._handles = []

    def _enter(self, place: int, args: tuple, kwargs: Mapping) -> None:
        now = self._now
        if now is None or now.left:
            now = self._take_pass(find_phase() is FORWARD)
        if now is not None:
            now.enter(place, args, kwargs)

    def _leave(self, place: int, kwargs: Mapping, output: object) -> None:
        now, phase = self._now, find_phase()
        if now is None or now.left:
            now = self._take_pass(phase is FORWARD)
        if now is None:
            return
        if output is None:
            self._note_exception(sys.exc_info()[1], place)
        now.leave(place, phase, kwargs, output)
        if place == id(self._model) and phase is FORWARD:
            now.left = True
            now.awaits = self._gauge.gradients and torch.is_grad_enabled()

    def _accumulated(self, names: tuple[str, ...], parameter: Tensor) -> None:
        if now := self._take_pass(may_begin=False):
            now.look_at_gradient(names, parameter)

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
