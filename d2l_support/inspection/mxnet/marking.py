"""Keeping the gradient of an activation, which MXNet does not do by itself.

An array inside a graph can be marked like a parameter, with a buffer that the
backward pass writes its gradient to; the graph stays whole. What is kept here
is the buffer, and of the array only a weak reference.
"""

from weakref import ref

import mxnet as mx
from mxnet import autograd
from mxnet.base import MXNetError

from d2l_support.inspection.mxnet.arrays import Array

# What a buffer holds at first, to tell where no gradient arrived. It is exact
# in half precision too, and no likely gradient.
BLANK = 3 * 2.0**-24


class Mark:
    """An array whose gradient is awaited.

    Attributes:
        index: The index of the array's sight.
        buffer: Where the gradient is to arrive.
    """

    def __init__(self, index: int, x: Array, buffer: Array, own: bool):
        self.index, self.buffer = index, buffer
        self._array, self._own = ref(x), own

    @classmethod
    def make(cls, index: int, x: Array) -> "Mark | None":
        """Marks an array; None if no gradient can arrive there.

        An array that is marked already keeps its own buffer.
        """
        if not type(x).__weakrefoffset__ or not is_in_graph(x):
            return None
        if (buffer := x.grad) is not None:
            return cls(index, x, buffer, own=False)
        buffer = mx.np.full_like(x, BLANK)
        autograd.mark_variables(x, buffer)
        return cls(index, x, buffer, own=True)

    def remove(self) -> None:
        """Takes the mark away, if the array is still there to carry it."""
        x = self._array()
        if x is not None and self._own:
            x.drop_grad()


def is_in_graph(x: Array) -> bool:
    """Whether the array was computed from something with a gradient."""
    try:
        x._fresh_grad = x._fresh_grad  # only an array in a graph has this flag
    except MXNetError:
        return False
    return True
