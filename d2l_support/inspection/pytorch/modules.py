"""The modules of a model: their names, and why some are never seen."""

import torch
from torch import nn

from d2l_support.inspection import places
from d2l_support.inspection.places import Weight, gather_names
from d2l_support.inspection.runs import name_module

FUSED = (nn.TransformerEncoderLayer, nn.TransformerEncoder)
UNCALLED = "Call the model as net(X): net.forward(X) goes round the hooks."


class Places(places.Places):
    """Where each module stands in a model; its place is its id."""

    framework, method, uncalled = "pytorch", "forward", UNCALLED

    def __init__(self, model: nn.Module):
        super().__init__(model, model.named_modules(remove_duplicate=False))

    def list_parameters(self) -> list[Weight]:
        """The parameters that gather gradients, each once with all its names."""
        named = gather_names(self.model.named_parameters(remove_duplicate=False))
        return [(names, x) for names, x in named if x.requires_grad]

    def list_weights(self) -> list[Weight]:
        """The parameters and buffers, each once with all its names."""
        named = self.model.named_parameters(remove_duplicate=False)
        more = self.model.named_buffers(remove_duplicate=False)
        return gather_names((*named, *more))

    def is_callable(self, place: int) -> bool:
        """False for lists of modules and the like, which have no forward."""
        forward = getattr(type(self.modules[place]), "forward", None)
        return forward is not nn.Module.forward

    def explain(self, place: int, seen: set[int]) -> str:
        """Why a module was not seen."""
        for outer in self.list_around(place):
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
