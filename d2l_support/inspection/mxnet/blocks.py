"""The blocks of a model: their names, and why some are never seen."""

import inspect
from collections.abc import Iterable, Iterator
from functools import cache

from mxnet.gluon import Block, HybridBlock, Parameter, SymbolBlock
from mxnet.util import is_np_array

from d2l_support.inspection.coverage import Coverage
from d2l_support.inspection.mxnet.arrays import Array
from d2l_support.inspection.runs import name_module

UNCALLED = "Call the model as net(X): net.forward(X) goes round the hooks."
MEND = "net.hybridize(active=False) opens it"

Names = tuple[str, ...]


class Places:
    """Where each block stands in a model.

    Attributes:
        model: The model.
        names: By a block's id, all its dotted names; "" is the model.
        blocks: By a block's id, the block.
    """

    def __init__(self, model: Block):
        self.model = model
        self.names: dict[int, Names] = {}
        self.blocks: dict[int, Block] = {}
        for name, block in walk_blocks(model):
            self.names[id(block)] = (*self.names.get(id(block), ()), name)
            self.blocks[id(block)] = block
        self._by_name = {n: i for i, names in self.names.items() for n in names}

    def label(self, place: int) -> str:
        """A block in words: its names and its class."""
        return f"{name_module(self.names[place])} ({self.kind(place)})"

    def kind(self, place: int) -> str:
        """The name of a block's class."""
        return type(self.blocks[place]).__name__

    def argument(self, place: int, position: int) -> str:
        """The name of a block's positional argument."""
        names = list_arguments(type(self.blocks[place]))
        return names[position] if position < len(names) else f"args[{position}]"

    def list_parameters(self) -> list[tuple[Names, Parameter]]:
        """All parameters, each once with all its names.

        Running averages and constants are among them: they are parameters
        whose `grad_req` is "null".
        """
        named: dict[int, tuple[Names, Parameter]] = {}
        for place, block in self.blocks.items():
            for own, parameter in block.params.items():
                names = tuple(f"{n}.{own}" if n else own for n in self.names[place])
                known = named.get(id(parameter), ((), parameter))[0]
                named[id(parameter)] = ((*known, *names), parameter)
        return list(named.values())

    def cover(self, called: Iterable[int]) -> Coverage:
        """Which blocks were called, and why the others were not."""
        seen = set(called)
        silent = [i for i in self.blocks if i not in seen and self._is_callable(i)]
        told = ((name_module(self.names[i]), self._explain(i)) for i in silent)
        loose = tuple(
            f"The blocks in the list or dictionary {name} are not registered with "
            "the model: they are not seen, and not trained either."
            for name in self._list_loose()
        )
        return Coverage(len(seen), tuple(told), loose if seen else (UNCALLED, *loose))

    def _is_callable(self, place: int) -> bool:
        """False for blocks that only hold others and have no forward."""
        forward = type(self.blocks[place]).forward
        return forward not in (Block.forward, HybridBlock.forward)

    def _explain(self, place: int) -> str:
        """Why a block was not seen."""
        for outer in self._list_around(place):
            if outer != place and is_hybridized(self.blocks[outer]):
                return f"inside the graph of {name_module(self.names[outer])}: {MEND}"
        return "not called in this pass, or round the hooks, as block.forward(...)"

    def _list_around(self, place: int) -> list[int]:
        """The block itself and those that contain it, under its first name."""
        name, around = self.names[place][0], [place]
        while name:
            name = name.rpartition(".")[0]
            around.append(self._by_name[name])
        return around

    def _list_loose(self) -> list[str]:
        """Where blocks stand in plain lists, which Gluon does not look into."""
        known = set(self.blocks)
        return [
            ".".join(filter(None, (self.names[place][0], attribute)))
            for place, block in self.blocks.items()
            for attribute, thing in vars(block).items()
            if attribute != "_children" and holds_loose(thing, known)
        ]


def walk_blocks(block: Block, name: str = "") -> Iterator[tuple[str, Block]]:
    """The block and all blocks inside it, with dotted names."""
    yield name, block
    for own, child in block._children.items():
        yield from walk_blocks(child(), f"{name}.{own}" if name else own)


def holds_loose(thing: object, known: set[int]) -> bool:
    """Whether a list, tuple or dictionary holds a block that is not known."""
    if isinstance(thing, dict):
        thing = list(thing.values())
    if not isinstance(thing, list | tuple):
        return False
    return any(
        id(part) not in known if isinstance(part, Block) else holds_loose(part, known)
        for part in thing
    )


def list_arrays(
    parameters: Iterable[tuple[Names, Parameter]],
) -> list[tuple[Names, Array]]:
    """The arrays of parameters that have values, one for each device."""
    named = []
    for names, parameter in parameters:
        for number, x in enumerate(parameter._data or ()):
            where = f" on {x.device}" if number else ""
            named.append((tuple(name + where for name in names), x))
    return named


@cache
def list_arguments(kind: type[Block]) -> tuple[str, ...]:
    """The names of the positional arguments of a class's forward."""
    parameters = inspect.signature(kind.forward).parameters.values()
    named = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return tuple(p.name for p in parameters if p.kind in named)[1:]


def is_hybridized(block: Block) -> bool:
    """Whether calling the block runs a graph."""
    return isinstance(block, HybridBlock) and block._active


def check_model(model: Block) -> Block:
    """The model, if hooks can look into it.

    Raises:
        TypeError: It is no block.
        ValueError: It is hybridized or made of a symbol, or MXNet is in its
            legacy mode.
    """
    if not isinstance(model, Block):
        kind = type(model).__name__
        raise TypeError(f"found a model of type {kind}, expected a gluon.Block.")
    if isinstance(model, SymbolBlock):
        raise ValueError(
            "found a SymbolBlock, which is one graph without blocks inside, and "
            "cannot have hooks. Look into the model that it was made of."
        )
    if is_hybridized(model):
        raise ValueError(
            "found a hybridized model, which runs as one graph: once that is traced, "
            "no hook is called. Write net.hybridize(active=False), look, and "
            "hybridize it again."
        )
    if not is_np_array():
        raise ValueError(
            "found MXNet in its legacy mode, expected that of mx.np. Write "
            "mx.npx.set_np() first."
        )
    return model
