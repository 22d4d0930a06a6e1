"""The modules of a model: their names, and why some are never seen."""

import inspect
from collections.abc import Iterable
from functools import cache

import torch
from torch import Tensor, nn

from d2l_support.inspection.coverage import Coverage
from d2l_support.inspection.runs import name_module

FUSED = (nn.TransformerEncoderLayer, nn.TransformerEncoder)
UNCALLED = "Call the model as net(X): net.forward(X) goes round the hooks."


class Places:
    """Where each module stands in a model.

    Attributes:
        model: The model.
        names: By a module's id, all its dotted names; "" is the model.
        modules: By a module's id, the module.
    """

    def __init__(self, model: nn.Module):
        self.model = model
        self.names: dict[int, tuple[str, ...]] = {}
        self.modules: dict[int, nn.Module] = {}
        for name, module in model.named_modules(remove_duplicate=False):
            self.names[id(module)] = (*self.names.get(id(module), ()), name)
            self.modules[id(module)] = module
        self._by_name = {n: i for i, names in self.names.items() for n in names}

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

    def list_parameters(self) -> list[tuple[tuple[str, ...], Tensor]]:
        """The parameters that gather gradients, each once with all its names."""
        named = gather_names(self.model.named_parameters(remove_duplicate=False))
        return [(names, x) for names, x in named if x.requires_grad]

    def list_weights(self) -> list[tuple[tuple[str, ...], Tensor]]:
        """The parameters and buffers, each once with all its names."""
        named = self.model.named_parameters(remove_duplicate=False)
        more = self.model.named_buffers(remove_duplicate=False)
        return gather_names((*named, *more))

    def cover(self, called: Iterable[int]) -> Coverage:
        """Which modules were called, and why the others were not."""
        seen = set(called)
        silent = [i for i in self.modules if i not in seen and self._is_callable(i)]
        told = ((name_module(self.names[i]), self._explain(i, seen)) for i in silent)
        return Coverage(len(seen), tuple(told), () if seen else (UNCALLED,))

    def _is_callable(self, place: int) -> bool:
        """False for lists of modules and the like, which have no forward."""
        forward = getattr(type(self.modules[place]), "forward", None)
        return forward is not nn.Module.forward

    def _explain(self, place: int, seen: set[int]) -> str:
        """Why a module was not seen."""
        for outer in self._list_around(place):
            module = self.modules[outer]
            if is_compiled(module):
                return f"compiled as part of {name_module(self.names[outer])}"
            if isinstance(module, torch.jit.ScriptModule) and outer != place:
                return "called from TorchScript, which knows no hooks"
            if isinstance(module, nn.MultiheadAttention) and outer != place:
                return "nn.MultiheadAttention uses its weights and never calls it"
            if isinstance(module, FUSED) and outer in seen:
                return "nn.TransformerEncoder took its fused path, in eval mode"
        return "not called in this pass, or called as module.forward(...)"

    def _list_around(self, place: int) -> list[int]:
        """The module itself and those that contain it, under its first name."""
        name, around = self.names[place][0], [place]
        while name:
            name = name.rpartition(".")[0]
            around.append(self._by_name[name])
        return around


def gather_names(
    named: Iterable[tuple[str, Tensor]],
) -> list[tuple[tuple[str, ...], Tensor]]:
    """Each tensor once, with all the names that it stands under."""
    names: dict[int, tuple[str, ...]] = {}
    tensors: dict[int, Tensor] = {}
    for name, x in named:
        names[id(x)] = (*names.get(id(x), ()), name)
        tensors[id(x)] = x
    return [(names[key], x) for key, x in tensors.items()]


@cache
def list_arguments(kind: type[nn.Module]) -> tuple[str, ...]:
    """The names of the positional arguments of a class's forward."""
    try:
        parameters = inspect.signature(kind.forward).parameters.values()
    except (AttributeError, TypeError, ValueError):  # a scripted module has none
        return ()
    named = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return tuple(p.name for p in parameters if p.kind in named)[1:]


def is_compiled(module: nn.Module) -> bool:
    """Whether calling the module runs a compiled graph."""
    return hasattr(module, "_orig_mod") or module._compiled_call_impl is not None


def check_model(model: nn.Module) -> nn.Module:
    """The model, if hooks can look into it.

    Raises:
        TypeError: It is no module.
        ValueError: It is compiled.
    """
    if not isinstance(model, nn.Module):
        kind = type(model).__name__
        raise TypeError(f"found a model of type {kind}, expected a torch.nn.Module.")
    if hasattr(model, "_orig_mod"):
        raise ValueError(
            "found a model compiled by torch.compile, whose graph does not call "
            "hooks that are set later. Look into the module that you compiled, "
            "which has the same weights: model._orig_mod."
        )
    if model._compiled_call_impl is not None:
        raise ValueError(
            "found a model compiled by model.compile(), whose graph does not call "
            "hooks that are set later. Look into it before you compile it, or into "
            "copy.deepcopy(model), which is not compiled."
        )
    return model
