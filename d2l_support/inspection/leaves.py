"""The tensors inside whatever a module takes or gives, each with a name."""

import dataclasses
from collections.abc import Callable, Iterator, Mapping

PLAIN = (type(None), str, bytes, bool, int, float, complex)


def walk_leaves(
    thing: object,
    is_tensor: Callable[[object], bool],
    path: str = "",
    inside: tuple[int, ...] = (),
) -> Iterator[tuple[str, object]]:
    """Each tensor in a nested value, and each object that cannot be entered.

    Tuples, lists, mappings, named tuples and dataclasses are entered. None,
    texts and plain numbers hold no tensor and are passed over.

    Args:
        thing: What a module took or gave.
        is_tensor: Tells the framework's tensors from everything else.
        path: How `thing` is reached, in the words of Python: ".h[0]".
        inside: The ids of what encloses `thing`, so that a list that holds
            itself ends.

    Yields:
        The path to a leaf, and the leaf.
    """
    if is_tensor(thing):
        yield path, thing
    elif isinstance(thing, PLAIN) or id(thing) in inside:
        return
    elif (parts := list_parts(thing)) is None:
        yield path, thing
    else:
        for step, part in parts:
            yield from walk_leaves(part, is_tensor, path + step, (*inside, id(thing)))


def list_parts(thing: object) -> list[tuple[str, object]] | None:
    """What a container holds, with the step to each; None for other objects."""
    if isinstance(thing, Mapping):
        return [(f"[{key!r}]", part) for key, part in thing.items()]
    if isinstance(thing, tuple) and hasattr(thing, "_fields"):
        return [(f".{name}", getattr(thing, name)) for name in thing._fields]
    if isinstance(thing, tuple | list):
        return [(f"[{index}]", part) for index, part in enumerate(thing)]
    if dataclasses.is_dataclass(thing) and not isinstance(thing, type):
        names = [field.name for field in dataclasses.fields(thing)]
        return [(f".{name}", getattr(thing, name, None)) for name in names]
    return None
