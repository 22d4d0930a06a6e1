"""The passes of a watched model: where one ends, and which one is reported."""

from collections.abc import Callable, Collection, Mapping
from types import TracebackType
from typing import Any

import keras
import tensorflow as tf

from d2l_support.inspection import watching
from d2l_support.inspection.coverage import Coverage
from d2l_support.inspection.gauges import Report
from d2l_support.inspection.places import Weight
from d2l_support.inspection.runs import FORWARD, RECOMPUTE
from d2l_support.inspection.tensorflow import wrapping
from d2l_support.inspection.tensorflow.checking import check_model
from d2l_support.inspection.tensorflow.collecting import Pass
from d2l_support.inspection.tensorflow.gauges import Gauge
from d2l_support.inspection.tensorflow.keeping import run_model
from d2l_support.inspection.tensorflow.modules import Places


class Watch(watching.Watch[Report]):
    """Watches a model's layers from `with` until the end of the block.

    A pass ends where the next one begins, or with the block. Its numbers come
    to the host at once, at its end. Where gradients are followed and a tape
    is recording, it takes in the backward pass, so that two calls may share
    one. Layers are seen when they are called eagerly, not in a `tf.function`.

    Attributes:
        passes: How many passes were seen.

    State touched: `keras.Layer.__call__`, `keras.Operation.__call__` and
    `tf.GradientTape.gradient`, until the block ends.
    """

    def __init__(self, model: keras.Layer, gauge: Gauge[Report]):
        super().__init__(check_model(model), gauge)

    def _reset(self) -> None:
        super()._reset()
        self._places = Places(self._model, self._gauge.renumber)
        self._weights = self._places.list_weights() if self._gauge.weights else []
        follows = self._gauge.gradients
        self._parameters = self._places.list_parameters() if follows else []
        # For each backward pass under way, from the outermost on, the
        # activations whose gradients it was asked for.
        self._asked: list[list[tuple[int, tf.Tensor]]] = []
        # An exception on its way through the layers, and where it was raised.
        self._raised = (None, "")
        self._traced: set[int] = set()

    def _run_model(
        self,
        inputs: tuple[Any, ...],
        kwargs: Mapping[str, Any],
        loss: Callable[[Any], tf.Tensor] | None,
    ) -> None:
        run_model(self._model, inputs, kwargs, loss)

    def _attach(self) -> None:
        wrapping.attach(self)

    def _detach(self) -> None:
        wrapping.detach(self)

    def _find_raising(
        self, error: BaseException | None, trace: TracebackType | None
    ) -> str:
        where = self._raised[1] if self._raised[0] is error else ""
        self._raised = (None, "")
        return where

    # What `wrapping` tells

    def knows(self, layer: keras.Operation) -> bool:
        """Whether a layer or operation is part of the model."""
        return id(layer) in self._places.modules

    def traced(self, layer: keras.Operation) -> None:
        """A layer is called where there are no values."""
        self._traced.add(id(layer))

    def entered(self, layer: keras.Operation, args: tuple, kwargs: Mapping) -> None:
        """A layer is called: perhaps a new pass begins."""
        now = self._take_pass(may_begin=not self._asked)
        if now is not None and self._gauge.inputs:
            now.enter(id(layer), args, kwargs)

    def left(self, layer: keras.Operation, output: object) -> None:
        """A layer has returned: perhaps the pass is over."""
        now, phase = self._now, self._find_phase()
        self._raised = (None, "")  # if there was one, the model has handled it
        if now is None:
            return
        now.leave(id(layer), phase, output)
        if layer is self._model and phase is FORWARD:
            now.left = True
            if self._gauge.gradients:
                now.await_gradients(output)
            if not now.awaits:
                self._check()

    def failed(self, layer: keras.Operation, error: BaseException) -> None:
        """A layer has raised: remembers the innermost one."""
        if error is not self._raised[0]:
            self._raised = (error, self._say_where(id(layer)))
        if self._now is not None:
            self._now.leave(id(layer), self._find_phase(), None)

    def list_awaited(self) -> list[tf.Tensor]:
        """A backward pass begins."""
        self._asked.append(self._now.list_held() if self._now else [])
        return [x for _, x in self._asked[-1]]

    def arrived(self, gradients: list, sources: list, values: list) -> None:
        """The gradients are there."""
        now = self._now
        if now is None or not self._gauge.gradients:
            return
        if gradients:
            indices = (index for index, _ in self._asked[-1])
            now.take_gradients(zip(indices, gradients, strict=True))
        given = {id(s): g for s, g in zip(sources, values, strict=True)}
        for names, variable in reversed(self._parameters):
            gradient = given.get(id(variable), given.get(id(variable.value)))
            if gradient is not None:
                now.take_weight_gradient(names, gradient)

    def returned(self) -> None:
        """The backward pass is over."""
        self._asked.pop()
        if not self._asked and self._now is not None:
            self._check()

    # Passes

    def _find_phase(self) -> str:
        """Whether this call is a forward pass or part of a backward pass."""
        return RECOMPUTE if self._asked else FORWARD

    def _check(self) -> None:
        """Looks whether the pass so far stops the watch.

        Done before an optimizer can write to the parameters that it used.
        """
        if self._gauge.alarms is None:
            return
        found = self._now.settle(self._gauge.fetch)
        if self._gauge.alarms(found):
            self._kept = self._now
            if self._gauge.stops(self._build()):
                self._stop(self._now)

    def _stop(self, kept: Pass) -> None:
        """Keeps a pass as the one to report, with the parameters it used."""
        self._stopped, self._kept, self._now = True, kept, None
        kept.note_missing(self._parameters)
        kept.look_at_weights(self._weights)
        kept.settle(self._gauge.fetch)
        kept.let_go()

    def _list_unwritten(self, kept: Pass) -> list[Weight]:
        """No parameter or buffer, once a pass was found bad that ended before."""
        return [] if self._stopped else self._weights

    def _make_pass(self) -> Pass:
        gauge = self._gauge
        measure_weights = gauge.measure_weights or gauge.measure
        return Pass(self.passes, gauge.measure, gauge.gradients, measure_weights)

    def _cover(self, called: Collection[int]) -> Coverage:
        return self._places.cover(called, self._traced)
