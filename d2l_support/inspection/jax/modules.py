"""The modules of a model: their names, and why some are never seen."""

from collections.abc import Iterator

import jax
from flax import nnx

from d2l_support.inspection import places
from d2l_support.inspection.coverage import list_names
from d2l_support.inspection.jax.arrays import TRACED
from d2l_support.inspection.places import Weight, gather_names

UNCALLED = (
    "Nothing was seen: no module was called where there are values. What nnx.jit "
    "has compiled calls no module. Make the pass without it (or in a block `with "
    "jax.disable_jit():`), or give the model and its inputs to the helper."
)


class Places(places.Places):
    """Where each module stands in a model; its place is a number, from 0 on."""

    framework, method = "jax", "__call__"
    uncalled, traced = UNCALLED, TRACED

    def __init__(self, model: nnx.Module):
        found = walk_graph(model)
        super().__init__(model, ((n, x) for n, x in found if isinstance(x, nnx.Module)))

    def find_place(self, number: int, module: nnx.Module) -> int:
        """What stands for a module, also for its copy inside a transform."""
        return number

    def list_weights(self) -> list[Weight]:
        """Parameters and buffers, each once with all its names; no streams."""
        return gather_names(
            (name, thing)
            for name, thing in walk_graph(self.model)
            if isinstance(thing, nnx.Variable | jax.Array)
            and not isinstance(thing, nnx.RngState)
        )

    def name_variables(self, module: nnx.Module, place: int) -> list[Weight]:
        """The Params inside a module or a copy of it, with their names here."""
        prefix = self.names[place][0]
        return [
            (tuple(join(prefix, name) for name in names), variable)
            for names, variable in gather_names(walk_graph(module))
            if isinstance(variable, nnx.Param)
        ]

    def is_callable(self, place: int) -> bool:
        """False for lists of modules."""
        return callable(self.modules[place])

    def explain(self, place: int, seen: set[int]) -> str:
        """Why a module was not seen."""
        return (
            "not called in this pass, called by another method than __call__, or "
            "inside a transform that JAX has traced before"
        )

    def list_warnings(self) -> list[str]:
        """That there are functions among the layers."""
        functions = self._list_functions()
        told = f"Functions are never seen: {list_names(functions)}."
        return [told] if functions else []

    def _list_functions(self) -> list[str]:
        """The functions in an nnx.Sequential: "layers.1 (relu)"."""
        return [
            f"{join(self.names[i][0], f'layers.{at}')} ({name_function(layer)})"
            for i, module in self.modules.items()
            if isinstance(module, nnx.Sequential)
            for at, layer in enumerate(module.layers)
            if callable(layer) and not isinstance(layer, nnx.Module)
        ]


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


def name_function(function: object) -> str:
    """The name that a function was defined under."""
    return getattr(function, "__name__", type(function).__name__)


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
