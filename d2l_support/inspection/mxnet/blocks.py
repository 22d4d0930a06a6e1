"""The blocks of a model: their names, and why some are never seen."""

from collections.abc import Iterable, Iterator

from mxnet.gluon import Block, HybridBlock, Parameter, SymbolBlock
from mxnet.util import is_np_array

from d2l_support.inspection import places
from d2l_support.inspection.mxnet.arrays import Array
from d2l_support.inspection.places import Names, gather_names
from d2l_support.inspection.runs import name_module

UNCALLED = "Call the model as net(X): net.forward(X) goes round the hooks."
MEND = "net.hybridize(active=False) opens it"


class Places(places.Places):
    """Where each block stands in a model; its place is its id."""

    framework, method, uncalled = "mxnet", "forward", UNCALLED

    def __init__(self, model: Block):
        super().__init__(model, walk_blocks(model))

    def list_parameters(self) -> list[tuple[Names, Parameter]]:
        """All parameters, each once with all its names.

        Running averages and constants are among them: they are parameters
        whose `grad_req` is "null".
        """
        return gather_names(
            (f"{name}.{own}" if name else own, parameter)
            for place, block in self.modules.items()
            for own, parameter in block.params.items()
            for name in self.names[place]
        )

    def is_callable(self, place: int) -> bool:
        """False for blocks that only hold others and have no forward."""
        forward = type(self.modules[place]).forward
        return forward not in (Block.forward, HybridBlock.forward)

    def explain(self, place: int, seen: set[int]) -> str:
        """Why a block was not seen."""
        for outer in self.list_around(place):
            if outer != place and is_hybridized(self.modules[outer]):
                return f"inside the graph of {name_module(self.names[outer])}: {MEND}"
        return "not called in this pass, or round the hooks, as block.forward(...)"

    def list_warnings(self) -> list[str]:
        """That there are blocks which Gluon does not know of."""
        return [
            f"The blocks in the list or dictionary {name} are not registered with "
            "the model: they are not seen, and not trained either."
            for name in self._list_loose()
        ]

    def _list_loose(self) -> list[str]:
        """Where blocks stand in plain lists, which Gluon does not look into."""
        known = set(self.modules)
        return [
            ".".join(filter(None, (self.names[place][0], attribute)))
            for place, block in self.modules.items()
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
