"""Where the modules of a model stand: what frameworks name alike."""

import inspect
from collections.abc import Collection, Iterable
from functools import cache
from typing import Any

from d2l_support.inspection.coverage import Coverage
from d2l_support.inspection.runs import name_module

Names = tuple[str, ...]
Weight = tuple[Names, Any]  # a parameter or buffer, with all its names


class Places:
    """Where each module stands in a model.

    Attributes:
        model: The model.
        names: By a module's place, all its dotted names; "" is the model.
        modules: By a module's place, the module.
        framework: The framework's key.
        method: What the author of a module writes, and a call runs.
        uncalled: What to say of a pass in which no module was called.
        traced: Why a module was not seen that was called without values.

    Args:
        model: The model.
        walked: The modules under every name, parents first.
    """

    framework: str
    method: str
    uncalled: str
    traced: str = ""

    def __init__(self, model: Any, walked: Iterable[tuple[str, Any]]):
        self.model = model
        self.names: dict[int, Names] = {}
        self.modules: dict[int, Any] = {}
        for number, (names, module) in enumerate(gather_names(walked)):
            place = self.find_place(number, module)
            self.names[place], self.modules[place] = names, module
        self._by_name = {n: i for i, names in self.names.items() for n in names}

    def find_place(self, number: int, module: Any) -> int:
        """What stands for a module, the first one being number 0: its id."""
        return id(module)

    def find(self, name: str) -> Any:
        """The module of this name."""
        return self.modules[self._by_name[name]]

    def label(self, place: int) -> str:
        """A module in words: its names and its class."""
        return f"{name_module(self.names[place])} ({self.kind(place)})"

    def kind(self, place: int) -> str:
        """The name of a module's class."""
        return type(self.modules[place]).__name__

    def argument(self, place: int, position: int) -> str:
        """The name of a module's positional argument."""
        names = list_arguments(type(self.modules[place]), self.method)
        return names[position] if position < len(names) else f"args[{position}]"

    def cover(self, called: Iterable[int], traced: Collection[int] = ()) -> Coverage:
        """Which modules were called, and why the others were not.

        Args:
            called: The places of those that were.
            traced: The places of those that were called without values.
        """
        seen = set(called)
        silent = [i for i in self.modules if i not in seen and self.is_callable(i)]
        told = tuple(
            (
                name_module(self.names[i]),
                self.traced if i in traced else self.explain(i, seen),
            )
            for i in silent
        )
        warnings = () if seen else (self.uncalled,)
        return Coverage(len(seen), told, (*warnings, *self.list_warnings()))

    def is_callable(self, place: int) -> bool:
        """False for a module that only holds others."""
        raise NotImplementedError

    def explain(self, place: int, seen: set[int]) -> str:
        """Why a module was not seen, where these were."""
        raise NotImplementedError

    def list_warnings(self) -> Iterable[str]:
        """What else in the model can never be seen."""
        return ()

    def list_around(self, place: int) -> list[int]:
        """The module itself and those that contain it, under its first name."""
        name, around = self.names[place][0], [place]
        while name:
            name = name.rpartition(".")[0]
            around += [self._by_name[name]] if name in self._by_name else []
        return around


def gather_names(named: Iterable[tuple[str, Any]]) -> list[tuple[Names, Any]]:
    """Each thing once, with all the names that it stands under."""
    found: dict[int, tuple[list[str], Any]] = {}
    for name, thing in named:
        found.setdefault(id(thing), ([], thing))[0].append(name)
    return [(tuple(names), thing) for names, thing in found.values()]


@cache
def list_arguments(kind: type, method: str) -> Names:
    """The names of the positional arguments of a class's method.

    There are none where it has no signature, as what is compiled may not.
    """
    try:
        parameters = inspect.signature(getattr(kind, method)).parameters.values()
    except (AttributeError, TypeError, ValueError):
        return ()
    named = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return tuple(p.name for p in parameters if p.kind in named)[1:]
