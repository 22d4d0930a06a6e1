"""What a backward pass brings to a model's parameters and marked outputs."""

from collections.abc import Callable, Iterable

from mxnet import autograd
from mxnet.gluon import Parameter

from d2l_support.inspection.mxnet.arrays import Array
from d2l_support.inspection.mxnet.blocks import Names, list_arrays
from d2l_support.inspection.mxnet.collecting import Pass


class Returns:
    """Listens to backward passes on behalf of a watch.

    MXNet notes on each parameter whether its gradient is fresh, for the
    trainer. That note is cleared before the pass, so that it tells what
    arrived, and is afterwards what it would have been.

    Args:
        parameters: All parameters of the model, by their names.
        follows: Whether gradients are looked at.
        take_pass: Gives the pass that is under way.
    """

    def __init__(
        self,
        parameters: Iterable[tuple[Names, Parameter]],
        follows: bool,
        take_pass: Callable[[], Pass | None],
    ):
        self._parameters = tuple(parameters)
        self._follows, self._take_pass = follows, take_pass
        self._fresh: list[tuple[Names, Array, bool]] = []

    def list_arrays(self) -> list[tuple[Names, Array]]:
        """The parameters that gather gradients, the last of the model first."""
        learn = [(n, p) for n, p in self._parameters if p.grad_req != "null"]
        return list_arrays(reversed(learn))

    def before_backward(self) -> None:
        """Clears the notes."""
        if not self._follows:
            return
        self._fresh = [(n, x, x._fresh_grad) for n, x in self.list_arrays()]
        for _, x, _ in self._fresh:
            x._fresh_grad = False

    def after_backward(self, retained: bool) -> None:
        """Looks at what arrived."""
        arrived = [(names, x) for names, x, _ in self._fresh if x._fresh_grad]
        for _, x, fresh in self._fresh:
            if fresh:
                x._fresh_grad = True
        elsewhere = bool(self._fresh) and not arrived  # through another model
        self._fresh = []
        now = self._take_pass()
        if now is None:
            return
        now.returned = True
        if not self._follows or elsewhere:
            return
        recording = autograd.set_recording(False)
        try:
            now.come_back([(names, x.grad) for names, x in arrived], retained)
        finally:
            autograd.set_recording(recording)
