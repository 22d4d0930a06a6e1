"""Hooks around every call of a model's modules, told as two plain events.

They are PyTorch's *global* module hooks, not one hook on each module: a module
that looks whether it has hooks finds none. (`nn.TransformerEncoderLayer` looks,
and takes another path if it finds one.) Only a module that already has hooks
of its own gets ours beside them, so that we see what its hooks made of the
output.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from torch import nn
from torch.compiler import is_compiling
from torch.nn.modules import module as hooks
from torch.nn.modules.module import (
    register_module_forward_hook,
    register_module_forward_pre_hook,
)

Enter = Callable[[int, tuple, Mapping], None]
Leave = Callable[[int, Mapping, object], None]

# Fire also when the module raises, and be told its named arguments.
FLAGS = {"with_kwargs": True, "always_call": True}


class Hooks:
    """The hooks on some modules, on from `attach` to `detach`.

    Args:
        modules: The modules.
        enter: Called with a module's id, its positional and its named
            arguments, before the call; None if that is not wanted.
        leave: Called with a module's id, the named arguments that `enter` was
            not told of, and the output; with None for it after an exception.
    """

    def __init__(self, modules: Iterable[nn.Module], enter: Enter | None, leave: Leave):
        self._modules = tuple(modules)
        self._plain: set[int] = set()
        self._enter, self._leave = enter, leave
        self._handles: list[Any] = []

    @property
    def attached(self) -> bool:
        """Whether the hooks are on."""
        return bool(self._handles)

    def attach(self) -> None:
        """Sets the hooks."""
        own = [module for module in self._modules if has_hooks(module)]
        self._plain = set(map(id, self._modules)) - set(map(id, own))
        for module in own:
            self._handles.append(module.register_forward_hook(self._left_own, **FLAGS))
            if self._enter:
                before = module.register_forward_pre_hook
                self._handles.append(before(self._entered_own, with_kwargs=True))
        self._handles.append(register_module_forward_hook(self._left, **FLAGS))
        if self._enter:
            self._handles.append(register_module_forward_pre_hook(self._entered))

    def detach(self) -> None:
        """Takes all of them away, however often it is called."""
        for handle in self._handles:
            handle.remove()
            # In torch 2.13 remove() forgets this one of a global hook's entries.
            hooks._global_forward_hooks_with_kwargs.pop(handle.id, None)
        self._handles = []

    # A hook must return None: a value would replace the module's output.
    # While torch.compile traces a module, hooks must not become part of it.

    def _entered(self, module: nn.Module, args: tuple) -> None:
        if id(module) in self._plain and not is_compiling():
            self._enter(id(module), args, {})

    def _left(self, module: nn.Module, args: tuple, *rest: Any) -> None:
        # rest is (kwargs, output); after an exception torch 2.13 leaves out
        # the first, although the hook asked for it.
        if id(module) in self._plain and not is_compiling():
            self._leave(id(module), rest[0] if len(rest) == 2 else {}, rest[-1])

    def _entered_own(self, module: nn.Module, args: tuple, kwargs: Mapping) -> None:
        if not is_compiling():
            self._enter(id(module), args, kwargs)

    def _left_own(self, module: nn.Module, args: tuple, *rest: Any) -> None:
        if not is_compiling():
            self._leave(id(module), {}, rest[-1])


def has_hooks(module: nn.Module) -> bool:
    """Whether a module has forward hooks of its own."""
    return bool(module._forward_hooks or module._forward_pre_hooks)
