"""The names of the arguments that a layer's `call` takes."""

import inspect
from functools import cache


@cache
def list_arguments(kind: type) -> tuple[str, ...]:
    """The names of the positional arguments of a class's `call`."""
    try:
        parameters = inspect.signature(kind.call).parameters.values()
    except (AttributeError, TypeError, ValueError):  # a tf.function may have none
        return ()
    named = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return tuple(p.name for p in parameters if p.kind in named)[1:]
