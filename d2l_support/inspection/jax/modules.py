"""The modules of a model: their names, and why some are never seen."""

import inspect
from collections.abc import Collection, Iterable, Iterator
from functools import cache
from typing import Any

import jax
from flax import nnx

from d2l_support.inspection.coverage import Coverage, list_names
from d2l_support.inspection.jax.arrays import TRACED
from d2l_support.inspection.runs import name_module

Names = tuple[str, ...]
UNCALLED = (
    "Nothing was seen: no module was called where there are values. What nnx.jit "
    "has compiled calls no module. Make the pass without it (or in a block `with "
    "jax.disable_jit():`), or give the model and its inputs to the helper."
)


class Places:
    """Where each module stands in a model.

    Attributes:
        model: The model.
        names: By a module's number, all its dotted names; "" is the model.
        modules: The modules; a module's number is its index.
    """

    def __init__(self, model: nnx.Module):
        self.model = model
        found: dict[int, tuple[nnx.Module, list[str]]] = {}
        for name, thing in walk_graph(model):
            if isinstance(thing, nnx.Module):
                found.setdefault(id(thing), (thing, []))[1].append(name)
        self.modules = [module for module, _ in found.values()]
        self.names: list[Names] = [tuple(names) for _, names in found.values()]
        self._by_name = {n: i for i, names in enumerate(self.names) for n in names}

    def find(self, name: str) -> nnx.Module:
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
        names = list_arguments(type(self.modules[place]))
        return names[position] if position < len(names) else f"args[{position}]"

    def list_weights(self) -> list[tuple[Names, Any]]:
        """Parameters and buffers, each once with all its names; no streams."""
        return gather_names(
            (name, thing)
            for name, thing in walk_graph(self.model)
            if isinstance(thing, nnx.Variable | jax.Array)
            and not isinstance(thing, nnx.RngState)
        )

    def name_variables(self, module: nnx.Module, place: int) -> list[tuple[Names, Any]]:
        """The Params inside a module or a copy of it, with their names here."""
        prefix = self.names[place][0]
        return [
            (tuple(join(prefix, name) for name in names), variable)
            for names, variable in gather_names(walk_graph(module))
            if isinstance(variable, nnx.Param)
        ]

    def cover(self, called: Collection[int], traced: Collection[int]) -> Coverage:
        """Which modules were called, and why the others were not."""
        silent = [i for i in self.list_callable() if i not in called]
        told = [(name_module(self.names[i]), explain(i in traced)) for i in silent]
        warnings = [] if called else [UNCALLED]
        if functions := self._list_functions():
            told_functions = f"Functions are never seen: {list_names(functions)}."
            warnings.append(told_functions)
        return Coverage(len(called), tuple(told), tuple(warnings))

    def list_callable(self) -> list[int]:
        """The modules that can be called; lists of modules cannot."""
        return [i for i, module in enumerate(self.modules) if callable(module)]

    def _list_functions(self) -> list[str]:
        """The functions in an nnx.Sequential: "layers.1 (relu)"."""
        return [
            f"{join(self.names[i][0], f'layers.{at}')} ({name_function(layer)})"
            for i, module in enumerate(self.modules)
            if isinstance(module, nnx.Sequential)
            for at, layer in enumerate(module.layers)
            if callable(layer) and not isinstance(layer, nnx.Module)
        ]


def explain(traced: bool) -> str:
    """Why a module was not seen."""
    if traced:
        return TRACED
    return (
        "not called in this pass, called by another method than __call__, or inside "
        "a transform that JAX has traced before"
    )


def walk_graph(
    thing: object, name: str = "", inside: tuple[int, ...] = ()
) -> Iterator[tuple[str, object]]:
    """Everything that an NNX object holds, under each of its dotted names.

    What stands under several names comes several times.
    """
    yield name, thing
    if id(thing) in inside:
        return
    for key, part in list_parts(thing):
        yield from walk_graph(part, join(name, key), (*inside, id(thing)))


def list_parts(thing: object) -> list[tuple[str, object]]:
    """What an NNX object or a plain container holds, by name."""
    if isinstance(thing, nnx.Pytree):
        own = vars(thing).items()
        return [(k, part) for k, part in own if not k.startswith("_pytree__")]
    if isinstance(thing, dict):
        return [(str(key), part) for key, part in thing.items()]
    if isinstance(thing, list | tuple):
        return [(str(at), part) for at, part in enumerate(thing)]
    return []


def join(prefix: str, name: str) -> str:
    """A dotted name."""
    return f"{prefix}.{name}" if prefix and name else prefix or name


def gather_names(named: Iterable[tuple[str, Any]]) -> list[tuple[Names, Any]]:
    """Each thing once, with all the names that it stands under."""
    found: dict[int, tuple[list[str], Any]] = {}
    for name, thing in named:
        found.setdefault(id(thing), ([], thing))[0].append(name)
    return [(tuple(names), thing) for names, thing in found.values()]


def name_function(function: object) -> str:
    """The name that a function was defined under."""
    return getattr(function, "__name__", type(function).__name__)


@cache
def list_arguments(kind: type[nnx.Module]) -> tuple[str, ...]:
    """The names of the positional arguments of a class's __call__."""
    try:
        parameters = inspect.signature(kind.__call__).parameters.values()
    except (AttributeError, TypeError, ValueError):
        return ()
    named = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return tuple(p.name for p in parameters if p.kind in named)[1:]


def check_model(model: nnx.Module) -> nnx.Module:
    """The model, if one can look into it.

    Raises:
        TypeError: It is no module of NNX that can be called.
    """
    if isinstance(model, nnx.Module) and callable(model):
        return model
    kind = type(model).__name__
    if callable(getattr(model, "lower", None)):
        raise TypeError(
            f"found a compiled function ({kind}), inside which values are tracers, "
            "expected an nnx.Module. Give the module that it calls."
        )
    raise TypeError(
        f"found a model of type {kind}, expected an nnx.Module with a __call__."
    )
