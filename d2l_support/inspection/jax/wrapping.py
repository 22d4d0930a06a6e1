"""Wrappers around every call of a model's modules, told as plain events.

Python looks for `__call__` on the class, so the wrapper has to be there. It
tells a model's own modules from others of the class by a number in an
attribute. NNX takes attributes along wherever a transform works on a copy of
the model, so that inside `nnx.grad` a copy is known by its number as well.
"""

import functools
from collections.abc import Iterable, Mapping, Sequence
from itertools import count
from typing import Any, Protocol

from flax import nnx

TAG = "_d2l_place"


class Listener(Protocol):
    """What is told of calls."""

    tag: str

    def enter(self, module: nnx.Module, place: int, args: tuple, kwargs: dict) -> None:
        """A module is called."""

    def leave(self, module: nnx.Module, place: int, output: Any) -> Any:
        """It returns; what comes back is handed to the caller."""

    def fail(self, module: nnx.Module, place: int, error: BaseException) -> None:
        """It raises."""


class Wrapped:
    """A class whose calls are told to listeners.

    Attributes:
        listeners: Those that are told, the latest last.
    """

    def __init__(self, kind: type[nnx.Module]):
        self.kind, self.listeners = kind, []
        self._own = "__call__" in vars(kind)
        self._original = kind.__call__
        kind.__call__ = make_wrapper(kind, self._original, self.listeners)

    def undo(self) -> None:
        """Gives the class back its own __call__, or that of its base."""
        if self._own:
            self.kind.__call__ = self._original
        else:
            del self.kind.__call__


_wrapped: dict[type[nnx.Module], Wrapped] = {}
_tags: set[str] = set()


def list_wrapped() -> list[type[nnx.Module]]:
    """The classes that are wrapped at the moment."""
    return list(_wrapped)


def make_wrapper(kind: type, original: Any, listeners: Sequence[Listener]) -> Any:
    """The __call__ that tells the listeners, and then does what it did."""

    @functools.wraps(original)
    def call(self: nnx.Module, *args: Any, **kwargs: Any) -> Any:
        if type(self) is not kind:  # a subclass calls super().__call__
            return original(self, *args, **kwargs)
        own = vars(self)
        told = [(at, own[at.tag]) for at in listeners if at.tag in own]
        for listener, place in told:
            listener.enter(self, place, args, kwargs)
        try:
            output = original(self, *args, **kwargs)
        except BaseException as error:
            for listener, place in reversed(told):
                listener.fail(self, place, error)
            raise
        for listener, place in reversed(told):
            output = listener.leave(self, place, output)
        return output

    return call


def choose_tag() -> str:
    """The name of an attribute that no other watch uses."""
    names = (TAG if n == 0 else f"{TAG}{n}" for n in count())
    tag = next(name for name in names if name not in _tags)
    _tags.add(tag)
    return tag


def attach(listener: Listener, modules: Mapping[int, nnx.Module]) -> None:
    """Puts their numbers on modules, and has their calls told to the listener."""
    for place, module in modules.items():
        if callable(module):  # an nnx.Dict would show the number as an entry
            vars(module)[listener.tag] = place
    for kind in list_kinds(modules.values()):
        if kind not in _wrapped:
            _wrapped[kind] = Wrapped(kind)
        _wrapped[kind].listeners.append(listener)


def detach(listener: Listener, modules: Mapping[int, nnx.Module]) -> None:
    """Takes all of that away."""
    for module in modules.values():
        vars(module).pop(listener.tag, None)
    for kind in list_kinds(modules.values()):
        wrapped = _wrapped[kind]
        wrapped.listeners.remove(listener)
        if not wrapped.listeners:
            wrapped.undo()
            del _wrapped[kind]
    _tags.discard(listener.tag)


def list_kinds(modules: Iterable[nnx.Module]) -> list[type[nnx.Module]]:
    """The classes of the modules that can be called, each once."""
    return list(dict.fromkeys(type(m) for m in modules if callable(m)))
